// SPDX-License-Identifier: MIT
// Timers by deadline: a leftist heap (Crane 1972). Adding and removing any timer takes a
// logarithm of steps at most, so nobody who sets many timers keeps a CPU masked. For timer.c,
// soft-masked on the heap's CPU.
#ifndef KERNEL_PROC_TIMER_HEAP_H
#define KERNEL_PROC_TIMER_HEAP_H

#include <kernel/timer.h>

struct timer_heap {
    struct timer *first; // the earliest, or NULL
};

// Adds a timer that is in no heap, with its deadline.
void timer_heap_add(struct timer_heap *heap, struct timer *timer);
// Removes a timer of this heap. Its deadline has not changed since it was added.
void timer_heap_remove(struct timer_heap *heap, struct timer *timer);

#endif
