// SPDX-License-Identifier: MIT
// Threads over time.
#include "tools/strips.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

#define CHANGES_SHOWN 2 // in one cell

struct strip_cell {
    u64 ticks[STRIP_STATES];
    u64 waited; // for what the letter stands for
    u32 changes;
    char letter;
};

void strips_begin(struct strips *strips, u64 from, u64 to, u32 cells)
{
    *strips = (struct strips){
        .from = from, .to = to, .cells = cells, .rows = {.row_bytes = sizeof(struct strip)}};
}

static u64 begin_of(const struct strips *strips, u32 cell)
{
    unsigned __int128 all = strips->to - strips->from;
    return strips->from + (u64)(all * cell / strips->cells);
}

bool strips_cell(const struct strips *strips, u64 time, u32 *cell)
{
    if (time < strips->from || time >= strips->to)
        return false;
    unsigned __int128 before = (unsigned __int128)(time - strips->from) * strips->cells;
    *cell = (u32)(before / (strips->to - strips->from));
    if (*cell + 1 < strips->cells && begin_of(strips, *cell + 1) <= time)
        ++*cell;
    return true;
}

static struct strip *get(struct strips *strips, u64 thread)
{
    struct strip *strip = keyed_rows_get(&strips->rows, (const u64[KEY_WORDS]){thread});
    if (strip->cells == NULL) {
        strip->cells = memory_get(strips->cells * sizeof(*strip->cells));
        memset(strip->cells, 0, strips->cells * sizeof(*strip->cells));
    }
    return strip;
}

void strips_add(struct strips *strips, u64 thread, enum strip_state state, char letter, u64 from,
                u64 to)
{
    u64 begin = from > strips->from ? from : strips->from;
    u64 end = to < strips->to ? to : strips->to;
    u32 cell;
    if (begin >= end || !strips_cell(strips, begin, &cell))
        return;
    struct strip *strip = get(strips, thread);
    strip->ticks[state] += end - begin;
    strip->counts[state]++;
    if (end - begin > strip->longest[state])
        strip->longest[state] = end - begin;
    if (from >= strips->from)
        strip->cells[cell].changes++;
    for (; cell < strips->cells && begin < end; cell++) {
        u64 next = begin_of(strips, cell + 1);
        u64 until = next < end ? next : end;
        struct strip_cell *in = &strip->cells[cell];
        in->ticks[state] += until - begin;
        if (letter != 0 && until - begin >= in->waited) {
            in->letter = letter;
            in->waited = until - begin;
        }
        begin = until;
    }
}

static const char *cell_text(const struct strip_cell *cell, bool ascii, char letter[2])
{
    u32 most = STRIP_UNKNOWN;
    for (u32 state = 0; state < STRIP_STATES; state++)
        if (cell->ticks[state] > cell->ticks[most])
            most = state;
    if (cell->ticks[most] == 0)
        return " ";
    if (most == STRIP_UNKNOWN)
        return "?";
    if (cell->changes > CHANGES_SHOWN)
        return ascii ? "~" : "≈";
    letter[0] = cell->letter != 0 ? cell->letter : 'b';
    letter[1] = '\0';
    return most == STRIP_BLOCKED ? letter
           : most == STRIP_RUN   ? (ascii ? "#" : "█")
                                 : (ascii ? "-" : "░");
}

void strips_text(const struct strips *strips, const struct strip *strip, bool ascii,
                 char text[STRIP_TEXT_BYTES])
{
    char letter[2], *at = text;
    for (u32 cell = 0; cell < strips->cells; cell++)
        at = stpcpy(at, cell_text(&strip->cells[cell], ascii, letter));
    *at = '\0';
}

void strips_free(struct strips *strips)
{
    for (size_t i = 0; i < strips->rows.count; i++)
        free(((struct strip *)strips->rows.rows[i])->cells);
    keyed_rows_free(&strips->rows);
}
