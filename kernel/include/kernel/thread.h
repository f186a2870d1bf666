// SPDX-License-Identifier: MIT
// Kernel threads: preemptive, priority round-robin, bound for life to one CPU.
#ifndef KERNEL_THREAD_H
#define KERNEL_THREAD_H

#include <orrery/types.h>

#define THREAD_NAME_MAX 24
#define THREAD_STACK_SIZE 0x8000 // 32 KB, with a 32 KB guard below it

enum thread_priority {
    PRIORITY_IDLE,
    PRIORITY_LOW,
    PRIORITY_NORMAL,
    PRIORITY_HIGH,
    PRIORITY_SERVER, // network, DCI: short work, must not starve
    PRIORITY_COUNT,
};

struct thread;

// Creates a clustered object of class Thread and starts it on cpu (< cpu_count). name is copied and
// cut to THREAD_NAME_MAX-1. Returns NULL if out of memory. The thread ends when entry returns.
// Thread context.
struct thread *thread_create(const char *name, void (*entry)(void *), void *argument, u32 cpu,
                             enum thread_priority priority);

struct thread *thread_current(void);
// Marks that what the running thread does now is the kernel's own affair, whichever process it
// belongs to: it may have memory that this could not (memory_for_kernel). Returns what it was.
bool thread_set_essential(bool essential);
bool thread_is_essential(void);
u32 thread_id(const struct thread *thread);
// Offset of the id (u32) in struct thread: the performance monitor's handler has no instructions to
// spare for a call. pmu_start checks it.
#define THREAD_ID_OFFSET 148
bool thread_exists(u32 id); // has not ended; any context but PMI, locks of rank < RANK_OBJECT held
const char *thread_name(const struct thread *thread);
// Prints what each thread is doing. Only while nothing else runs.
void thread_report_all(void);
coid_t thread_coid(const struct thread *thread);

#define NO_DEADLINE UINT64_MAX

// Sleeps until thread_unpark or the time base reaches deadline (NO_DEADLINE: no limit). An earlier
// thread_unpark makes it return at once (one token, not a count). Returns true if unparked, false
// at the deadline. Callers loop on their condition. Thread context, no lock held.
bool thread_park(u64 deadline);
bool thread_park_for(u64 deadline, u32 reason); // reason for the trace: of trace/reasons.h
// Any context but PMI, any CPU; locks held have rank < RANK_THREAD.
void thread_unpark(struct thread *thread);
void thread_unpark_for(struct thread *thread, u32 reason);
void thread_yield(void);
void thread_sleep(u64 ticks); // at least this many time base ticks
// Sleeps so many time base ticks, or less when it is unparked, which its next park learns
// too. Unlike parking it keeps the references to objects that it holds: for short waits in
// the middle of somebody's call. Thread context, no lock held.
void thread_nap(u64 ticks);
// Waits until the thread has ended, and frees it. Each thread is joined once or detached.
void thread_join(struct thread *thread);
void thread_detach(struct thread *thread);

// Makes the running code a thread of this CPU (its stack is not freed). Set-up.
void thread_adopt(const char *name, enum thread_priority priority);
// Gives this CPU an idle thread; or makes the running thread the idle thread, for ever. Set-up.
void thread_start_idle(void);
void thread_become_idle(void) __attribute__((noreturn));

// Marks that this thread holds no temporary object reference here (docs/clustered-objects.md):
// long-lived loops call it once a round. Parking implies it, so none is held across thread_park
// either.
void thread_quiesce(void);

#endif
