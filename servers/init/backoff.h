// SPDX-License-Identifier: MIT
// The pause before a service is started again. It doubles each time, unless the service had run for
// a while.
#ifndef INIT_BACKOFF_H
#define INIT_BACKOFF_H

#include <orrery/types.h>

#define BACKOFF_FIRST_MS 100
#define BACKOFF_LONGEST_MS 10000
#define BACKOFF_FORGIVEN_MS 10000 // after a run as long as this, the next pause is the first again

// Returns the next pause in ms. ms: the pause before this start, 0 at first. ran: how long the
// service ran, in ms.
static inline u64 backoff_next(u64 ms, u64 ran)
{
    if (ms == 0 || ran >= BACKOFF_FORGIVEN_MS)
        return BACKOFF_FIRST_MS;
    return ms * 2 < BACKOFF_LONGEST_MS ? ms * 2 : BACKOFF_LONGEST_MS;
}

#endif
