// SPDX-License-Identifier: MIT
// The difference of two readings of DREF counts.
#include "counts/dref.h"
#include "tools/memory.h"

#include <stdlib.h>

int dref_compare(const void *left, const void *right)
{
    const struct dref_count *a = left, *b = right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->coid != b->coid)
        return a->coid < b->coid ? -1 : 1;
    return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static struct dref_row *row_of(struct dref_difference *difference, u32 pid, coid_t coid)
{
    const struct dref_row *last =
        difference->count == 0 ? NULL : &difference->rows[difference->count - 1];
    if (last == NULL || last->pid != pid || last->coid != coid) {
        difference->rows = memory_grow(difference->rows, difference->count, &difference->capacity,
                                       sizeof(*difference->rows));
        difference->rows[difference->count++] = (struct dref_row){.pid = pid, .coid = coid};
    }
    return &difference->rows[difference->count - 1];
}

static void add(void *context, const struct dref_count *done)
{
    struct dref_difference *difference = context;
    struct dref_row *row = row_of(difference, done->pid, done->coid);
    row->invocations += done->invocations;
    row->misses += done->misses;
    row->by_cpu[done->cpu] += done->invocations;
    difference->invocations += done->invocations;
    difference->misses += done->misses;
}

static int compare_rows(const void *left, const void *right)
{
    const struct dref_row *a = left, *b = right;
    if (a->invocations != b->invocations)
        return a->invocations > b->invocations ? -1 : 1;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return (a->coid > b->coid) - (a->coid < b->coid);
}

static bool object_ended(const struct dref_reading *before, size_t index,
                         const struct dref_reading *after)
{
    const struct dref_count *count = &before->counts[index];
    if (index > 0 && count[-1].pid == count->pid && count[-1].coid == count->coid)
        return false; // already counted with its first CPU
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        struct dref_count key = {.pid = count->pid, .coid = count->coid, .cpu = cpu};
        if (after->count > 0 &&
            bsearch(&key, after->counts, after->count, sizeof(key), dref_compare) != NULL)
            return false;
    }
    return true;
}

void dref_between(const struct dref_reading *before, const struct dref_reading *after,
                  dref_visit *visit, void *context)
{
    size_t old = 0;
    for (size_t i = 0; i < after->count; i++) {
        struct dref_count done = after->counts[i];
        while (old < before->count && dref_compare(&before->counts[old], &done) < 0)
            old++;
        bool known = old < before->count && dref_compare(&before->counts[old], &done) == 0;
        const struct dref_count *then = known ? &before->counts[old] : NULL;
        if (known && then->invocations <= done.invocations && then->misses <= done.misses) {
            done.invocations -= then->invocations;
            done.misses -= then->misses;
        }
        if ((done.invocations != 0 || done.misses != 0) &&
            (known || failures_find(&before->failures, done.pid) == NULL))
            visit(context, &done);
    }
}

void dref_subtract(const struct dref_reading *before, const struct dref_reading *after,
                   struct dref_difference *difference)
{
    dref_between(before, after, add, difference);
    for (size_t i = 0; i < before->count; i++)
        difference->ended += object_ended(before, i, after);
    if (difference->count > 1)
        qsort(difference->rows, difference->count, sizeof(*difference->rows), compare_rows);
}

void dref_difference_free(struct dref_difference *difference)
{
    free(difference->rows);
    *difference = (struct dref_difference){0};
}
