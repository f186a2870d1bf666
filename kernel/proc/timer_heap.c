// SPDX-License-Identifier: MIT
// The leftist heap of timer_heap.h. A timer's rank is the length of the path to its right that
// leads out of the heap. No left child has a smaller rank than its sibling, so a heap of n timers
// has a path to the right of log2(n + 1) at most, and melding two heaps follows only such paths.
#include "timer_heap.h"

static u32 rank_of(const struct timer *timer)
{
    return timer != NULL ? timer->rank : 0;
}

// Puts the children in order. Whether the rank has changed.
static bool restore_order(struct timer *timer)
{
    u32 before = timer->rank;

    if (rank_of(timer->left) < rank_of(timer->right)) {
        struct timer *left = timer->left;
        timer->left = timer->right;
        timer->right = left;
    }
    timer->rank = rank_of(timer->right) + 1;
    return timer->rank != before;
}

// Calls itself once for each step to the right: as often as the sum of both ranks at most.
static struct timer *meld(struct timer *a, struct timer *b)
{
    if (a == NULL || b == NULL)
        return a != NULL ? a : b;
    if (b->deadline < a->deadline) {
        struct timer *later = a;
        a = b;
        b = later;
    }
    a->right = meld(a->right, b);
    a->right->parent = a;
    restore_order(a);
    return a;
}

static void set_first(struct timer_heap *heap, struct timer *first)
{
    heap->first = first;
    if (first != NULL)
        first->parent = NULL;
}

void timer_heap_add(struct timer_heap *heap, struct timer *timer)
{
    timer->left = timer->right = NULL;
    timer->rank = 1;
    set_first(heap, meld(heap->first, timer));
}

void timer_heap_remove(struct timer_heap *heap, struct timer *timer)
{
    struct timer *parent = timer->parent;
    struct timer *rest = meld(timer->left, timer->right);

    if (parent == NULL) {
        set_first(heap, rest);
        return;
    }
    if (parent->left == timer)
        parent->left = rest;
    else
        parent->right = rest;
    if (rest != NULL)
        rest->parent = parent;
    while (parent != NULL && restore_order(parent))
        parent = parent->parent;
}
