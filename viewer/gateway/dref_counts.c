// SPDX-License-Identifier: MIT
// DREFs and misses by object, while somebody watches them.
#include "gateway/dref_counts.h"
#include "tools/clock.h"

#include <string.h>

bool dref_counts_has(const char *measure)
{
    return strcmp(measure, "drefs") == 0 || strcmp(measure, "misses") == 0;
}

bool dref_counts_watch(struct dref_counts *counts, const char *measure)
{
    double until = clock_now() + DREF_COUNTS_IDLE;
    if (strcmp(measure, "misses") == 0) {
        counts->misses_watched = until;
        return true;
    }
    if (!counts->refused)
        counts->drefs_watched = until;
    return !counts->refused;
}

struct cell {
    struct history *history;
    u32 drefs, misses; // their numbers in the history
};

static void add(void *context, const struct dref_count *done)
{
    const struct cell *cell = context;
    struct site object = {
        .kind = SITE_OBJECT, .pid = done->pid, .coid = done->coid, .cpu = (u8)done->cpu};
    if (cell->drefs != HISTORY_NO_EVENT && done->invocations > 0)
        history_count(cell->history, cell->drefs, &object, done->invocations);
    if (cell->misses != HISTORY_NO_EVENT && done->misses > 0)
        history_count(cell->history, cell->misses, &object, done->misses);
}

static void add_between(const struct dref_counts *counts, const struct dref_reading *now,
                        struct history *history)
{
    u64 begin = counts->last.begin, covered = now->begin > begin ? now->begin - begin : 0;
    struct cell cell = {.history = history,
                        .drefs =
                            counts->counting ? history_counted(history, "drefs") : HISTORY_NO_EVENT,
                        .misses = history_counted(history, "misses")};
    dref_between(&counts->last, now, add, &cell);
    if (cell.drefs != HISTORY_NO_EVENT)
        history_count_end(history, cell.drefs, covered);
    if (cell.misses != HISTORY_NO_EVENT)
        history_count_end(history, cell.misses, covered);
}

static int switch_counting(struct dref_counts *counts, bool on)
{
    int code = dref_enable(on, SCAN_ALL);
    counts->refused = on && code != KOV_OK;
    counts->counting = on && code == KOV_OK;
    counts->has_last = false; // so that a cell is counted whole, or not at all
    return code == KOV_CONNECTION ? code : KOV_OK;
}

int dref_counts_attend(struct dref_counts *counts, struct history *history)
{
    double now = clock_now();
    bool watched = now < counts->drefs_watched;
    bool drefs = watched && !counts->refused;
    counts->refused = counts->refused && watched; // the next to watch makes it try again
    if (drefs != counts->counting) {
        int code = switch_counting(counts, drefs);
        if (code != KOV_OK)
            return code;
    }
    if (history == NULL || (!counts->counting && now >= counts->misses_watched)) {
        counts->has_last = false;
        return KOV_OK;
    }
    struct dref_reading reading = {0};
    int code = dref_read(&reading, SCAN_ALL);
    if (code == KOV_OK && counts->has_last)
        add_between(counts, &reading, history);
    dref_free(&counts->last);
    counts->last = reading;
    counts->has_last = code == KOV_OK;
    return code == KOV_CONNECTION ? code : KOV_OK;
}

void dref_counts_reset(struct dref_counts *counts)
{
    dref_free(&counts->last);
    *counts = (struct dref_counts){0};
}
