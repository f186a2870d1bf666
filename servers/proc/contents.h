// SPDX-License-Identifier: MIT
// The contents of /proc: files about the machine, and for each process a directory of files.
// Any thread may call what is declared here.
#ifndef PROC_CONTENTS_H
#define PROC_CONTENTS_H

#include "text.h"

#include <orrery/process.h>

struct proc_file {
    const char *name;
    const char *help;
    // Adds the file's contents to text. Returns 0, or an error if the process has ended or does not
    // answer.
    s64 (*fill)(u32 pid, struct text *text);
};
extern const struct proc_file machine_files[], process_files[];
extern const u32 machine_file_count, process_file_count;

// The thing that a path below /proc names.
enum place_kind { PLACE_ROOT, PLACE_PROCESS, PLACE_FILE };
struct place {
    enum place_kind kind;
    u32 pid;                      // 0: the place belongs to no process
    const struct proc_file *file; // of PLACE_FILE
};
// Reads an absolute path of /proc into *place. Does not check that the process exists. Returns 0,
// E_INVAL if the path does not begin with '/', E_NOENT, or E_NOTDIR.
s64 place_find(const char *path, struct place *place);

// Calls visit for every process until it returns something other than 0. Returns that, or 0, or an
// error of the kernel's list.
s64 processes_each(s64 (*visit)(const struct sys_process_info *info, void *context), void *context);

#endif
