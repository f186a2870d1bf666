// SPDX-License-Identifier: MIT
// Calls between processes in cells of time.
#include "gateway/call_counts.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

struct counted_kind {
    struct call_kind kind;
    u64 count;
};

struct call_cell {
    bool used;
    u64 number;
    struct counted_kind *kinds;
    size_t count, capacity, last; // last: the kind that was counted last
    u64 covered, others, packets, discarded, taken, taken_bytes;
    bool is_cut;
};

struct call_counts {
    u64 origin, ticks;
    u32 cell_count;
    struct call_cell cells[];
};

struct call_counts *call_counts_new(u64 origin, u64 ticks, u32 cells)
{
    struct call_counts *counts = memory_get(sizeof(*counts) + cells * sizeof(counts->cells[0]));
    counts->origin = origin;
    counts->ticks = ticks;
    counts->cell_count = cells;
    return counts;
}

void call_counts_free(struct call_counts *counts)
{
    if (counts == NULL)
        return;
    for (u32 i = 0; i < counts->cell_count; i++)
        free(counts->cells[i].kinds);
    free(counts);
}

// Returns the cell of a number. NULL: a newer one has its place.
static struct call_cell *get_cell(struct call_counts *counts, u64 number)
{
    struct call_cell *cell = &counts->cells[number % counts->cell_count];
    if (cell->used && cell->number > number)
        return NULL;
    if (!cell->used || cell->number < number) {
        free(cell->kinds);
        *cell = (struct call_cell){.used = true, .number = number};
    }
    return cell;
}

static struct call_cell *cell_at(struct call_counts *counts, u64 time)
{
    return time < counts->origin ? NULL : get_cell(counts, (time - counts->origin) / counts->ticks);
}

static bool is_same(const struct call_kind *a, const struct call_kind *b)
{
    return a->client == b->client && a->server == b->server && a->endpoint == b->endpoint &&
           a->method == b->method;
}

// Returns the place of a kind, or the count of kinds. One call is often followed by the same.
static size_t find_kind(const struct call_cell *cell, const struct call_kind *kind)
{
    if (cell->last < cell->count && is_same(&cell->kinds[cell->last].kind, kind))
        return cell->last;
    size_t place = 0;
    while (place < cell->count && !is_same(&cell->kinds[place].kind, kind))
        place++;
    return place;
}

void call_counts_add(struct call_counts *counts, u64 time, const struct call_kind *kind)
{
    struct call_cell *cell = cell_at(counts, time);
    if (cell == NULL)
        return;
    size_t place = find_kind(cell, kind);
    if (place == CALL_KINDS_MAX) {
        cell->others++;
        return;
    }
    if (place == cell->count) {
        cell->kinds = memory_grow(cell->kinds, cell->count, &cell->capacity, sizeof(*cell->kinds));
        cell->kinds[cell->count++] = (struct counted_kind){.kind = *kind};
    }
    cell->kinds[place].count++;
    cell->last = place;
}

void call_counts_packet(struct call_counts *counts, u64 time, u64 bytes)
{
    struct call_cell *cell = cell_at(counts, time);
    if (cell == NULL)
        return;
    cell->taken++;
    cell->taken_bytes += bytes;
}

static u64 larger(u64 a, u64 b)
{
    return a > b ? a : b;
}

static u64 smaller(u64 a, u64 b)
{
    return a < b ? a : b;
}

// Cuts an interval to what can be in the cells. Returns false if nothing is left.
static bool cut_interval(const struct call_counts *counts, u64 *from, u64 to)
{
    u64 kept = counts->ticks <= UINT64_MAX / counts->cell_count ? counts->ticks * counts->cell_count
                                                                : UINT64_MAX;
    *from = larger(*from, counts->origin);
    if (to > *from && to - *from > kept)
        *from = to - kept;
    return to >= *from;
}

void call_counts_cover(struct call_counts *counts, u64 from, u64 to)
{
    if (!cut_interval(counts, &from, to))
        return;
    while (from < to) {
        u64 number = (from - counts->origin) / counts->ticks;
        u64 rest = counts->ticks - (from - counts->origin) % counts->ticks;
        u64 part = smaller(rest, to - from);
        struct call_cell *cell = get_cell(counts, number);
        if (cell != NULL)
            cell->covered += part;
        from += part;
    }
}

void call_counts_lose(struct call_counts *counts, u64 from, u64 to, u64 packets, u64 discarded)
{
    if (!cut_interval(counts, &from, to))
        return;
    u64 last = (to - counts->origin) / counts->ticks;
    for (u64 number = (from - counts->origin) / counts->ticks;; number++) {
        struct call_cell *cell = get_cell(counts, number);
        if (cell != NULL) {
            cell->is_cut = true;
            cell->packets += number == last ? packets : 0;
            cell->discarded += number == last ? discarded : 0;
        }
        if (number == last) // it may be the greatest number that there is
            break;
    }
}

static void add_cell(const struct call_cell *cell, struct call_sum *sum)
{
    for (size_t i = 0; i < cell->count; i++) {
        const struct call_kind *kind = &cell->kinds[i].kind;
        struct call_row *row =
            keyed_rows_get(&sum->rows, (const u64[KEY_WORDS]){kind->client, kind->server,
                                                              kind->endpoint, kind->method});
        row->count += cell->kinds[i].count;
    }
    sum->covered += cell->covered;
    sum->others += cell->others;
    sum->packets += cell->packets;
    sum->discarded += cell->discarded;
    sum->taken += cell->taken;
    sum->taken_bytes += cell->taken_bytes;
    sum->is_cut |= cell->is_cut;
}

void call_counts_sum(const struct call_counts *counts, u64 from, u64 to, struct call_sum *sum)
{
    *sum = (struct call_sum){.rows = {.row_bytes = sizeof(struct call_row)}};
    for (u32 i = 0; i < counts->cell_count; i++) {
        const struct call_cell *cell = &counts->cells[i];
        u64 begin = counts->origin + cell->number * counts->ticks;
        u64 middle = begin + counts->ticks / 2;
        if (!cell->used || middle < from || middle > to)
            continue;
        add_cell(cell, sum);
        bool first = sum->from == sum->to;
        sum->from = first ? begin : smaller(sum->from, begin);
        sum->to = first ? begin + counts->ticks : larger(sum->to, begin + counts->ticks);
    }
}
