// SPDX-License-Identifier: MIT
// Whoever holds sockets, as far as they know it: when its process is to be woken. net_lock held.
#ifndef NET_HOLDER_H
#define NET_HOLDER_H

#include <orrery/types.h>

struct holder {
    u64 wake;                    // UINT64_MAX: not at all
    struct holder *next, **link; // of those that are to be woken; link NULL: none of them
};

extern struct holder *holders; // that are to be woken

// No longer to be woken: at first, and once it has been.
static inline void holder_rest(struct holder *holder)
{
    if (holder->link != NULL) {
        *holder->link = holder->next;
        if (holder->next != NULL)
            holder->next->link = holder->link;
        holder->link = NULL;
    }
    holder->wake = UINT64_MAX;
}

// At the time `when`, or at the next sessions_wake after it.
static inline void holder_wake(struct holder *holder, u64 when)
{
    if (when < holder->wake)
        holder->wake = when;
    if (holder->link != NULL)
        return;
    holder->next = holders;
    holder->link = &holders;
    if (holders != NULL)
        holders->link = &holder->next;
    holders = holder;
}

#endif
