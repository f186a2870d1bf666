// SPDX-License-Identifier: MIT
// `kov classes`: the classes of clustered objects, with their implementations and numbers.
#include "commands/commands.h"
#include "machine/scan.h"
#include "output/json.h"
#include "tools/options.h"
#include "wire/session.h"

#include <inttypes.h>

static u64 pid;

static const struct option own_options[] = {
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "of this process (0, the kernel)"),
    OPTIONS_END,
};

static void print_text(const struct snapshot *snapshot)
{
    printf("%5s  %-24s %-24s %8s %-11s %8s\n", "ID", "CLASS", "IMPLEMENTATION", "BYTES", "KIND",
           "LIVE");
    for (size_t i = 0; i < snapshot->class_count; i++) {
        const struct class_info *info = &snapshot->classes[i];
        printf("%5" PRIu32 "  %-24s %-24s %8" PRIu32 " %-11s %8" PRIu32 "\n", info->id, info->name,
               info->implementation, info->size, info->distributed ? "distributed" : "shared",
               info->live);
    }
}

static void print_json(const struct snapshot *snapshot)
{
    struct json json = json_begin(stdout);
    json_open_array(&json, "classes");
    for (size_t i = 0; i < snapshot->class_count; i++) {
        const struct class_info *info = &snapshot->classes[i];
        json_open_object(&json, NULL);
        json_u64(&json, "id", info->id);
        json_text(&json, "class", info->name);
        json_text(&json, "implementation", info->implementation);
        json_u64(&json, "bytes", info->size);
        json_bool(&json, "distributed", info->distributed);
        json_u64(&json, "live", info->live);
        json_close(&json);
    }
    json_close(&json);
    json_end(&json);
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
    if (code == KOV_OK && settings.json)
        print_json(&snapshot);
    else if (code == KOV_OK)
        print_text(&snapshot);
    snapshot_free(&snapshot);
    return code;
}

const struct command command_classes = {
    .name = "classes",
    .synopsis = "[--pid PID]",
    .summary = "List the classes of clustered objects",
    .options = {own_options},
    .run = run,
};
