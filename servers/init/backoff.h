// SPDX-License-Identifier: MIT
// How long to wait before a service is started again: twice as long each time,
// unless it had run for a while.
#ifndef INIT_BACKOFF_H
#define INIT_BACKOFF_H

#include <orrery/types.h>

#define BACKOFF_FIRST_MS 100
#define BACKOFF_LONGEST_MS 10000
#define BACKOFF_FORGIVEN_MS 10000 // a run as long as this makes the next wait the first again

// ms: the wait before this start, 0 at first; ran: how long it ran.
static inline u64 backoff_next(u64 ms, u64 ran)
{
    if (ms == 0 || ran >= BACKOFF_FORGIVEN_MS)
        return BACKOFF_FIRST_MS;
    return ms * 2 < BACKOFF_LONGEST_MS ? ms * 2 : BACKOFF_LONGEST_MS;
}

#endif
