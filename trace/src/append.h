// SPDX-License-Identifier: MIT
// The C half of sequence.S.
#ifndef TRACE_APPEND_H
#define TRACE_APPEND_H

#include <orrery/types.h>

// Logs one event on this CPU. header: TRACE_HEADER(n, …); words: n data words. Any context.
void trace_append_slow(u32 header, const u64 *words);

#endif
