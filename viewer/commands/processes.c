// SPDX-License-Identifier: MIT
// `kov kill`, `kov move`, `kov regions`: one process.
#include "commands/commands.h"
#include "output/columns.h"
#include "tools/memory.h"
#include "tools/options.h"
#include "tools/text.h"
#include "wire/session.h"

#include <inttypes.h>
#include <stdlib.h>

static u64 status = 1;

static const struct option kill_options[] = {
    NUMBER(0, "status", &status, 0, 0x1ffff, "STATUS", "what its parent is told (1)"),
    OPTIONS_END,
};

// The number of a process, the command's first argument.
static int parse_pid(const struct arguments *arguments, u32 *pid)
{
    u64 value;
    if (arguments->count < 1)
        return fail(KOV_USAGE, "give the number of a process: see `kov ps`");
    if (!text_to_u64(arguments->values[0], 1, UINT32_MAX, &value))
        return fail(KOV_USAGE, "'%s' is no number of a process: see `kov ps`",
                    arguments->values[0]);
    *pid = (u32)value;
    return KOV_OK;
}

static void print_done(const char *key, u32 pid)
{
    if (!settings.json)
        return;
    json_t *document = json_object();
    put_u64(document, key, pid);
    document_print(document);
}

// ---- kill --------------------------------------------------------------------------------------

static int run_kill(const struct arguments *arguments)
{
    Orrery__Dci__KillRequest body = ORRERY__DCI__KILL_REQUEST__INIT;
    int code = parse_pid(arguments, &body.pid);
    if (code == KOV_OK)
        code = session_begin(true);
    if (code != KOV_OK)
        return code;
    body.status = (s32)status;
    code = dci_call(DCI_REQUEST(KILL, kill, &body), ORRERY__DCI__RESPONSE__BODY__NOT_SET,
                    "cannot kill the process", NULL, NULL);
    if (code == KOV_OK)
        print_done("killed", body.pid);
    return code;
}

const struct command command_kill = {
    .name = "kill",
    .synopsis = "PID [--status STATUS]",
    .summary = "End a process",
    .details = "What is supervised by init is started again.",
    .options = {kill_options},
    .max_arguments = 1,
    .run = run_kill,
};

// ---- move --------------------------------------------------------------------------------------

static int run_move(const struct arguments *arguments)
{
    Orrery__Dci__MoveRequest body = ORRERY__DCI__MOVE_REQUEST__INIT;
    u64 cpu;
    int code = parse_pid(arguments, &body.pid);
    if (code != KOV_OK)
        return code;
    if (arguments->count < 2 || !text_to_u64(arguments->values[1], 0, UINT32_MAX, &cpu))
        return fail(KOV_USAGE, "give the number of a CPU after that of the process");
    code = session_begin(true);
    if (code != KOV_OK)
        return code;
    body.cpu = (u32)cpu;
    code = dci_call(DCI_REQUEST(MOVE, move, &body), ORRERY__DCI__RESPONSE__BODY__NOT_SET,
                    "cannot move the process", NULL, NULL);
    if (code == KOV_OK)
        print_done("moved", body.pid);
    return code;
}

const struct command command_move = {
    .name = "move",
    .synopsis = "PID CPU",
    .summary = "Move the threads of a process to a CPU",
    .max_arguments = 2,
    .run = run_move,
};

// ---- regions -----------------------------------------------------------------------------------

struct region {
    u64 address, bytes, offset, resident_pages;
    coid_t object, memory;
    u32 kind, protection;
    char *name;
};

struct region_list {
    struct region *regions;
    size_t count, capacity;
};

#define MAX_REGIONS 1000000

static int take_regions(void *context, const dci_response *response)
{
    struct region_list *list = context;
    const Orrery__Dci__RegionsReply *reply = response->regions;
    for (size_t i = 0; i < reply->n_regions && list->count < MAX_REGIONS; i++) {
        const Orrery__Dci__Region *message = reply->regions[i];
        list->regions =
            memory_grow(list->regions, list->count, &list->capacity, sizeof(*list->regions));
        struct region *region = &list->regions[list->count++];
        *region = (struct region){
            .address = message->address,
            .bytes = message->bytes,
            .offset = message->offset,
            .resident_pages = message->resident_pages,
            .object = message->object,
            .memory = message->memory,
            .kind = message->kind,
            .protection = message->protection,
            .name = memory_copy_text(message->name),
        };
        text_make_printable(region->name, false);
    }
    return KOV_OK;
}

static const char *kind_name(u32 kind)
{
    static const char *const names[] = {"none",   "anonymous", "stack",
                                        "commit", "shared",    "private"};
    return kind < ARRAY_SIZE(names) ? names[kind] : "unknown";
}

static void protection_text(u32 protection, char text[4])
{
    text[0] = (protection & 1) != 0 ? 'r' : '-';
    text[1] = (protection & 2) != 0 ? 'w' : '-';
    text[2] = (protection & 4) != 0 ? 'x' : '-';
    text[3] = '\0';
}

static void addresses_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    u64 begin = strtoull(json_string_value(json_object_get(row, "address")), NULL, 16);
    u64 bytes = (u64)json_integer_value(json_object_get(row, "bytes"));
    snprintf(text, CELL_BYTES, "%14" PRIx64 "-%-14" PRIx64, begin, begin + bytes);
}

static const struct column region_columns[] = {
    COLUMN("ADDRESSES", "address", -29, .compose = addresses_text),
    COLUMN("KB", "bytes", 10, .scale = 1.0 / 1024),
    COLUMN("RESIDENT", "resident_bytes", 10, .scale = 1.0 / 1024),
    COLUMN("PROT", "protection", -4),
    COLUMN("KIND", "kind", -9),
    HIDDEN("offset"),
    COLUMN("REGION", "region", 10),
    COLUMN("FCM", "memory", 10),
    COLUMN("NAME", "name", -1),
    COLUMNS_END,
};
static const struct sheet region_sheets[] = {{"regions", region_columns}, {NULL, NULL}};

static void show_regions(const struct region_list *list)
{
    json_t *document = json_object();
    json_t *regions = put_array(document, "regions");
    for (size_t i = 0; i < list->count; i++) {
        const struct region *region = &list->regions[i];
        char protection[4];
        protection_text(region->protection, protection);
        json_t *row = put_object(regions, NULL);
        put_hex(row, "address", region->address);
        put_u64(row, "bytes", region->bytes);
        put_u64(row, "resident_bytes", region->resident_pages * 4096);
        put_text(row, "protection", protection);
        put_text(row, "kind", kind_name(region->kind));
        put_u64(row, "offset", region->offset);
        put_hex(row, "region", region->object);
        put_hex(row, "memory", region->memory);
        put_text(row, "name", region->name);
    }
    document_show(document, region_sheets);
}

static int run_regions(const struct arguments *arguments)
{
    Orrery__Dci__RegionsRequest body = ORRERY__DCI__REGIONS_REQUEST__INIT;
    struct region_list list = {0};
    int code = parse_pid(arguments, &body.pid);
    if (code == KOV_OK)
        code = session_begin(true);
    if (code != KOV_OK)
        return code;
    code = dci_call(DCI_REQUEST(REGIONS, regions, &body), ORRERY__DCI__RESPONSE__BODY_REGIONS,
                    "cannot list the regions", take_regions, &list);
    if (code == KOV_OK)
        show_regions(&list);
    for (size_t i = 0; i < list.count; i++)
        free(list.regions[i].name);
    free(list.regions);
    return code;
}

const struct command command_regions = {
    .name = "regions",
    .synopsis = "PID",
    .summary = "Show a process's address space: regions, their memory objects and pages",
    .max_arguments = 1,
    .has_csv = true,
    .run = run_regions,
};
