// SPDX-License-Identifier: MIT
// What a process holds of memory that others made: by a capability, or mapped. It counts towards
// the holder's limit, once however often it is held. Memory of a process with rights that processes
// without any hold has a limit of its own, for all of them together: it is in the account of one
// that may have the last pages, and they could keep it for as long as they like.
#ifndef KERNEL_MEM_HOLDING_H
#define KERNEL_MEM_HOLDING_H

#include <kernel/spinlock.h>

#define HOLDING_LISTS 8
#define LENT_PART 8 // 1/8 of all memory: what all processes without rights hold of others'

struct fcm;
struct holding;
struct pm;

// In each PM, by memory object.
struct holdings {
    struct spinlock lock;
    struct holding *lists[HOLDING_LISTS];
};

void holdings_init(struct holdings *holdings);
// Begins to hold an object, once for each capability and each region. E_LIMIT: more than the
// holder, or all such holders, may; E_NOMEM. Then nothing has changed. Thread context, no lock
// held.
s64 holding_begin(struct pm *pm, struct fcm *fcm);
// The caller still has a reference to the object.
void holding_end(struct pm *pm, struct fcm *fcm);

#endif
