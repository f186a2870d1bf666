// SPDX-License-Identifier: MIT
// What panics and reports of lockups print of code and CPUs. Nothing is locked.
#include "exception.h"

#include <kernel/console.h>
#include <kernel/percpu.h>
#include <kernel/spinlock.h>
#include <kernel/symbols.h>
#include <kernel/thread.h>
#include <kernel/unwind.h>

#define MAX_CALLERS 32
#define MAX_LOCKS 8

void report_address(const char *what, u64 address)
{
    u64 offset = 0;
    const char *name = symbol_find(address, &offset);

    if (name != NULL)
        kprintf("%s %016lx %s+%#lx\n", what, address, name, offset);
    else
        kprintf("%s %016lx\n", what, address);
}

void report_stack(const struct frame *frame)
{
    u64 callers[MAX_CALLERS];
    u32 count = stack_walk(frame->pc, frame->gpr[1], frame->lr, callers, MAX_CALLERS);

    kprintf("stack:\n");
    for (u32 i = 0; i < count; i++)
        report_address("  from", callers[i]);
}

static void report_taken(const struct percpu *block, const struct spinlock *lock)
{
#ifdef SANITIZE
    u64 offset = 0, pc = spin_taken_at[block->cpu][lock->rank];
    const char *name = symbol_find(pc, &offset);

    kprintf(" (taken at %s+%#lx)", name != NULL ? name : "?", offset);
#else
    (void)block;
    (void)lock;
#endif
}

void report_locks(const struct percpu *block)
{
    const struct spinlock *lock = block->innermost_lock, *awaited = block->awaited_lock;

    kprintf(lock != NULL ? "holds" : "holds no lock");
    for (u32 i = 0; lock != NULL && i < MAX_LOCKS; i++, lock = lock->outer) {
        kprintf("%s %s", i > 0 ? "," : "", lock->name);
        report_taken(block, lock);
    }
    if (awaited != NULL)
        kprintf(", waits for %s", awaited->name);
}

void report_cpu(u32 cpu, const struct frame *frame)
{
    const struct percpu *block = percpu_of(cpu);

    kprintf("CPU %u: process %u, pending %#x, reschedule %u, user work %u, ", cpu, block->pid,
            block->pending, block->need_resched, block->user_work);
    report_locks(block);
    kprintf(", thread %u (%s)\n", block->current != NULL ? thread_id(block->current) : 0,
            block->current != NULL ? thread_name(block->current) : "none");
    if (frame == NULL)
        return;
    kprintf("msr %016lx  r1 %016lx  soft-masked %lu\n", frame->msr, frame->gpr[1],
            frame->soft_masked);
    report_address("pc ", frame->pc);
    report_address("lr ", frame->lr);
    report_stack(frame);
}
