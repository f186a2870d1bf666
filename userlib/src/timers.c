// SPDX-License-Identifier: MIT
// The pairing heap of timers.h (Fredman, Sedgewick, Sleator, Tarjan 1986). Each node has a list of
// children. `link` is the pointer that refers to the node, so that any node can be cut out.
#include "timers.h"

static struct timer *meld(struct timer *a, struct timer *b)
{
    if (!a || !b)
        return a ? a : b;
    if (b->deadline < a->deadline) {
        struct timer *swap = a;
        a = b;
        b = swap;
    }
    b->next = a->child;
    if (b->next)
        b->next->link = &b->next;
    b->link = &a->child;
    a->child = b;
    return a;
}

static void set_first(struct timers *timers, struct timer *first)
{
    timers->first = first;
    if (first) {
        first->link = &timers->first;
        first->next = NULL;
    }
}

void timers_add(struct timers *timers, struct timer *timer)
{
    timer->child = timer->next = NULL;
    set_first(timers, meld(timers->first, timer));
}

// Melds a list in two passes: neighbours in pairs from the left, then all from the right.
static struct timer *meld_children(struct timer *child)
{
    struct timer *pairs = NULL;
    while (child) {
        struct timer *second = child->next;
        struct timer *rest = second ? second->next : NULL;
        child->next = NULL;
        if (second)
            second->next = NULL;
        struct timer *pair = meld(child, second);
        pair->next = pairs;
        pairs = pair;
        child = rest;
    }
    struct timer *all = NULL;
    while (pairs) {
        struct timer *next = pairs->next;
        pairs->next = NULL;
        all = meld(all, pairs);
        pairs = next;
    }
    return all;
}

void timers_remove(struct timers *timers, struct timer *timer)
{
    if (!timer->link)
        return;
    struct timer *children = meld_children(timer->child);
    if (timers->first == timer) {
        set_first(timers, children);
    } else {
        *timer->link = timer->next;
        if (timer->next)
            timer->next->link = timer->link;
        set_first(timers, meld(timers->first, children));
    }
    timer->link = NULL;
    timer->child = timer->next = NULL;
}

struct timer *timers_take(struct timers *timers, u64 now)
{
    struct timer *first = timers->first;
    if (!first || first->deadline > now)
        return NULL;
    timers_remove(timers, first);
    return first;
}
