// SPDX-License-Identifier: MIT
// The table of threads. An id is slot + 1 + uses of the slot × table size, so an old id never names
// a newer thread.
#include "thread.h"

#include <kernel/console.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/spinlock.h>
#include <kernel/unwind.h>
#include <kernel/wait.h>
#include <string.h>

#define TABLE_SIZE 8192
// The last slots: for threads of the kernel, and of processes that have a right.
#define RESERVED 256

static struct spinlock lock = SPINLOCK_INIT("thread table", RANK_OBJECT);
static struct thread *slots[TABLE_SIZE];
static u32 uses[TABLE_SIZE];
static u64 taken[TABLE_SIZE / 64]; // a bit a slot

// Returns the lowest free slot, or TABLE_SIZE. Lock held.
static u32 first_free(void)
{
    for (u32 word = 0; word < ARRAY_SIZE(taken); word++) {
        if (taken[word] != UINT64_MAX)
            return word * 64 + (u32)__builtin_ctzl(~taken[word]);
    }
    return TABLE_SIZE;
}

s64 thread_table_add(struct thread *thread, bool preferred)
{
    u32 end = preferred ? TABLE_SIZE : TABLE_SIZE - RESERVED;
    s64 result = E_LIMIT;

    spin_lock(&lock);
    u32 slot = first_free();
    if (slot < end) {
        slots[slot] = thread;
        taken[slot / 64] |= 1UL << slot % 64;
        thread->id = slot + 1 + uses[slot]++ * TABLE_SIZE;
        result = 0;
    }
    spin_unlock(&lock);
    return result;
}

void thread_table_remove(const struct thread *thread)
{
    u32 slot = (thread->id - 1) % TABLE_SIZE;

    spin_lock(&lock);
    KASSERT(slots[slot] == thread);
    slots[slot] = NULL;
    taken[slot / 64] &= ~(1UL << slot % 64);
    spin_unlock(&lock);
}

bool thread_exists(u32 id)
{
    u32 slot = (id - 1) % TABLE_SIZE;

    spin_lock(&lock);
    bool found = slots[slot] != NULL && slots[slot]->id == id;
    spin_unlock(&lock);
    return found;
}

bool thread_table_visit(u32 id, void (*visit)(struct thread *thread, void *argument),
                        void *argument)
{
    u32 slot = (id - 1) % TABLE_SIZE;

    spin_lock(&lock);
    struct thread *thread = slots[slot];
    bool found = thread != NULL && thread->id == id && !thread->ended;
    if (found)
        visit(thread, argument);
    spin_unlock(&lock);
    return found;
}

u32 thread_table_coids(coid_t *out, u32 max)
{
    u32 count = 0;

    spin_lock(&lock);
    for (u32 word = 0; word < ARRAY_SIZE(taken); word++) {
        for (u64 left = taken[word]; left != 0; left &= left - 1) {
            const struct thread *thread = slots[word * 64 + (u32)__builtin_ctzl(left)];
            if (thread->dispatcher != NULL)
                continue;
            if (out != NULL && count < max)
                out[count] = thread->root.coid;
            count++;
        }
    }
    spin_unlock(&lock);
    return out != NULL && count > max ? max : count;
}

// Returns the number of a thread that may have ended by now. 0: it has. Lock held.
static u32 id_of(const struct thread *thread)
{
    for (u32 slot = 0; slot < TABLE_SIZE && thread != NULL; slot++) {
        if (slots[slot] == thread)
            return thread->id;
    }
    return 0;
}

// Tells what a thread of this CPU sleeps for. It cannot go on meanwhile, so the mutex stays.
// Interrupt context, lock held.
static void summarise_wait(const struct thread *thread, struct thread_summary *summary)
{
    const struct mutex *mutex = thread->awaited_mutex;
    const struct thread *owner =
        mutex != NULL ? __atomic_load_n(&mutex->owner, __ATOMIC_RELAXED) : NULL;

    if (owner == thread) // it has got it by now
        return;
    summary->awaits = (u64)mutex;
    summary->owner = id_of(owner);
}

// Tells what only a thread's own CPU knows. Interrupt context, lock held.
static void summarise_own(const struct thread *thread, struct thread_summary *summary)
{
    summarise_wait(thread, summary);
    if (summary->kernel && summary->state == THREAD_READY)
        summary->exception = stack_exception(thread->stack_pointer);
}

bool thread_table_next(u32 *cursor, u32 cpu, struct thread_summary *summary)
{
    bool found = false;

    spin_lock(&lock);
    while (*cursor < TABLE_SIZE && !found) {
        const struct thread *thread = slots[(*cursor)++];
        // One without a COID is being made.
        found = thread != NULL && thread->cpu == cpu && thread->root.coid != 0;
        if (found) {
            *summary = (struct thread_summary){.id = thread->id,
                                               .cpu = thread->cpu,
                                               .priority = thread->priority,
                                               .state = thread->state,
                                               .kernel = thread->dispatcher == NULL,
                                               .coid = thread->root.coid};
            memcpy(summary->name, thread->name, THREAD_NAME_MAX);
            if (cpu == cpu_id())
                summarise_own(thread, summary);
        }
    }
    spin_unlock(&lock);
    return found;
}

void thread_report_all(void)
{
    kprintf("threads:\n");
    for (u32 slot = 0; slot < TABLE_SIZE; slot++) {
        if (slots[slot] != NULL)
            thread_report(slots[slot]);
    }
}
