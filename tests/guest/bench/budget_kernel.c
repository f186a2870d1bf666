// SPDX-License-Identifier: MIT
// Instructions of the kernel paths that have no budget, to see them change.
#include "budget.h"

#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/spinlock.h>
#include <kernel/thread.h>

#define TURNS 1000
#define SIZE 128

static struct spinlock lock = SPINLOCK_INIT("budget", RANK_SERVICE);

static void lock_and_unlock(u64 times, void *argument)
{
    (void)argument;
    for (u64 i = 0; i < times; i++) {
        spin_lock(&lock);
        spin_unlock(&lock);
    }
}

static void allocate_and_free(u64 times, void *argument)
{
    (void)argument;
    for (u64 i = 0; i < times; i++)
        kfree(kmalloc(SIZE));
}

static void page_and_back(u64 times, void *argument)
{
    (void)argument;
    for (u64 i = 0; i < times; i++) {
        void *page = pages_alloc(0);
        if (page != NULL)
            pages_free(page, 0);
    }
}

static void yields(u64 times, void *argument)
{
    (void)argument;
    for (u64 i = 0; i < times; i++)
        thread_yield();
}

static void yield_until(void *stop)
{
    while (!__atomic_load_n((bool *)stop, __ATOMIC_ACQUIRE))
        thread_yield();
}

// Two threads of one priority that yield to each other: a turn is two switches.
static void context_switch(void)
{
    bool stop = false;
    struct thread *other = thread_create("budget", yield_until, &stop, cpu_id(), PRIORITY_NORMAL);
    if (other == NULL)
        return;
    u64 turn = budget_measure_open(yields, budget_empty_loop, TURNS, NULL);
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    thread_join(other);
    budget_print("context_switch", turn / 2, NO_BUDGET);
}

void budget_kernel(void)
{
    budget_print("spin_lock_unlock",
                 budget_measure(lock_and_unlock, budget_empty_loop, TURNS, NULL), NO_BUDGET);
    budget_print("kmalloc_kfree", budget_measure(allocate_and_free, budget_empty_loop, TURNS, NULL),
                 NO_BUDGET);
    budget_print("page_alloc_free", budget_measure(page_and_back, budget_empty_loop, TURNS, NULL),
                 NO_BUDGET);
    context_switch();
}
