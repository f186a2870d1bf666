// SPDX-License-Identifier: MIT
// Rings of dispatchers that came later than the mask.
#ifndef USER_TRACE_RINGS_H
#define USER_TRACE_RINGS_H

// Makes sure that every CPU has its ring and its heartbeat, if anything is enabled. A thread, not
// disabled.
void trace_rings_ensure(void);

#endif
