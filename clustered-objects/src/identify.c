// SPDX-License-Identifier: MIT
// Finds the object of a sampled representative. Not part of user programs: the kernel reads theirs.
#include "internal.h"

coid_t co_rep_to_coid(u64 rep_address, u32 cpu, enum co_rep_state *state)
{
    struct co_rep rep;
    *state = CO_REP_NONE;
    if (rep_address % 8 != 0 || !co_cpu_known(cpu) ||
        co_platform_safe_read(&rep, rep_address, sizeof(rep)) != 0 || rep.magic != CO_REP_MAGIC ||
        !co_well_formed(rep.coid))
        return 0;
    *state = CO_REP_STALE;
    struct co_chunk *chunk = co_gtt_find_live(rep.coid);
    if (chunk == NULL)
        return 0;
    const struct co_root *root = chunk->entries[co_index(rep.coid)].root;
    if (__atomic_load_n(co_ltt_entry(cpu, rep.coid), __ATOMIC_RELAXED) != rep_address &&
        !co_rep_in_use(root, (const struct co_rep *)rep_address))
        return 0;
    *state = CO_REP_LIVE;
    return rep.coid;
}
