// SPDX-License-Identifier: MIT
// Strips of threads (tools/strips.h) in a document, for all tools that draw threads over time.
#ifndef KOV_THREAD_STRIPS_H
#define KOV_THREAD_STRIPS_H

#include "output/columns.h"
#include "tools/strips.h"

// Of what a thread waits for that left its CPU for this reason (trace/reasons.h); 0: for nothing.
char thread_strips_letter(u64 reason);
// "strip", the picture, and how long its turns and waits were.
void thread_strips_put(json_t *row, const struct strips *strips, const struct strip *strip,
                       bool ascii, u64 hz);
// "cells", and how long one is.
void thread_strips_put_cells(json_t *document, const struct strips *strips, u64 hz);
// "meter", of "A,B": a line that marks the two times, and the time between; NULL: none. begin: of
// the trace. KOV_OK or KOV_USAGE.
int thread_strips_put_meter(json_t *document, const struct strips *strips, const char *meter,
                            u64 begin, u64 hz);
// Below the picture: the meter, and what the signs mean. The columns before it take 21 characters.
void thread_strips_note(const json_t *document);

#endif
