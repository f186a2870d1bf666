// SPDX-License-Identifier: MIT
// Objects that were sampled and are gone.
#include "gateway/gone.h"

static struct gone_object *slot_of(struct gone_objects *gone, u32 pid, coid_t coid)
{
    u64 mixed = (coid ^ (u64)pid << 40) * 0x9e3779b97f4a7c15u;
    return &gone->slots[(mixed >> 32) % GONE_SLOTS];
}

bool gone_may_come(struct gone_objects *gone, u32 pid, coid_t coid, u64 scans)
{
    struct gone_object *slot = slot_of(gone, pid, coid);
    if (slot->scans == 0 || slot->pid != pid || slot->coid != coid)
        *slot = (struct gone_object){.coid = coid, .pid = pid, .scans = scans + 1};
    return slot->scans == scans + 1;
}
