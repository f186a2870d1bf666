// SPDX-License-Identifier: MIT
// Ranks objects, classes or processes by their part of an event. A row adds up its sites CPU by
// CPU, because each CPU has its own factor for overflows without a sample, and its own turns.
#include "samples/ranking.h"
#include "samples/sample_names.h"
#include "samples/site_parts.h"
#include "tools/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct estimate ranking_estimate(const struct sample_sum *sum)
{
    return (struct estimate){(double)sum->events, samples_error(sum->square)};
}

// ---- names -------------------------------------------------------------------------------------

static bool has_row(const struct site *site, enum ranking_by by)
{
    if (site->kind == SITE_PROCESS || site->kind == SITE_OTHER_PROCESSES)
        return by == RANKING_PROCESS;
    if (site->kind == SITE_IDLE)
        return true;
    if (site->kind == SITE_STACK || site->kind == SITE_OTHER_STACKS)
        return false; // the same samples as in objects
    return site->kind != SITE_ALL && by != RANKING_PROCESS;
}

static bool is_hidden(const struct ranking_hidden *hidden, const struct site *site)
{
    if (site->kind == SITE_IDLE || site->kind == SITE_OTHER_PROCESSES ||
        site->kind == SITE_OTHER_OBJECTS)
        return false;
    for (u32 i = 0; i < hidden->count; i++)
        if (hidden->pids[i] == site->pid)
            return true;
    return false;
}

// Writes the name that the tables of samples use.
static void name_of(const struct site *site, enum ranking_by by, const struct snapshot *snapshot,
                    char name[SAMPLE_NAME_BYTES])
{
    static const u32 flags[] = {[SITE_IDLE] = SYS_SAMPLE_IDLE,
                                [SITE_STALE] = SYS_SAMPLE_STALE,
                                [SITE_OBJECT] = SYS_SAMPLE_ATTRIBUTED,
                                [SITE_OTHER_OBJECTS] = 0};
    struct sample sample = {.coid = site->coid,
                            .pid = site->pid,
                            .flags = flags[site->kind] | (site->pid == 0 ? SYS_SAMPLE_KERNEL : 0)};
    if (site->kind == SITE_OTHER_PROCESSES || site->kind == SITE_OTHER_OBJECTS)
        snprintf(name, SAMPLE_NAME_BYTES, "[others]");
    else if (by == RANKING_PROCESS)
        sample_process_name(snapshot, &sample, name);
    else if (by == RANKING_CLASS)
        sample_class_name(snapshot, &sample, name);
    else
        sample_object_name(snapshot, &sample, name);
    if (by == RANKING_SITE && (site->kind == SITE_NONE || site->kind == SITE_STALE))
        snprintf(name, SAMPLE_NAME_BYTES, "%s of process %" PRIu32,
                 site->kind == SITE_NONE ? "[none]" : "[stale]", site->pid);
}

// ---- rows --------------------------------------------------------------------------------------

// All rows of an interval, by the number of their name.
struct table {
    const struct site_sums *sums;
    u32 event;
    const struct ranking_hidden *hidden;
    struct site_parts *rows;
    size_t count, capacity;
    struct site_parts all;
    struct sample_sum *row_sums; // scaled
    struct share_base base;
};

static struct site_parts *parts_of(struct table *table, u32 row)
{
    while (table->count <= row) {
        table->rows =
            memory_grow(table->rows, table->count, &table->capacity, sizeof(*table->rows));
        table->rows[table->count++] = (struct site_parts){0};
    }
    return &table->rows[row];
}

static u32 row_number(struct ranking *ranking, const struct site *site, bool hides,
                      enum ranking_by by, const struct snapshot *snapshot)
{
    static const struct site hidden = {.kind = SITE_OTHER_OBJECTS};
    char name[SAMPLE_NAME_BYTES];
    if (hides) {
        snprintf(name, sizeof(name), "%s", RANKING_HIDDEN_NAME);
        site = &hidden;
    } else {
        name_of(site, by, snapshot, name);
    }
    u32 number = intern_text(&ranking->names, name);
    if (number == ranking->count) {
        ranking->rows =
            memory_grow(ranking->rows, ranking->count, &ranking->capacity, sizeof(*ranking->rows));
        ranking->rows[ranking->count++] =
            (struct ranking_row){.kind = site->kind, .pid = site->pid, .coid = site->coid};
    }
    return number;
}

static void collect(struct table *table, struct ranking *ranking, enum ranking_by by,
                    const struct snapshot *snapshot)
{
    for (size_t i = 0; i < table->sums->count; i++) {
        const struct site_sum *site = &table->sums->sums[i];
        if (site->site.event != table->event)
            continue;
        if (site->site.kind == SITE_ALL)
            site_parts_add(&table->all, site);
        else if (has_row(&site->site, by))
            site_parts_add(
                parts_of(table, row_number(ranking, &site->site,
                                           is_hidden(table->hidden, &site->site), by, snapshot)),
                site);
    }
}

static void add_up(struct table *table, const struct ranking *ranking)
{
    table->row_sums = memory_get(ranking->count * sizeof(*table->row_sums));
    for (u32 i = 0; i < ranking->count; i++) {
        struct sample_sum *sum = &table->row_sums[i];
        *sum = site_parts_sum(parts_of(table, i), &table->all, table->sums, table->event);
        share_base_add(&table->base, ranking->rows[i].kind == SITE_IDLE, (double)sum->events,
                       sum->square);
    }
}

// Of what was counted there are no samples: its share is exact.
static struct estimate share_in(const struct table *table, const struct ranking *ranking,
                                size_t row)
{
    const struct sample_sum *sum = &table->row_sums[row];
    return share_base_share(&table->base, ranking->rows[row].kind == SITE_IDLE, (double)sum->events,
                            sum->samples != 0 || sum->events != 0);
}

static void free_table(struct table *table)
{
    free(table->rows);
    free(table->row_sums);
}

static void fill_rows(struct ranking *ranking, const struct table *now)
{
    ranking->covered = site_sums_covered(now->sums, now->event);
    ranking->events = (struct estimate){now->base.busy, samples_error(now->base.busy_square)};
    for (size_t i = 0; i < ranking->count; i++) {
        const struct sample_sum *sum = &now->row_sums[i];
        struct ranking_row *row = &ranking->rows[i];
        row->name = ranking->names.texts[i];
        row->samples = sum->samples;
        row->events = ranking_estimate(sum);
        row->share = share_in(now, ranking, i);
        ranking->samples += row->kind == SITE_IDLE ? 0 : sum->samples;
    }
}

// Samples of unequal weight, and of the same turn, say as much as fewer equal ones.
static struct share_sample equal_samples(const struct table *table, bool idle, size_t row)
{
    const struct share_base *base = &table->base;
    double all = base->busy + (idle ? base->idle : 0);
    double square = base->busy_square + (idle ? base->idle_square : 0);
    double samples = all > 0 ? round(all * all / square) : 0;
    double events = (double)table->row_sums[row].events;
    return (struct share_sample){all > 0 ? round(events / all * samples) : 0, samples};
}

// Returns how many events an equal sample stands for. A row without samples has the weight that all
// together have; 0: not known.
static double equal_weight(const struct table *table, bool idle, size_t row)
{
    const struct sample_sum *sum = &table->row_sums[row];
    const struct share_base *base = &table->base;
    double all = base->busy + (idle ? base->idle : 0);
    double square = base->busy_square + (idle ? base->idle_square : 0);
    if (sum->events > 0)
        return sum->square / (double)sum->events;
    return all > 0 ? square / all : 0;
}

static void compare_rate(struct ranking *ranking, size_t index, const struct table *now,
                         const struct table *before)
{
    struct ranking_row *row = &ranking->rows[index];
    bool idle = row->kind == SITE_IDLE;
    double events = row->events.value, events_before = row->events_before.value;
    double weight = equal_weight(now, idle, index), other = equal_weight(before, idle, index);
    double time = (double)ranking->covered, time_before = (double)ranking->covered_before;
    if (row->events.error == 0 && row->events_before.error == 0 &&
        (events > 0 || events_before > 0) && time > 0 && time_before > 0) { // both are counted
        row->rate_chance = events * time_before == events_before * time;
        return;
    }
    weight = weight > 0 ? weight : other; // nothing at all was sampled on one side
    other = other > 0 ? other : weight;
    const struct rate_sample to = {round(events / weight), time / weight},
                             from = {round(events_before / other), time_before / other};
    row->rate_chance = !(weight > 0) || rate_chance(&from, &to) >= SHARE_CHANCE;
}

static void compare_row(struct ranking_row *row, const struct table *now,
                        const struct table *before, size_t index)
{
    bool idle = row->kind == SITE_IDLE;
    const struct share_sample to = equal_samples(now, idle, index),
                              from = equal_samples(before, idle, index);
    row->change = estimate_change(row->before, row->share);
    if (isinf(to.samples) || isinf(from.samples)) { // one is counted, with no chance in it
        row->chance = estimate_is_chance(row->change);
        return;
    }
    row->change.error = share_change(&from, &to).error;
    row->chance = share_chance(&from, &to) >= SHARE_CHANCE;
}

static void compare_with(struct ranking *ranking, const struct table *now,
                         const struct table *before)
{
    ranking->covered_before = site_sums_covered(before->sums, before->event);
    for (size_t i = 0; i < ranking->count; i++) {
        struct ranking_row *row = &ranking->rows[i];
        row->before = share_in(before, ranking, i);
        row->events_before = ranking_estimate(&before->row_sums[i]);
        compare_row(row, now, before, i);
        compare_rate(ranking, i, now, before);
    }
}

// Computes what is lost. Each overflow without a sample stands for as much as one with a sample.
static void fill_lost(struct ranking *ranking, const struct table *table)
{
    u64 overflows = 0, samples = 0, events = 0;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        samples += table->all.cpus[cpu].samples;
        events += table->all.cpus[cpu].events;
    }
    for (size_t i = 0; i < table->sums->stream_count; i++) {
        const struct site_stream *stream = &table->sums->streams[i];
        if (stream->event != table->event)
            continue;
        ranking->lost += stream->counts.lost;
        ranking->missed += stream->counts.missed;
        overflows += stream->counts.taken + stream->counts.lost + stream->counts.missed;
    }
    struct sample_share share = site_sums_share(table->sums, table->event);
    double gone = (double)(ranking->lost + ranking->missed);
    if (samples != 0)
        ranking->lost_events = gone * (double)events / (double)samples / sample_share_part(&share);
    if (overflows != 0)
        ranking->lost_share = 100 * gone / (double)overflows;
}

static int compare_rows(const void *left, const void *right)
{
    const struct ranking_row *a = left, *b = right;
    if (a->events.value != b->events.value)
        return a->events.value > b->events.value ? -1 : 1;
    return strcmp(a->name, b->name);
}

void ranking_compute(const struct site_sums *sums, const struct site_sums *baseline, u32 event,
                     enum ranking_by by, const struct snapshot *snapshot, struct ranking *ranking)
{
    static const struct ranking_hidden nothing;
    ranking_compute_hiding(sums, baseline, event, by, snapshot, &nothing, ranking);
}

void ranking_compute_hiding(const struct site_sums *sums, const struct site_sums *baseline,
                            u32 event, enum ranking_by by, const struct snapshot *snapshot,
                            const struct ranking_hidden *hidden, struct ranking *ranking)
{
    struct table now = {.sums = sums, .event = event, .hidden = hidden},
                 before = {.sums = baseline, .event = event, .hidden = hidden};
    *ranking = (struct ranking){0};
    collect(&now, ranking, by, snapshot);
    if (baseline != NULL)
        collect(&before, ranking, by, snapshot);
    add_up(&now, ranking);
    fill_rows(ranking, &now);
    if (baseline != NULL) {
        add_up(&before, ranking);
        compare_with(ranking, &now, &before);
    }
    fill_lost(ranking, &now);
    if (ranking->count > 1)
        qsort(ranking->rows, ranking->count, sizeof(*ranking->rows), compare_rows);
    free_table(&now);
    free_table(&before);
}

void ranking_free(struct ranking *ranking)
{
    free(ranking->rows);
    intern_free(&ranking->names);
    *ranking = (struct ranking){0};
}

// ---- one thing ---------------------------------------------------------------------------------

static bool is_of(const struct site *site, const struct ranking_thing *thing,
                  const struct snapshot *snapshot)
{
    char name[SAMPLE_NAME_BYTES];
    if (thing->by == RANKING_CLASS && thing->kind != SITE_ALL) {
        if (!has_row(site, RANKING_CLASS))
            return false;
        name_of(site, RANKING_CLASS, snapshot, name);
        return strcmp(name, thing->class_name) == 0;
    }
    return site->kind == thing->kind && site->pid == thing->pid && site->coid == thing->coid;
}

bool ranking_thing(const struct site_sums *sums, u32 event, const struct ranking_thing *thing,
                   const struct snapshot *snapshot, struct sample_sum *sum)
{
    struct site_parts parts = {0}, all = {0};
    *sum = (struct sample_sum){0};
    if (!site_sums_sampled(sums, event))
        return false;
    for (size_t i = 0; i < sums->count; i++) {
        const struct site_sum *site = &sums->sums[i];
        if (site->site.event != event)
            continue;
        if (site->site.kind == SITE_ALL)
            site_parts_add(&all, site);
        if (is_of(&site->site, thing, snapshot))
            site_parts_add(&parts, site);
    }
    *sum = site_parts_sum(&parts, &all, sums, event);
    return true;
}

static u32 find_event(const struct sampled_event *events, u32 count, const char *name,
                      enum count_mode mode)
{
    for (u32 i = 0; i < count; i++)
        if (events[i].mode == mode && strcmp(events[i].name, name) == 0)
            return i;
    return count;
}

struct metric_value ranking_metric(const struct site_sums *sums, const struct sampled_event *events,
                                   u32 event_count, const struct metric *metric,
                                   enum count_mode mode, const struct ranking_thing *thing,
                                   const struct snapshot *snapshot)
{
    const struct metric_value unknown = {NAN, NAN, NAN, 0};
    struct event_info infos[METRIC_TERMS + 1] = {0};
    struct count counts[METRIC_TERMS + 1];
    struct count_request request = {.set_count = 1};
    struct metric_value value;
    double measured = 1;
    for (u32 i = 0; i <= METRIC_TERMS; i++) {
        const char *name = i < METRIC_TERMS ? metric->terms[i].event : metric->divisor;
        struct sample_sum sum;
        if (name == NULL)
            continue;
        u32 event = find_event(events, event_count, name, mode), item = request.item_count++;
        if (event == event_count || !ranking_thing(sums, event, thing, snapshot, &sum))
            return unknown;
        snprintf(infos[item].name, sizeof(infos[item].name), "%s", name);
        request.items[item] = (struct count_item){&infos[item], mode, 0};
        counts[item] = sample_sum_count(&sum);
        struct sample_share share = site_sums_share(sums, event);
        measured = fmin(measured, sample_share_part(&share));
    }
    if (!metric_compute(metric, &request, counts, mode, &value))
        return unknown;
    value.error = value.error < 0 ? NAN : value.error;
    value.measured = measured;
    return value;
}
