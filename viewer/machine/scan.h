// SPDX-License-Identifier: MIT
// Asks the machine for its processes, their classes and their objects.
#ifndef KOV_SCAN_H
#define KOV_SCAN_H

#include "machine/snapshot.h"
#include "tools/kov.h"

#include <dci.pb-c.h>

// What a scan asks: the kernel, one process, or all.
struct scan_scope {
    Orrery__Dci__Scope scope;
    u32 pid; // the one process
};
#define SCAN_ALL ((struct scan_scope){ORRERY__DCI__SCOPE__SCOPE_ALL, 0})
#define SCAN_KERNEL ((struct scan_scope){ORRERY__DCI__SCOPE__SCOPE_KERNEL, 0})
// Returns the scope of a process; pid 0 is the kernel.
struct scan_scope scan_scope_of(u32 pid);

int scan_processes(struct snapshot *snapshot);
int scan_classes(struct snapshot *snapshot, struct scan_scope scope);
// Scans classes and objects; scan_processes comes first. A process that does not answer is no
// failure of the scan. It is then in the snapshot's `failures`.
int scan_objects(struct snapshot *snapshot, struct scan_scope scope);

#endif
