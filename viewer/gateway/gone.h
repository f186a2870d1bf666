// SPDX-License-Identifier: MIT
// Objects that were sampled and are gone. An object that the last scan did not see may be new, so a
// scan looks for it. If that did not see it either, no further scan will.
#ifndef KOV_GONE_H
#define KOV_GONE_H

#include <orrery/types.h>
#include <stdbool.h>

#define GONE_SLOTS 1024 // a power of two

struct gone_objects {
    // By a hash of both numbers. A later object takes the slot of an earlier one, for which there
    // may then be one scan more.
    struct gone_object {
        coid_t coid;
        u32 pid;
        u64 scans; // when it was missed first, plus 1; 0: the slot is free
    } slots[GONE_SLOTS];
};

// Notes that an object was not seen by the latest of so many scans. Returns whether the next scan
// may see it.
bool gone_may_come(struct gone_objects *gone, u32 pid, coid_t coid, u64 scans);

#endif
