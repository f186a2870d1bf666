// SPDX-License-Identifier: MIT
// The five metrics over time, counted on every CPU.
#include "gateway/metric_counts.h"
#include "counts/event_configuration.h"
#include "tools/clock.h"

#include <math.h>
#include <string.h>

static int start(struct metric_counts *counts, const struct event_list *list)
{
    struct configuration configuration;
    int code = configuration_load("metrics", &configuration);
    if (code != KOV_OK)
        return code;
    struct count_options options = {.sets = configuration_count_sets(&configuration)};
    counts->refused = count_request_parse(&options, list, &counts->request) != KOV_OK;
    counts->request.yielding = true;
    if (counts->refused)
        return KOV_OK;
    memset(counts->totals, 0, sizeof(counts->totals)); // its items may be others
    memset(counts->squares, 0, sizeof(counts->squares));
    counts->seconds = 0;
    u64 begun;
    code = counting_start(&counts->request, &begun);
    counts->running = code == KOV_OK;
    counts->has_last = false;
    return code == KOV_CONNECTION ? code : KOV_OK; // refused: for now others have the counters
}

static void note(struct metric_counts *counts, struct history *history, u32 cpu)
{
    for (u32 i = 0; i < metric_count; i++) {
        struct metric_value value =
            metric_of_interval(&metrics[i], &counts->request, &counts->between, cpu, COUNT_ALL);
        history_metric(history, i, cpu, history_ns(history, counts->now.time), &value);
    }
}

static void add_up(struct metric_counts *counts, const struct history *history)
{
    for (u32 i = 0; i < counts->request.item_count; i++) {
        struct count more = count_total(&counts->between, i);
        bool known = more.error != COUNT_ERROR_UNKNOWN;
        counts->totals[i] += (double)more.count;
        counts->squares[i] += known ? (double)more.error * (double)more.error : NAN;
    }
    counts->seconds +=
        (history_ns(history, counts->now.time) - history_ns(history, counts->last.time)) / 1e9;
}

static int read_counts(struct metric_counts *counts, struct history *history)
{
    int code = counting_read(&counts->request, &counts->now);
    // If it has ended for another client, what was counted until then is the last that is known.
    counts->running = code == KOV_OK && !counts->now.displaced;
    if (code != KOV_OK) // stale: it has ended, and others have its place
        return code == KOV_CONNECTION ? code : KOV_OK;
    history_counts(history, &counts->request, !counts->has_last, &counts->now);
    if (counts->has_last) {
        count_reading_between(&counts->last, &counts->now, &counts->between);
        add_up(counts, history);
        note(counts, history, ALL_CPUS);
        for (u32 i = 0; i < counts->between.cpu_count; i++)
            note(counts, history, counts->between.cpus[i].cpu);
    } else {
        counts->due -= METRIC_COUNTS_SECONDS - METRIC_COUNTS_FIRST;
    }
    counts->last = counts->now;
    counts->has_last = true;
    return KOV_OK;
}

int metric_counts_attend(struct metric_counts *counts, const struct event_list *list,
                         struct history *history)
{
    double now = clock_now();
    counts->watched = now;
    if (counts->refused || history == NULL || now < counts->due)
        return KOV_OK;
    counts->due = now + METRIC_COUNTS_SECONDS;
    int code = counts->running ? KOV_OK : start(counts, list);
    return code == KOV_OK && counts->running ? read_counts(counts, history) : code;
}

int metric_counts_rest(struct metric_counts *counts)
{
    if (!counts->running || clock_now() < counts->watched + METRIC_COUNTS_IDLE)
        return KOV_OK;
    counts->running = false;
    return counting_stop(&counts->request, &counts->now);
}

void metric_counts_reset(struct metric_counts *counts)
{
    *counts = (struct metric_counts){0};
}
