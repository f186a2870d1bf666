// SPDX-License-Identifier: MIT
// Rings of dispatchers that came later than the mask.
#ifndef USER_TRACE_RINGS_H
#define USER_TRACE_RINGS_H

// Every CPU has its ring, its heartbeat, if anything is enabled. A thread, not disabled.
void trace_rings_ensure(void);

#endif
