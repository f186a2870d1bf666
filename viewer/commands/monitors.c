// SPDX-License-Identifier: MIT
// `kov monitor create`, `list`, `stop`: kept monitors.
#include "commands/commands.h"
#include "monitors/monitor_requests.h"
#include "output/columns.h"
#include "tools/options.h"
#include "tools/text.h"
#include "wire/session.h"

#include <inttypes.h>
#include <string.h>

static const char *pids, *kinds = MONITOR_KINDS_DEFAULT;
static u64 bytes;

// ---- create ------------------------------------------------------------------------------------

static const struct option create_options[] = {
    TEXT('p', "pid", &pids, "P[/T],…",
         "track these processes, or threads of theirs; 0: the kernel"),
    TEXT('e', "events", &kinds, "KIND,…",
         "record of these: switch, wake, fault, syscall, block, call, thread, sensor, or all "
         "(switch,wake,thread,sensor)"),
    NUMBER(0, "bytes", &bytes, SYS_MONITOR_BYTES_MIN, SYS_MONITOR_BYTES_MAX, "BYTES",
           "of the ring of each CPU (65536)"),
    OPTIONS_END,
};

static int create(u32 *number)
{
    struct monitor_targets targets = {0};
    u64 mask;
    int code = monitor_kinds_parse(kinds, &mask);
    if (code == KOV_OK && pids != NULL)
        code = monitor_targets_parse(pids, &targets);
    if (code == KOV_OK)
        code = session_begin(true);
    if (code == KOV_OK)
        code = monitor_create(true, bytes, number);
    bool created = code == KOV_OK;
    for (u32 i = 0; i < targets.count && code == KOV_OK; i++)
        code = monitor_track(*number, &targets.targets[i], mask);
    if (created && code != KOV_OK)
        monitor_stop(*number);
    return code;
}

static void print_number(const json_t *document)
{
    printf("monitor %" JSON_INTEGER_FORMAT "\n",
           json_integer_value(json_object_get(document, "monitor")));
}

static int run_create(const struct arguments *arguments)
{
    (void)arguments;
    u32 number;
    int code = create(&number);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    put_u64(document, "monitor", number);
    document_tell(document, print_number);
    return KOV_OK;
}

const struct command command_monitor_create = {
    .name = "monitor create",
    .synopsis = "[-p P[/T],…] [-e KIND,…] [--bytes BYTES]",
    .summary = "Create a monitor that is kept until somebody stops it",
    .details =
        "It is suspended: `kov monitor record ID` has it run while it records. Of kept ones\n"
        "there are at most 16, and only a controller may have them.",
    .options = {create_options},
    .run = run_create,
};

// ---- list --------------------------------------------------------------------------------------

static void put_tracks(json_t *row, const struct monitor_targets *targets)
{
    char text[CELL_BYTES] = "";
    for (u32 i = 0; i < targets->count; i++) {
        const struct monitor_target *target = &targets->targets[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used,
                 target->thread != 0 ? "%s%" PRIu32 "/%" PRIu32 : "%s%" PRIu32, i > 0 ? "," : "",
                 target->pid, target->thread);
    }
    put_text(row, "tracks", text);
}

static int take_monitor(void *context, const struct monitor_info *info)
{
    json_t *row = put_object(context, NULL);
    struct monitor_counts sum = {0};
    for (u32 cpu = 0; cpu < info->cpu_count; cpu++) {
        sum.fired += info->cpus[cpu].fired;
        sum.lost += info->cpus[cpu].lost;
        sum.unread += info->cpus[cpu].unread;
    }
    put_u64(row, "monitor", info->number);
    put_bool(row, "kept", info->kept);
    put_bool(row, "running", info->running);
    put_u64(row, "bytes", info->bytes);
    put_u64(row, "fired", sum.fired);
    put_u64(row, "lost", sum.lost);
    put_u64(row, "unread", sum.unread);
    put_tracks(row, &info->targets);
    return KOV_OK;
}

static const struct column columns[] = {
    COLUMN("MONITOR", "monitor", 7),
    HIDDEN("kept"),
    COLUMN("STATE", "running", -9, .yes = "runs", .no = "suspended"),
    COLUMN("KB", "bytes", 6, .scale = 1.0 / 1024),
    COLUMN("FIRED", "fired", 12),
    COLUMN("LOST", "lost", 12),
    COLUMN("UNREAD", "unread", 12),
    COLUMN("TRACKS", "tracks", -1),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"monitors", columns}, {NULL, NULL}};

static int run_list(const struct arguments *arguments)
{
    (void)arguments;
    int code = session_begin(true);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    code = monitor_list(take_monitor, put_array(document, "monitors"));
    if (code == KOV_OK)
        document_show(document, sheets);
    else
        json_decref(document);
    return code;
}

const struct command command_monitor_list = {
    .name = "monitor list",
    .synopsis = "",
    .summary = "List monitors that are kept",
    .details = "Monitors that end with another viewer are not among them.",
    .has_csv = true,
    .run = run_list,
};

// ---- stop --------------------------------------------------------------------------------------

static int run_stop(const struct arguments *arguments)
{
    u64 number;
    if (arguments->count < 1 || !text_to_u64(arguments->values[0], 1, UINT32_MAX, &number))
        return fail(KOV_USAGE, "give the number of a monitor: see `kov monitor list`");
    int code = session_begin(true);
    return code == KOV_OK ? monitor_stop((u32)number) : code;
}

const struct command command_monitor_stop = {
    .name = "monitor stop",
    .synopsis = "ID",
    .summary = "End a monitor that is kept",
    .max_arguments = 1,
    .run = run_stop,
};
