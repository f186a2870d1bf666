// SPDX-License-Identifier: MIT
// A walk: the kernel, one process, or all are gone through for a request, the kernel first, then
// the processes in a round.
#ifndef DCI_WALK_H
#define DCI_WALK_H

#include "frame.h"

#include <orrery/types.h>
#include <stdbool.h>

struct round;

struct walk {
    dci_Scope scope;
    u32 pid;             // SCOPE_PROCESS
    u64 cursor;          // in the list under way
    bool kernel_done;    // its part is told, or not wanted
    struct round *round; // over the processes, NULL: none
};

struct walk walk_over(dci_Scope scope, u32 pid);
// Is the kernel in it?
bool walk_has_kernel(const struct walk *walk);
// It wants nothing more of processes.
void walk_end(struct walk *walk);

#endif
