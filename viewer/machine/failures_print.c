// SPDX-License-Identifier: MIT
// Prints why the parts of processes are missing.
#include "machine/failures_print.h"

void failures_print(const struct failures *failures, const struct snapshot *snapshot)
{
    for (size_t i = 0; i < failures->count; i++) {
        char name[OBJECT_NAME_BYTES];
        snapshot_process_name(snapshot, failures->list[i].pid, name);
        printf("%s: %s\n", name, failures->list[i].reason);
    }
}

void failures_json(json_t *json, const struct failures *failures, const struct snapshot *snapshot)
{
    json_t *rows = put_array(json, "failures");
    for (size_t i = 0; i < failures->count; i++) {
        const struct process_failure *failure = &failures->list[i];
        const struct process_info *process = snapshot_process(snapshot, failure->pid);
        json_t *row = put_object(rows, NULL);
        put_u64(row, "pid", failure->pid);
        put_text(row, "process", process == NULL ? NULL : process->name);
        put_s64(row, "error", failure->error);
        put_text(row, "message", failure->reason);
    }
}
