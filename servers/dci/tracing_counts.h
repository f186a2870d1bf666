// SPDX-License-Identifier: MIT
// Counts of the trace's buffers, as a list over the kernel, one process, or all.
#ifndef DCI_TRACING_COUNTS_H
#define DCI_TRACING_COUNTS_H

#include "client.h"

// A part of the counts that client->scope asks for (scope.h), a frame each, in the body of this
// tag. mask: the kernel's, as it is told. The last frame says that more responses follow as given.
// Returns as a step. The server's thread.
s64 trace_counts_step(struct client *client, u32 body, u64 mask, bool more_follows);

#endif
