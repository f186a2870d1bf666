// SPDX-License-Identifier: MIT
// `kov kill`, `kov move`, `kov regions`: one process.
#include "commands/commands.h"
#include "output/json.h"
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
    struct json json = json_begin(stdout);
    json_u64(&json, key, pid);
    json_end(&json);
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
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_KILL;
    request.kill = &body;
    code = dci_call(&request, ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot kill the process", NULL,
                    NULL);
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
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_MOVE;
    request.move = &body;
    code = dci_call(&request, ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot move the process", NULL,
                    NULL);
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

static void print_regions(const struct region_list *list)
{
    printf("%-29s %10s %10s %-4s %-9s %10s %10s  %s\n", "ADDRESSES", "KB", "RESIDENT", "PROT",
           "KIND", "REGION", "FCM", "NAME");
    for (size_t i = 0; i < list->count; i++) {
        const struct region *region = &list->regions[i];
        char protection[4];
        protection_text(region->protection, protection);
        printf("%14" PRIx64 "-%-14" PRIx64 " %10" PRIu64 " %10" PRIu64 " %-4s %-9s %#10" PRIx64
               " %#10" PRIx64 "  %s\n",
               region->address, region->address + region->bytes, region->bytes >> 10,
               region->resident_pages * 4, protection, kind_name(region->kind), region->object,
               region->memory, region->name);
    }
}

static void json_regions(const struct region_list *list)
{
    struct json json = json_begin(stdout);
    json_open_array(&json, "regions");
    for (size_t i = 0; i < list->count; i++) {
        const struct region *region = &list->regions[i];
        char protection[4];
        protection_text(region->protection, protection);
        json_open_object(&json, NULL);
        json_hex(&json, "address", region->address);
        json_u64(&json, "bytes", region->bytes);
        json_u64(&json, "resident_bytes", region->resident_pages * 4096);
        json_text(&json, "protection", protection);
        json_text(&json, "kind", kind_name(region->kind));
        json_u64(&json, "offset", region->offset);
        json_hex(&json, "region", region->object);
        json_hex(&json, "memory", region->memory);
        json_text(&json, "name", region->name);
        json_close(&json);
    }
    json_close(&json);
    json_end(&json);
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
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_REGIONS;
    request.regions = &body;
    code = dci_call(&request, ORRERY__DCI__RESPONSE__BODY_REGIONS, "cannot list the regions",
                    take_regions, &list);
    if (code == KOV_OK && settings.json)
        json_regions(&list);
    else if (code == KOV_OK)
        print_regions(&list);
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
    .run = run_regions,
};
