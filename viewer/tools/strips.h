// SPDX-License-Identifier: MIT
// Threads over time, as text: a strip of cells a thread (S003 §3, figures 1 to 8). A cell shows
// what the thread did for most of its time.
#ifndef KOV_STRIPS_H
#define KOV_STRIPS_H

#include "tools/keyed_rows.h"

enum strip_state { STRIP_RUN, STRIP_READY, STRIP_BLOCKED, STRIP_UNKNOWN, STRIP_STATES };

#define STRIP_CELLS_MAX 300
#define STRIP_TEXT_BYTES (3 * STRIP_CELLS_MAX + 1) // in UTF-8

struct strip {
    u64 key[KEY_WORDS]; // the thread
    struct strip_cell *cells;
    u64 ticks[STRIP_STATES], counts[STRIP_STATES], longest[STRIP_STATES]; // of its intervals
};

struct strips {
    u64 from, to; // of the picture
    u32 cells;    // 1 … STRIP_CELLS_MAX
    struct keyed_rows rows;
};

// row_bytes is set here; from < to.
void strips_begin(struct strips *strips, u64 from, u64 to, u32 cells);
// A thread was in that state in an interval, of which the part in the picture counts. Intervals of
// a thread come in the order of time. letter: of what is waited for; 0 where it does not wait.
void strips_add(struct strips *strips, u64 thread, enum strip_state state, char letter, u64 from,
                u64 to);
// A cell: run, ready, the letter of what it waits for; '≈' with more than two changes, '?' where it
// is not known, ' ' where it does not live. ascii: '#', '-', '~' in place of '█', '░', '≈'.
void strips_text(const struct strips *strips, const struct strip *strip, bool ascii,
                 char text[STRIP_TEXT_BYTES]);
// The cell in which a time lies; false: none.
bool strips_cell(const struct strips *strips, u64 time, u32 *cell);
void strips_free(struct strips *strips);

#endif
