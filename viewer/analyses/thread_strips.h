// SPDX-License-Identifier: MIT
// Puts strips of threads (tools/strips.h) into a document, for all tools that draw threads over
// time.
#ifndef KOV_THREAD_STRIPS_H
#define KOV_THREAD_STRIPS_H

#include "output/columns.h"
#include "tools/strips.h"

// Returns the letter of a reason (trace/reasons.h) for which a thread left its CPU. 0: it does not
// wait.
char thread_strips_letter(u64 reason);
// Puts "strip", the picture, and how long its turns and waits were.
void thread_strips_put(json_t *row, const struct strips *strips, const struct strip *strip,
                       bool ascii, u64 hz);
// Puts "cells", and how long one cell is.
void thread_strips_put_cells(json_t *document, const struct strips *strips, u64 hz);
// Puts "meter" for "A,B": a line that marks the two times, and the time between them. NULL puts
// nothing. `begin` is that of the trace. Returns KOV_OK or KOV_USAGE.
int thread_strips_put_meter(json_t *document, const struct strips *strips, const char *meter,
                            u64 begin, u64 hz);
// Prints what is below the picture: the meter, and what the signs mean. The columns before it take
// 21 characters.
void thread_strips_note(const json_t *document);

#endif
