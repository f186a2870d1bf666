// SPDX-License-Identifier: MIT
// Objects that were sampled and are gone.
#include "gateway/gone.h"

static struct gone_object *set_of(struct gone_objects *gone, u32 pid, coid_t coid)
{
    u64 mixed = (coid ^ (u64)pid << 40) * 0x9e3779b97f4a7c15u;
    return &gone->slots[(mixed >> 32) % (GONE_SLOTS / GONE_WAYS) * GONE_WAYS];
}

bool gone_may_come(struct gone_objects *gone, u32 pid, coid_t coid, u64 scans)
{
    struct gone_object *set = set_of(gone, pid, coid), *slot = &set[0];
    for (u32 i = 0; i < GONE_WAYS; i++) {
        if (set[i].asked != 0 && set[i].pid == pid && set[i].coid == coid) {
            set[i].asked = ++gone->asks;
            return set[i].scans == scans;
        }
        if (set[i].asked < slot->asked)
            slot = &set[i];
    }
    *slot = (struct gone_object){.coid = coid, .pid = pid, .scans = scans, .asked = ++gone->asks};
    return true;
}
