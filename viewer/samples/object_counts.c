// SPDX-License-Identifier: MIT
// Counts of hardware events by object, estimated from samples.
#include "samples/object_counts.h"
#include "samples/sample_names.h"
#include "tools/memory.h"

#include <orrery/sys.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void object_counts_begin(struct object_counts *counts, const struct sampled_events *events)
{
    *counts = (struct object_counts){.request = {.item_count = events->count, .set_count = 1}};
    for (u32 i = 0; i < events->count; i++) {
        struct event_info *info = &counts->events[i];
        snprintf(info->name, sizeof(info->name), "%.*s", (int)sizeof(info->name) - 1,
                 events->events[i].name);
        counts->request.items[i] = (struct count_item){info, events->events[i].mode, 0};
    }
}

static struct object_row *row_of(struct object_counts *counts, const struct sample *sample)
{
    char key[64];
    struct object_row row = {.missing = sample_missing_object(sample), .pid = sample_space(sample)};
    row.coid = row.missing == NULL ? sample->coid : 0;
    snprintf(key, sizeof(key), "%" PRIu32 " %" PRIx64 " %s", row.pid, row.coid,
             row.missing == NULL ? "" : row.missing);
    u32 number = intern_text(&counts->keys, key);
    if (number == counts->count) {
        counts->rows =
            memory_grow(counts->rows, counts->count, &counts->capacity, sizeof(*counts->rows));
        counts->rows[counts->count++] = row;
    }
    return &counts->rows[number];
}

void object_counts_add(struct object_counts *counts, const struct sample *sample)
{
    if (sample->index >= counts->request.item_count)
        return;
    sample_sum_add(&row_of(counts, sample)->sums[sample->index], sample);
    sample_sum_add(&counts->totals[sample->index], sample);
    if ((sample->flags & SYS_SAMPLE_IDLE) != 0)
        sample_sum_add(&counts->idle[sample->index], sample);
}

static int compare(const void *left, const void *right)
{
    const struct object_row *a = left, *b = right;
    for (u32 i = 0; i < SAMPLED_EVENTS_MAX; i++)
        if (a->sums[i].events != b->sums[i].events)
            return a->sums[i].events > b->sums[i].events ? -1 : 1;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return (a->coid > b->coid) - (a->coid < b->coid);
}

// Sorts the rows. Their keys may not fit them any more, so nothing may be added after this.
void object_counts_order(struct object_counts *counts, const struct sample_share shares[])
{
    for (u32 event = 0; event < counts->request.item_count; event++) {
        sample_sum_scale(&counts->totals[event], &shares[event]);
        sample_sum_scale(&counts->idle[event], &shares[event]);
        for (size_t i = 0; i < counts->count; i++)
            sample_sum_scale(&counts->rows[i].sums[event], &shares[event]);
    }
    if (counts->count > 1)
        qsort(counts->rows, counts->count, sizeof(*counts->rows), compare);
}

double object_counts_share(const struct object_counts *counts, const struct object_row *row,
                           u32 event)
{
    bool idle = row->missing != NULL && strcmp(row->missing, "[idle]") == 0;
    u64 all = counts->totals[event].events - (idle ? 0 : counts->idle[event].events);
    return all == 0 ? 0 : 100 * (double)row->sums[event].events / (double)all;
}

bool object_counts_metric(const struct object_counts *counts, const struct object_row *row,
                          const struct metric *metric, enum count_mode mode,
                          struct metric_value *value)
{
    struct count estimates[COUNT_ITEMS_MAX];
    for (u32 i = 0; i < counts->request.item_count; i++)
        estimates[i] = sample_sum_count(&row->sums[i]);
    return metric_compute(metric, &counts->request, estimates, mode, value);
}

void object_counts_free(struct object_counts *counts)
{
    free(counts->rows);
    intern_free(&counts->keys);
    *counts = (struct object_counts){0};
}
