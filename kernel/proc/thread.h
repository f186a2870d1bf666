// SPDX-License-Identifier: MIT
// The thread structure, for the scheduler and thread life cycle.
#ifndef KERNEL_PROC_THREAD_H
#define KERNEL_PROC_THREAD_H

#include <co/object.h>
#include <co/quiesce.h>
#include <kernel/thread.h>
#include <kernel/timer.h>

#define THREAD_MAGIC 0x54485245 // "THRE"

enum thread_state { THREAD_READY, THREAD_RUNNING, THREAD_PARKED, THREAD_ENDED };

struct thread {
    struct co_root root;
    struct co_rep rep;
    u32 magic; // THREAD_MAGIC
    u32 id;
    u32 cpu;
    u8 state;    // enum thread_state; under the run queue's lock
    u8 priority; // enum thread_priority
    bool wake_token;
    bool woken; // the last park ended by an unpark
    bool detached, ended;
    struct thread *next; // in the run queue
    struct thread *joiner;
    u64 stack_pointer; // while not running
    u64 stack_top;     // 0: the boot stack
    void (*entry)(void *);
    void *argument;
    struct timer timer; // of thread_park's deadline
    struct co_generation_member member;
    u64 run_ticks, switches;
    char name[THREAD_NAME_MAX];
};

// Puts a READY thread into its CPU's run queue and lets that CPU know. Any context but PMI.
void scheduler_add(struct thread *thread);
// The table of threads: slot allocation, look-up by id, and iteration for the scan.
s64 thread_table_add(struct thread *thread); // sets the id; E_LIMIT
void thread_table_remove(const struct thread *thread);
// NULL when there is none such; valid while the caller is in its generation.
struct thread *thread_find(u32 id);
u32 thread_table_coids(coid_t *out, u32 max); // counts all when out is NULL

#endif
