// SPDX-License-Identifier: MIT
// `kov kill`, `kov move`, `kov regions`: one process.
#include "commands/commands.h"
#include "machine/regions.h"
#include "output/columns.h"
#include "tools/memory.h"
#include "tools/options.h"
#include "tools/text.h"
#include "wire/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static u64 status = 1;

static const struct option kill_options[] = {
    NUMBER(0, "status", &status, 0, 0x1ffff, "STATUS", "what its parent is told (1)"),
    OPTIONS_END,
};

// Reads the number of a process from the command's first argument.
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
    json_t *document = json_object();
    put_u64(document, key, pid);
    document_tell(document, NULL);
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

static void addresses_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const char *begin = json_string_value(json_object_get(row, column->key));
    const char *end = json_string_value(json_object_get(row, "end"));
    snprintf(text, CELL_BYTES, "%14s-%-14s", begin + strlen("0x"), end + strlen("0x"));
}

static const struct column region_columns[] = {
    COLUMN("ADDRESSES", "address", -29, .compose = addresses_text),
    HIDDEN("end"),
    COLUMN("KB", "bytes", 10, .scale = 1.0 / 1024),
    COLUMN("RESIDENT", "resident_bytes", 10, .scale = 1.0 / 1024),
    COLUMN("PROT", "protection", -4),
    COLUMN("KIND", "kind", -9),
    HIDDEN("offset"),
    COLUMN("REGION", "region", 10, .rank = RANK_RARE),
    COLUMN("FCM", "memory", 10, .rank = RANK_RARE),
    COLUMN("NAME", "name", -1),
    COLUMNS_END,
};
static const struct sheet region_sheets[] = {{"regions", region_columns}, {NULL, NULL}};

static int run_regions(const struct arguments *arguments)
{
    u32 pid;
    int code = parse_pid(arguments, &pid);
    if (code == KOV_OK)
        code = session_begin(true);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    code = regions_fetch(pid, put_array(document, "regions"));
    if (code != KOV_OK)
        json_object_clear(document);
    document_show(document, region_sheets);
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
