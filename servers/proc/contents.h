// SPDX-License-Identifier: MIT
// What there is in /proc: the files of the machine, a directory for each process, the files in it.
#ifndef PROC_CONTENTS_H
#define PROC_CONTENTS_H

#include "text.h"

#include <orrery/process.h>

struct proc_file {
    const char *name;
    const char *help;
    // Adds the contents. 0, or an error: the process has ended, or does not answer.
    s64 (*fill)(u32 pid, struct text *text);
};
extern const struct proc_file machine_files[], process_files[];
extern const u32 machine_file_count, process_file_count;

// What a path below /proc names.
enum place_kind { PLACE_ROOT, PLACE_PROCESS, PLACE_FILE };
struct place {
    enum place_kind kind;
    u32 pid; // 0: none
    const struct proc_file *file;
};
// Reads the path; does not look whether the process is there. E_NOENT, E_NOTDIR.
s64 place_find(const char *path, struct place *place);

// Calls visit for every process; its result other than 0 ends that, and is returned.
s64 processes_each(s64 (*visit)(const struct sys_process_info *info, void *context), void *context);

#endif
