// SPDX-License-Identifier: MIT
// Whoever holds sockets, as far as they know it: when its process is to be woken.
#ifndef NET_HOLDER_H
#define NET_HOLDER_H

#include <orrery/types.h>

struct holder {
    u64 wake; // UINT64_MAX: not at all
};

// At the time `when`, or at the next sessions_wake after it. net_lock held.
static inline void holder_wake(struct holder *holder, u64 when)
{
    if (when < holder->wake)
        holder->wake = when;
}

#endif
