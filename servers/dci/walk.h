// SPDX-License-Identifier: MIT
// A walk: a request goes through the kernel, one process, or all. The kernel comes first, then the
// processes in a round.
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
    bool kernel_done;    // the kernel's part is told, or not wanted
    struct round *round; // over the processes, or NULL
};

struct walk walk_over(dci_Scope scope, u32 pid);
// Returns true if the scope contains the kernel.
bool walk_has_kernel(const struct walk *walk);
// Ends the walk's round.
void walk_end(struct walk *walk);

#endif
