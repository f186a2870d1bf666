// SPDX-License-Identifier: MIT
// Objects that were sampled and are gone. An object that the last scan did not see may be new, so a
// scan looks for it. If that did not see it either, no further scan will.
#ifndef KOV_GONE_H
#define KOV_GONE_H

#include <orrery/types.h>
#include <stdbool.h>

#define GONE_SLOTS 4096
#define GONE_WAYS 8 // slots that an object may take

struct gone_objects {
    // By a hash of both numbers. An object without a free slot takes that of the object in its set
    // that was asked for longest ago. That one is looked for again, by one scan each time that it
    // comes back: only where more objects that are gone are sampled than there are slots for.
    struct gone_object {
        coid_t coid;
        u32 pid;
        u64 scans; // when it was missed first
        u64 asked; // when it was asked for last, in asks; 0: the slot is free
    } slots[GONE_SLOTS];
    u64 asks;
};

// Notes that an object was not seen by the latest of so many scans. Returns whether the next scan
// may see it.
bool gone_may_come(struct gone_objects *gone, u32 pid, coid_t coid, u64 scans);

#endif
