// SPDX-License-Identifier: MIT
// Lists of processes on the command line: "7,9".
#ifndef KOV_PID_LIST_H
#define KOV_PID_LIST_H

#include "tools/kov.h"

#define PIDS_MAX 32

struct pid_list {
    u32 pids[PIDS_MAX];
    u32 count;
};

// Reads `text`; NULL is an empty list. No process may be in it twice. Messages name `option`, such
// as "--pid". Returns KOV_OK or KOV_USAGE.
int pid_list_parse(const char *option, const char *text, u32 minimum, struct pid_list *list);
bool pid_list_has(const struct pid_list *list, u32 pid);

#endif
