// SPDX-License-Identifier: MIT
// Counts of the trace's buffers, as a list over the kernel, one process, or all.
#ifndef DCI_TRACING_COUNTS_H
#define DCI_TRACING_COUNTS_H

#include "walk.h"

// A part of the counts of the walk's scope, as a TraceStatReply's fields. mask: the kernel's, as it
// is told. Returns as a step; only with REQUEST_GOES_ON, and REQUEST_REPLIED
// after the last part, has it written one. The server's thread.
s64 trace_counts_walk(struct walk *walk, struct frame *frame, u64 mask);

#endif
