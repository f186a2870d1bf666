// SPDX-License-Identifier: MIT
// Contention for spin locks by object, estimated from samples of larx.
#include "locks/contention.h"
#include "samples/aggregate.h"
#include "tools/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define QUANTILE_99 2.576 // of the normal distribution, two-sided, for the remainders of periods
// Instructions in one turn of a lock's loop, as in metrics.c.
#define TURN 4

// ---- totals ------------------------------------------------------------------------------------

// Returns the total of an event. Each CPU has counted its overflows exactly, and at the end it is
// somewhere between two of them. Only this remainder is a matter of chance, and after a change of
// the period the lot that says where in a period the counter begins: of a part f of one comes an
// overflow or none, with a variance of f (1 - f), at most a quarter.
static struct estimate whole_total(const struct sample_set *samples, u32 event)
{
    struct sample_sum sum = samples_events(samples, event);
    double period = sum.samples == 0 ? 0 : (double)sum.events / (double)sum.samples;
    double events = 0, cpus = 0, changes = samples->changes[event];
    for (size_t i = 0; i < samples->cpu_count; i++) {
        const struct sample_stream *stream = &samples->cpus[i].streams[event];
        events += (double)stream->sum.events * samples_behind(samples, (u32)i, event);
        bool was_sampled = false;
        for (u32 other = 0; other < CONTENTION_EVENTS; other++)
            was_sampled |= samples->cpus[i].streams[other].received != 0;
        cpus += was_sampled;
    }
    double remainder = fmin(cpus / 2, QUANTILE_99 * sqrt(cpus / 12));
    return (struct estimate){events + cpus / 2 * period,
                             hypot(remainder, QUANTILE_99 * sqrt(changes * cpus / 4)) * period};
}

// ---- rows --------------------------------------------------------------------------------------

static struct contention_row *row_of(struct contention *contention, const char *object,
                                     const struct aggregate_row *from)
{
    for (size_t i = 0; i < contention->count; i++)
        if (strcmp(contention->rows[i].object, object) == 0)
            return &contention->rows[i];
    contention->rows = memory_grow(contention->rows, contention->count, &contention->capacity,
                                   sizeof(*contention->rows));
    struct contention_row *row = &contention->rows[contention->count++];
    *row = (struct contention_row){
        .object = memory_copy_text(object), .pid = from->pid, .coid = from->coid};
    return row;
}

// Returns which part of the events of all CPUs has no sample.
static double unseen_part(const struct sample_set *samples, u32 event)
{
    double unseen = samples_unseen(samples, event), seen = 0;
    for (size_t i = 0; i < samples->cpu_count; i++)
        seen += (double)samples->cpus[i].streams[event].sum.events;
    return unseen <= 0 ? 0 : unseen / (unseen + seen);
}

// Returns how far off a part of `all` may be because of events that have no sample. They were added
// in proportion, but may all have been of this part, or none of them.
static double unseen_error(double events, double all, double unseen)
{
    return unseen * fmax(events, all - events);
}

// `all` of the event are in the rows, a part `unseen` of them without a sample.
static void add_event(struct contention_row *row, u32 event, double all, double unseen)
{
    double events = (double)row->sum.events;
    double chance = samples_error(row->sum.square);
    double error = chance + unseen_error(events, all, unseen);
    if (event == CONTENTION_LARX) {
        row->samples = row->sum.samples;
        row->larx = (struct estimate){events, error};
        row->chance.larx = chance;
    } else {
        row->acquisitions.value += event == CONTENTION_STCX ? events : -events;
        row->acquisitions.error = hypot(row->acquisitions.error, error);
    }
}

static void add_cpu(struct contention *contention, const struct sample_set *samples, u32 event,
                    u32 cpu, const struct snapshot *snapshot)
{
    struct aggregate aggregate = {.snapshot = snapshot,
                                  .sort = {.keys = {SORT_OBJECT}, .count = 1}};
    double factor = samples_behind(samples, cpu, event);
    for (size_t i = 0; i < samples->count; i++)
        if (samples->samples[i].index == event && samples->samples[i].cpu == cpu)
            aggregate_add(&aggregate, &samples->samples[i]); // not scaled yet
    aggregate_order(&aggregate);
    for (size_t i = 0; i < aggregate.count; i++) {
        struct aggregate_row *from = &aggregate.rows[i];
        const char *object = aggregate_text(&aggregate, from->texts[0]);
        sample_sum_weigh(&from->sum, factor);
        sample_sum_join(&row_of(contention, object, from)->sum, &from->sum);
    }
    aggregate_free(&aggregate);
}

static bool is_idle_row(const struct contention_row *row)
{
    return strcmp(row->object, "[idle]") == 0;
}

// Returns what shares of the event are of.
static struct share_base add_rows(struct contention *contention, const struct sample_set *samples,
                                  u32 event, const struct snapshot *snapshot)
{
    struct sample_share share = samples_share(samples, event);
    struct share_base base = {0};
    double all = 0, unseen = unseen_part(samples, event);
    for (u32 cpu = 0; cpu < samples->cpu_count; cpu++)
        if (samples->cpus[cpu].streams[event].received != 0)
            add_cpu(contention, samples, event, cpu, snapshot);
    for (size_t i = 0; i < contention->count; i++) {
        sample_sum_scale(&contention->rows[i].sum, &share);
        all += (double)contention->rows[i].sum.events;
    }
    for (size_t i = 0; i < contention->count; i++) {
        struct contention_row *row = &contention->rows[i];
        add_event(row, event, all, unseen);
        share_base_add(&base, is_idle_row(row), (double)row->sum.events, row->sum.square);
        row->sum = (struct sample_sum){0};
    }
    return base;
}

static int compare(const void *left, const void *right)
{
    const struct contention_row *a = left, *b = right;
    if (a->larx.value != b->larx.value)
        return a->larx.value > b->larx.value ? -1 : 1;
    return strcmp(a->object, b->object);
}

static void finish(struct contention *contention, const struct share_base *base, double unseen)
{
    for (size_t i = 0; i < contention->count; i++) {
        struct contention_row *row = &contention->rows[i];
        bool idle = is_idle_row(row);
        double all = base->busy + (idle ? base->idle : 0);
        row->share = share_base_share(base, idle, row->larx.value, row->samples != 0);
        row->chance.share = row->share.error;
        if (all > 0)
            row->share.error += 100 * unseen_error(row->larx.value, all, unseen) / all;
        row->instructions =
            estimate_ratio(row->larx, contention->totals[CONTENTION_INSTRUCTIONS], 100 * TURN);
    }
    if (contention->count > 1)
        qsort(contention->rows, contention->count, sizeof(*contention->rows), compare);
}

void contention_compute(const struct sample_set *samples, u32 events, bool filtered,
                        const struct snapshot *snapshot, struct contention *contention)
{
    struct share_base base = {0};
    *contention = (struct contention){0};
    for (u32 event = 0; event < events; event++) {
        bool in_part = filtered || samples_share(samples, event).total != 0;
        struct sample_sum sum = samples_events(samples, event);
        contention->totals[event] =
            in_part ? (struct estimate){(double)sum.events, samples_error(sum.square)}
                    : whole_total(samples, event);
    }
    contention->metric = estimate_ratio(contention->totals[CONTENTION_LARX],
                                        contention->totals[CONTENTION_INSTRUCTIONS], 100 * TURN);
    for (u32 event = 0; event < events; event++) {
        if (event == CONTENTION_LARX)
            base = add_rows(contention, samples, event, snapshot);
        else if (event != CONTENTION_INSTRUCTIONS)
            add_rows(contention, samples, event, snapshot);
    }
    finish(contention, &base, unseen_part(samples, CONTENTION_LARX));
}

void contention_free(struct contention *contention)
{
    for (size_t i = 0; i < contention->count; i++)
        free(contention->rows[i].object);
    free(contention->rows);
    *contention = (struct contention){0};
}
