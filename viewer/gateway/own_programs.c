// SPDX-License-Identifier: MIT
// Programs that somebody has started, from when to when.
#include "gateway/machine_state.h"
#include "machine/scan.h"
#include "output/document.h"

#include <stdio.h>
#include <string.h>

bool is_own_program(const struct snapshot *snapshot, u32 pid)
{
    const struct process_info *process = snapshot_process(snapshot, pid);
    const struct process_info *parent =
        process == NULL ? NULL : snapshot_process(snapshot, process->parent);
    return pid != 0 && process != NULL && process->parent != 0 && // which is init's parent
           (parent == NULL || parent->parent != 0);
}

static struct own_program *find_program(struct own_programs *programs,
                                        const struct process_info *process)
{
    for (u32 i = 0; i < programs->count; i++)
        if (programs->programs[i].pid == process->pid &&
            programs->programs[i].begin == process->start_time)
            return &programs->programs[i];
    return NULL;
}

static void add_program(struct own_programs *programs, const struct process_info *process)
{
    if (programs->count == OWN_PROGRAMS_MAX)
        memmove(programs->programs, programs->programs + 1,
                --programs->count * sizeof(programs->programs[0]));
    struct own_program *program = &programs->programs[programs->count++];
    *program = (struct own_program){.pid = process->pid, .begin = process->start_time};
    snprintf(program->name, sizeof(program->name), "%s", process->name);
}

void own_programs_take(struct own_programs *programs, const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->process_count; i++) {
        const struct process_info *process = &snapshot->processes[i];
        if (is_own_program(snapshot, process->pid) && find_program(programs, process) == NULL)
            add_program(programs, process);
    }
    for (u32 i = 0; i < programs->count; i++) {
        struct own_program *program = &programs->programs[i];
        const struct process_info *now = snapshot_process(snapshot, program->pid);
        if (program->end == 0 && (now == NULL || now->start_time != program->begin))
            program->end = snapshot->process_time;
    }
}

int own_programs_find(struct own_programs *programs)
{
    struct snapshot fresh = {0};
    int code = scan_processes(&fresh);
    if (code == KOV_OK)
        own_programs_take(programs, &fresh);
    snapshot_free(&fresh);
    return code;
}

void own_programs_marks(const struct own_programs *programs, const struct machine *machine,
                        json_t *list)
{
    for (u32 i = 0; i < programs->count; i++) {
        const struct own_program *program = &programs->programs[i];
        double end = machine_time(machine, program->end);
        json_t *mark = put_object(list, NULL);
        put_text(mark, "kind", "program");
        put_text(mark, "name", program->name);
        json_object_set_new(mark, "begin", json_real(machine_time(machine, program->begin)));
        json_object_set_new(mark, "end", program->end == 0 ? json_null() : json_real(end));
    }
}
