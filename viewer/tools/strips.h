// SPDX-License-Identifier: MIT
// Threads over time, as text. Each thread has a strip of cells (S003 §3, figures 1 to 8). A cell
// shows what the thread did for most of the cell's time.
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
    u64 from, to; // the picture's begin and end
    u32 cells;    // 1 … STRIP_CELLS_MAX
    struct keyed_rows rows;
};

// Begins a picture. Sets row_bytes. from < to.
void strips_begin(struct strips *strips, u64 from, u64 to, u32 cells);
// Adds an interval in which a thread was in that state. Only its part inside the picture counts.
// The intervals of a thread come in the order of time. `letter` says what the thread waits for; 0
// if it does not wait.
void strips_add(struct strips *strips, u64 thread, enum strip_state state, char letter, u64 from,
                u64 to);
// Writes one character a cell: running, ready, or the letter of what the thread waits for. A cell
// with more than two changes is '≈', an unknown one '?', and one where the thread does not live '
// '. With `ascii` '#', '-', '~' replace '█', '░', '≈'.
void strips_text(const struct strips *strips, const struct strip *strip, bool ascii,
                 char text[STRIP_TEXT_BYTES]);
// Finds the cell in which a time lies. Returns false if there is none.
bool strips_cell(const struct strips *strips, u64 time, u32 *cell);
void strips_free(struct strips *strips);

#endif
