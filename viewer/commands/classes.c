// SPDX-License-Identifier: MIT
// `kov classes`: the classes of clustered objects, with their implementations and numbers.
#include "commands/commands.h"
#include "machine/scan.h"
#include "output/columns.h"
#include "tools/options.h"
#include "wire/session.h"

#include <inttypes.h>

static u64 pid;

static const struct option own_options[] = {
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "of this process (0, the kernel)"),
    OPTIONS_END,
};

static const struct column columns[] = {
    COLUMN("ID", "id", 5),
    COLUMN("CLASS", "class", -24, .rank = RANK_KEEP),
    COLUMN("IMPLEMENTATION", "implementation", -24),
    COLUMN("BYTES", "bytes", 8),
    COLUMN("KIND", "distributed", -11, .yes = "distributed", .no = "shared"),
    COLUMN("LIVE", "live", 8),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"classes", columns}, {NULL, NULL}};

static void show(const struct snapshot *snapshot)
{
    json_t *document = json_object();
    json_t *list = put_array(document, "classes");
    for (size_t i = 0; i < snapshot->class_count; i++) {
        const struct class_info *info = &snapshot->classes[i];
        json_t *row = put_object(list, NULL);
        put_u64(row, "id", info->id);
        put_text(row, "class", info->name);
        put_text(row, "implementation", info->implementation);
        put_u64(row, "bytes", info->size);
        put_bool(row, "distributed", info->distributed);
        put_u64(row, "live", info->live);
    }
    document_show(document, sheets);
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    struct snapshot snapshot = {0};
    int code = session_begin(true);
    if (code == KOV_OK)
        code = scan_processes(&snapshot);
    if (code == KOV_OK)
        code = scan_classes(&snapshot, scan_scope_of((u32)pid));
    const struct process_failure *failure = failures_find(&snapshot.failures, (u32)pid);
    if (code == KOV_OK && failure != NULL)
        code = fail(KOV_FAILED, "process %" PRIu64 ": %s", pid, failure->reason);
    if (code == KOV_OK)
        show(&snapshot);
    snapshot_free(&snapshot);
    return code;
}

const struct command command_classes = {
    .name = "classes",
    .synopsis = "[--pid PID]",
    .summary = "List the classes of clustered objects",
    .options = {own_options},
    .has_csv = true,
    .run = run,
};
