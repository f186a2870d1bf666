// SPDX-License-Identifier: MIT
// Prints why processes' parts are missing.
#include "machine/failures_print.h"

void failures_print(const struct failures *failures, const struct snapshot *snapshot)
{
    for (size_t i = 0; i < failures->count; i++) {
        char name[OBJECT_NAME_BYTES];
        snapshot_process_name(snapshot, failures->list[i].pid, name);
        printf("%s: %s\n", name, failures->list[i].reason);
    }
}

void failures_json(struct json *json, const struct failures *failures,
                   const struct snapshot *snapshot)
{
    json_open_array(json, "failures");
    for (size_t i = 0; i < failures->count; i++) {
        const struct process_failure *failure = &failures->list[i];
        const struct process_info *process = snapshot_process(snapshot, failure->pid);
        json_open_object(json, NULL);
        json_u64(json, "pid", failure->pid);
        json_text(json, "process", process == NULL ? NULL : process->name);
        json_s64(json, "error", failure->error);
        json_text(json, "message", failure->reason);
        json_close(json);
    }
    json_close(json);
}
