// SPDX-License-Identifier: MIT
// Asks the machine for its processes, their classes and their objects.
#ifndef KOV_SCAN_H
#define KOV_SCAN_H

#include "machine/snapshot.h"
#include "tools/kov.h"

#include <dci.pb-c.h>

// What is asked of: the kernel, one process, or all.
struct scan_scope {
    Orrery__Dci__Scope scope;
    u32 pid; // of one process
};
#define SCAN_ALL ((struct scan_scope){ORRERY__DCI__SCOPE__SCOPE_ALL, 0})
#define SCAN_KERNEL ((struct scan_scope){ORRERY__DCI__SCOPE__SCOPE_KERNEL, 0})
// pid 0: the kernel.
struct scan_scope scan_scope_of(u32 pid);

int scan_processes(struct snapshot *snapshot);
int scan_classes(struct snapshot *snapshot, struct scan_scope scope);
// Classes and objects, after the processes. A process that does not answer is no failure: its
// `failure` tells.
int scan_objects(struct snapshot *snapshot, struct scan_scope scope);

#endif
