// SPDX-License-Identifier: MIT
// System calls that place processes on CPUs (S004 §4.2.1; docs/scheduler.md). Results: 0 or a
// negative error (orrery/errors.h).
#ifndef ORRERY_PLACE_H
#define ORRERY_PLACE_H

#include <orrery/process.h>

#define PLACE_SLICE_MIN 10 // ms
#define PLACE_SLICE_MAX 640

#define PLACE_PINNED 1u   // schedulers leave its place alone: for them, the kernel does not mind
#define PLACE_UNPINNED 2u // no longer; sys_place_get never says so
#define PLACE_SERVES 4u   // said by sys_place_get alone: it has an endpoint, others may call it

// 0 in any of these: as it is; from sys_place_get: nobody has set it.
struct sys_placement {
    u64 cpus;     // mask of CPUs that the machine has
    u32 priority; // PROCESS_LOW … PROCESS_HIGH
    u32 slice_ms; // how long it keeps its CPU from its equals, rounded up to 10 ms; 10 … 640
    u32 flags;    // PLACE_*
    // Mask, some but not all of `cpus`, which is not 0 then: a server's threads do not go there,
    // but it takes the calls of these CPUs on a dispatcher there, which its library makes.
    u32 spread;
};

// Places a process. Its library gets EVENT_PLACE and moves the threads where they block, sleep or
// yield. From now on the process gets no dispatcher outside of the mask (E_PERM). Those that are
// there run at the lowest priority after 100 ms, until the mask has them again, and get no further
// calls from their CPU: those go where the mask has a dispatcher, if there is any. A placement with
// CPUs replaces `spread`, too: with 0 a spread is taken back. RIGHT_PLACE.
// E_NOENT: no such process. E_INVAL: something is out of its range, or a priority for a process
// that was made with PROCESS_SERVER. E_PEER: it is ending.
s64 sys_place(u32 pid, const struct sys_placement *placement);
// Tells how a process was placed; 0: the caller. E_PERM: another one's, without RIGHT_PLACE.
// E_NOENT, E_PEER: as above.
s64 sys_place_get(u32 pid, struct sys_placement *placement);

#endif
