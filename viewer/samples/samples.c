// SPDX-License-Identifier: MIT
// Samples in memory, and what the machine counted about them.
#include "samples/samples.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_ADDRESSES 8192

// Chains are cut from blocks, because they are many and small.
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

static struct sample_cpu *cpu_entry(struct sample_set *set, u32 cpu)
{
    while (set->cpu_count <= cpu) {
        set->cpus = memory_grow(set->cpus, set->cpu_count, &set->cpu_capacity, sizeof(*set->cpus));
        set->cpus[set->cpu_count] = (struct sample_cpu){.cpu = (u32)set->cpu_count};
        set->cpu_count++;
    }
    return set->cpus + cpu;
}

struct sample_stream *samples_stream(struct sample_set *set, u32 cpu, u32 index)
{
    if (cpu >= SAMPLE_MAX_CPUS || index >= SAMPLED_EVENTS_MAX)
        return NULL;
    return &cpu_entry(set, cpu)->streams[index];
}

// ---- what a sample stands for ------------------------------------------------------------------

static void note_period(struct sample_periods *periods, u64 period, u64 time)
{
    u64 place = periods->count++ % SAMPLE_PERIODS_KEPT;
    periods->kept[place].period = period;
    periods->kept[place].time = time;
}

void samples_begin(struct sample_set *set, const struct sampled_events *events, u64 time)
{
    set->began = time;
    for (u32 i = 0; i < events->count; i++) {
        set->periods[i].count = 0; // samples of an earlier session have their weights
        note_period(&set->periods[i], events->events[i].period, time);
        for (size_t cpu = 0; cpu < set->cpu_count; cpu++)
            memset(&set->cpus[cpu].streams[i].until, 0, sizeof(set->cpus[cpu].streams[i].until));
    }
}

u64 samples_period(const struct sample_set *set, u32 index)
{
    const struct sample_periods *periods = &set->periods[index];
    return periods->count == 0 ? 0
                               : periods->kept[(periods->count - 1) % SAMPLE_PERIODS_KEPT].period;
}

u64 samples_overflows(const struct sample_stream *stream)
{
    return stream->overflows != 0 ? stream->overflows
                                  : stream->taken + stream->lost + stream->missed;
}

static void close_period(struct sample_stream *stream, u64 period)
{
    u64 overflows = samples_overflows(stream);
    stream->until.events += (double)period * ((double)overflows - (double)stream->until.overflows);
    stream->until.taken_events +=
        (double)period * ((double)stream->taken - (double)stream->until.taken);
    stream->until.overflows = overflows;
    stream->until.taken = stream->taken;
}

void samples_change(struct sample_set *set, u32 index, u64 period, u64 time)
{
    if (index >= SAMPLED_EVENTS_MAX)
        return;
    for (size_t cpu = 0; cpu < set->cpu_count; cpu++)
        close_period(&set->cpus[cpu].streams[index], samples_period(set, index));
    note_period(&set->periods[index], period, time);
    set->changes[index]++;
}

double samples_behind(const struct sample_set *set, u32 cpu, u32 index)
{
    struct sample_stream now = set->cpus[cpu].streams[index];
    close_period(&now, samples_period(set, index));
    if (now.until.taken_events <= 0 || now.until.events < now.until.taken_events)
        return 1;
    return now.until.events / now.until.taken_events;
}

double samples_unseen(const struct sample_set *set, u32 index)
{
    double unseen = 0;
    for (size_t cpu = 0; cpu < set->cpu_count; cpu++) {
        struct sample_stream now = set->cpus[cpu].streams[index];
        close_period(&now, samples_period(set, index));
        unseen += fmax(0, now.until.events - now.until.taken_events);
    }
    return unseen;
}

double samples_unseen_error(const struct sample_set *set, u32 index)
{
    struct sample_share share = samples_share(set, index);
    return samples_unseen(set, index) / sample_share_part(&share);
}

// Returns the event's last period that had begun at the time of the sample. If the sample seems
// older than all that are kept, returns the first of them.
static u64 weight_of(const struct sample_set *set, const struct sample *sample)
{
    const struct sample_periods *periods = &set->periods[sample->index];
    u64 weight = 0;
    for (u64 i = 0; i < periods->count && i < SAMPLE_PERIODS_KEPT; i++) {
        u64 place = (periods->count - 1 - i) % SAMPLE_PERIODS_KEPT;
        weight = periods->kept[place].period;
        if (periods->kept[place].time <= sample->time)
            break;
    }
    return weight;
}

// ---- samples -----------------------------------------------------------------------------------

static void count(struct sample_totals *totals, const struct sample *sample)
{
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

void samples_add(struct sample_set *set, struct sample *sample)
{
    struct sample_stream *stream = samples_stream(set, sample->cpu, sample->index);
    if (stream == NULL)
        return;
    sample->weight = weight_of(set, sample);
    stream->received++;
    sample_sum_add(&stream->sum, sample);
    count(&set->totals, sample);
    count(&set->by_event[sample->index], sample);
    if (set->count_only)
        return;
    if (set->count == SAMPLES_MAX) {
        if (set->left_out++ == 0)
            warn("more than %u samples: later ones are counted, but not by place", SAMPLES_MAX);
        return;
    }
    set->samples = memory_grow(set->samples, set->count, &set->capacity, sizeof(*set->samples));
    struct sample *copy = set->samples + set->count++;
    *copy = *sample;
    if (copy->caller_count > SAMPLE_MAX_CALLERS)
        copy->caller_count = SAMPLE_MAX_CALLERS;
    copy->callers = copy_callers(set, sample->callers, copy->caller_count);
}

// ---- sums --------------------------------------------------------------------------------------

static void add_stream(struct sample_stream *sum, const struct sample_stream *stream)
{
    sum->received += stream->received;
    sum->lost += stream->lost;
    sum->taken += stream->taken;
    sum->filtered += stream->filtered;
    sum->lost_before += stream->lost_before;
    sum->received_before += stream->received_before;
    sum->handler_ticks += stream->handler_ticks;
    sum->missed += stream->missed;
    sum->overflows += stream->overflows;
    sum->buffer_grown += stream->buffer_grown;
}

struct sample_stream samples_sum(const struct sample_set *set, u32 cpu, u32 index)
{
    struct sample_stream sum = {0};
    for (u32 i = 0; i < set->cpu_count; i++)
        for (u32 j = 0; j < SAMPLED_EVENTS_MAX; j++)
            if ((cpu == SAMPLES_ALL || cpu == i) && (index == SAMPLES_ALL || index == j))
                add_stream(&sum, &set->cpus[i].streams[j]);
    return sum;
}

struct sample_share samples_share(const struct sample_set *set, u32 index)
{
    struct sample_share share = {0};
    for (size_t i = 0; i < set->cpu_count; i++)
        sample_share_add(&share, &set->cpus[i].streams[index].share);
    return share;
}

struct sample_sum samples_events(const struct sample_set *set, u32 index)
{
    struct sample_share share = samples_share(set, index);
    struct sample_sum sum = {0};
    for (size_t i = 0; i < set->cpu_count; i++)
        sample_sum_join(&sum, &set->cpus[i].streams[index].sum);
    sample_sum_scale(&sum, &share);
    return sum;
}

u64 samples_lost(const struct sample_set *set)
{
    return samples_sum(set, SAMPLES_ALL, SAMPLES_ALL).lost;
}

u64 samples_filtered(const struct sample_set *set)
{
    return samples_sum(set, SAMPLES_ALL, SAMPLES_ALL).filtered;
}

u64 samples_missed(const struct sample_set *set)
{
    return samples_sum(set, SAMPLES_ALL, SAMPLES_ALL).missed;
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
