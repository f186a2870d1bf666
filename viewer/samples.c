// SPDX-License-Identifier: MIT
// Samples in memory, and what the machine counted about them.
#include "samples.h"
#include "memory.h"

#include <orrery/sys.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_ADDRESSES 8192

// Chains are carved from blocks, because there are many and they are small.
struct caller_block {
    struct caller_block *next;
    size_t used;
    u64 addresses[BLOCK_ADDRESSES];
};

static u64 *copy_callers(struct sample_set *set, const u64 *callers, u32 count)
{
    if (set->callers == NULL || set->callers->used + count > BLOCK_ADDRESSES) {
        struct caller_block *block = memory_get(sizeof(*block));
        block->next = set->callers;
        set->callers = block;
    }
    u64 *place = set->callers->addresses + set->callers->used;
    set->callers->used += count;
    if (count > 0)
        memcpy(place, callers, count * sizeof(*callers));
    return place;
}

struct sample_cpu *samples_cpu(struct sample_set *set, u32 cpu)
{
    if (cpu >= SAMPLE_MAX_CPUS)
        return NULL;
    while (set->cpu_count <= cpu) {
        set->cpus = memory_grow(set->cpus, set->cpu_count, &set->cpu_capacity, sizeof(*set->cpus));
        set->cpus[set->cpu_count] = (struct sample_cpu){.cpu = (u32)set->cpu_count};
        set->cpu_count++;
    }
    return set->cpus + cpu;
}

static void count(struct sample_set *set, const struct sample *sample)
{
    struct sample_cpu *cpu = samples_cpu(set, sample->cpu);
    if (cpu == NULL)
        return;
    struct sample_totals *totals = &set->totals;
    cpu->received++;
    totals->samples++;
    totals->soft_masked += (sample->flags & SYS_SAMPLE_SOFT_MASKED) != 0;
    if ((sample->flags & SYS_SAMPLE_IDLE) != 0) {
        totals->idle++;
        return;
    }
    totals->processes += sample->pid != 0;
    totals->kernel += (sample->flags & SYS_SAMPLE_KERNEL) != 0;
    if ((sample->flags & SYS_SAMPLE_ATTRIBUTED) != 0)
        totals->attributed++;
    else if ((sample->flags & SYS_SAMPLE_STALE) != 0)
        totals->stale++;
    else
        totals->unattributed++;
}

void samples_add(struct sample_set *set, const struct sample *sample)
{
    if (sample->cpu >= SAMPLE_MAX_CPUS)
        return;
    count(set, sample);
    if (set->count_only)
        return;
    set->samples = memory_grow(set->samples, set->count, &set->capacity, sizeof(*set->samples));
    struct sample *copy = set->samples + set->count++;
    *copy = *sample;
    if (copy->caller_count > SAMPLE_MAX_CALLERS)
        copy->caller_count = SAMPLE_MAX_CALLERS;
    copy->callers = copy_callers(set, sample->callers, copy->caller_count);
}

u64 samples_lost(const struct sample_set *set)
{
    u64 lost = 0;
    for (size_t i = 0; i < set->cpu_count; i++)
        lost += set->cpus[i].lost;
    return lost;
}

u64 samples_filtered(const struct sample_set *set)
{
    u64 filtered = 0;
    for (size_t i = 0; i < set->cpu_count; i++)
        filtered += set->cpus[i].filtered;
    return filtered;
}

u64 samples_missed(const struct sample_set *set)
{
    u64 missed = 0;
    for (size_t i = 0; i < set->cpu_count; i++)
        missed += set->cpus[i].missed;
    return missed;
}

void samples_free(struct sample_set *set)
{
    while (set->callers != NULL) {
        struct caller_block *next = set->callers->next;
        free(set->callers);
        set->callers = next;
    }
    free(set->samples);
    free(set->cpus);
    *set = (struct sample_set){0};
}
