// SPDX-License-Identifier: MIT
// DREF counting: switching the hooks, reading the counts.
#include "internal.h"
#include <orrery/sys.h>

static u64 users; // guarded by the patch batch

static void patch_sites(bool on)
{
    u64 count;
    const struct co_dref_site *sites = co_platform_dref_sites(&count);
    for (u64 i = 0; i < count; i++) {
        if (on)
            co_platform_patch_branch(sites[i].site, sites[i].stub);
        else
            co_platform_patch_nop(sites[i].site);
    }
}

s64 co_dref_enable(bool on)
{
    s64 error = on ? co_ltt_map_counts() : 0;
    if (error != 0)
        return error;
    co_platform_patch_begin();
    if (on && users++ == 0)
        patch_sites(true);
    else if (!on && users == 0)
        error = E_INVAL;
    else if (!on && --users == 0)
        patch_sites(false);
    co_platform_patch_end();
    return error;
}

// Copies the counts of one object from CPU *cpu on, and advances *out. Returns false if it is full,
// with *cpu where to continue. An object misses once on a CPU: then that has a rep.
static bool read_object(const struct co_root *root, u32 *cpu, struct sys_dref_count **out,
                        const struct sys_dref_count *end)
{
    bool counted = co_ltt_has_counts();
    for (*cpu = co_cpu_from(*cpu); *cpu < ORRERY_MAX_CPUS; *cpu = co_cpu_from(*cpu + 1)) {
        const u64 *count = &co_counts_of(*cpu, root->coid)->invocations;
        u64 invocations = counted ? __atomic_load_n(count, __ATOMIC_RELAXED) : 0;
        u64 misses = __atomic_load_n(&root->reps[*cpu], __ATOMIC_RELAXED) != NULL;
        if (invocations == 0 && misses == 0)
            continue;
        if (*out == end)
            return false;
        *(*out)++ = (struct sys_dref_count){
            .coid = root->coid, .cpu = *cpu, .invocations = invocations, .misses = misses};
    }
    *cpu = 0;
    return true;
}

// Finds the next live object at or after *coid. Returns its root, which stays until the caller's
// generation ends, or NULL if there is none before end_page.
static const struct co_root *next_live(coid_t *coid, u64 end_page)
{
    struct co_chunk *chunk;
    while ((chunk = co_gtt_next(*coid >> CO_PAGE_SHIFT)) != NULL && chunk->page < end_page) {
        u32 index = chunk->page == *coid >> CO_PAGE_SHIFT ? co_index(*coid) : 0;
        while (index < CO_PER_PAGE && !co_live(chunk, index))
            index++;
        *coid = co_coid(chunk, index);
        if (index < CO_PER_PAGE)
            return chunk->entries[index].root;
    }
    return NULL;
}

s64 co_dref_read(u64 *cursor, void *buffer, u64 bytes)
{
    struct co_cursor place = co_cursor_open(*cursor);
    coid_t coid = ALIGN_DOWN(place.next, (u64)R13_LTT_ENTRY_SIZE);
    u32 cpu = place.next % R13_LTT_ENTRY_SIZE;
    struct sys_dref_count *out = buffer;
    const struct sys_dref_count *end = out + bytes / sizeof(*out);
    if (out == end)
        return E_INVAL;
    coid_t resume = coid;
    const struct co_root *root;
    while ((root = next_live(&coid, place.end_page)) != NULL) {
        if (coid != resume)
            cpu = 0;
        if (!read_object(root, &cpu, &out, end))
            break;
        resume = coid += R13_LTT_ENTRY_SIZE;
    }
    place.next = coid | cpu;
    *cursor = co_cursor_close(place);
    return (char *)out - (char *)buffer;
}
