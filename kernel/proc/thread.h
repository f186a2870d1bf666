// SPDX-License-Identifier: MIT
// The thread structure, for the scheduler and thread life cycle.
#ifndef KERNEL_PROC_THREAD_H
#define KERNEL_PROC_THREAD_H

#include <co/object.h>
#include <co/quiesce.h>
#include <kernel/thread.h>
#include <kernel/timer.h>

#define THREAD_MAGIC 0x54485245 // "THRE"

// The order lets the fast path of calls use two of its constants once more (ipc/fast_path.S).
enum thread_state { THREAD_RUNNING, THREAD_PARKED, THREAD_READY, THREAD_ENDED };

struct dispatcher;
struct monitor_tracks;
struct mutex;

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
    // the next time that it becomes ready it goes before its equals; under the run queue's lock
    bool favoured;
    u8 reason; // of trace/reasons.h: why it left its CPU last, other than by the fast path of calls
    struct thread *next; // in the run queue
    struct thread *joiner;
    u64 stack_pointer; // while not running
    u64 stack_top;     // 0: the boot stack
    void (*entry)(void *);
    void *argument;
    struct dispatcher *dispatcher; // the user code at its bottom; NULL: a kernel thread
    struct timer timer;            // of thread_park's deadline
    struct co_generation_member member;
    u64 run_ticks, switches;
    struct monitor_tracks *tracks; // its CPU's (observe/monitors/tracks.h); NULL: nobody tracks it
    // When another CPU woke it while monitors recorded (0: none has), in place of its how manyeth
    // switch, and what for: observe/monitors/sensor.c.
    u64 woken_at, woken_switches;
    u8 woken_for;
    u8 slice_ticks;                // how many ticks it keeps the CPU from its equals
    bool essential;                // thread_set_essential
    u32 domain;                    // of a kernel thread, that the logs account it to
    struct mutex *innermost_mutex; // that it has; its own
    struct mutex *awaited_mutex;   // that it sleeps for; its own
    char name[THREAD_NAME_MAX];
};

// Puts a READY thread into its CPU's run queue and lets that CPU know. Any context but PMI.
void scheduler_add(struct thread *thread);
// Does as scheduler_add for a thread that has not run yet, and tells of it.
void scheduler_start(struct thread *thread);
// Gives a thread a slot in the table of threads, and sets its id. preferred: it may have the last
// slots, too. Returns 0 or E_LIMIT.
s64 thread_table_add(struct thread *thread, bool preferred);
void thread_table_remove(const struct thread *thread);
// Shows a thread that has not ended, while it stays so on its own CPU if that is this one. Returns
// false if there is none. Any context but PMI; visit takes no lock of rank <= RANK_OBJECT.
bool thread_table_visit(u32 id, void (*visit)(struct thread *thread, void *argument),
                        void *argument);
// Lists kernel threads for the scan; those of dispatchers belong to their processes. Counts all if
// out is NULL.
u32 thread_table_coids(coid_t *out, u32 max);
// A thread as it is at this moment; dispatchers' too.
struct thread_summary {
    u32 id, cpu;
    u8 priority, state;
    bool kernel;   // it is no dispatcher's
    u16 exception; // vector of the one in which a ready kernel thread of this CPU lost it; 0: none
    coid_t coid;
    u64 awaits; // a mutex that it sleeps for, in the list of this CPU's threads; 0: none
    u32 owner;  // … and who has it; 0: not known
    char name[THREAD_NAME_MAX];
};
// Gets the next thread of a CPU behind *cursor, which is 0 to start. Returns false if there is
// none. Any context but PMI.
bool thread_table_next(u32 *cursor, u32 cpu, struct thread_summary *summary);
// Tells on the console what a thread is doing (thread_report.c). Only while nothing else runs.
void thread_report(const struct thread *thread);
// Makes a thread for a dispatcher that begins at entry(dispatcher). It does not run until
// scheduler_add. Returns NULL if out of memory.
struct thread *thread_create_dispatcher(const char *name, void (*entry)(void *),
                                        struct dispatcher *dispatcher, u32 cpu, u8 priority);
// Lets a thread have its next turn before its equals, though behind those that were favoured before
// it: somebody waits for it who would else wait for all of them. Any context but PMI; locks held
// have rank < RANK_THREAD.
void scheduler_favour(struct thread *thread);
// Gives a dispatcher's thread another priority and slice. Its own CPU, soft-masked, no lock of rank
// >= RANK_THREAD held.
void scheduler_set_turn(struct thread *thread, u8 priority, u8 slice_ticks);
// Does as thread_park_for, called and returning soft-masked.
bool thread_park_masked(u64 deadline, u32 reason);
// Does as thread_unpark_for in the name of thread by; WAKER_HERE: of thread_waker's.
#define WAKER_HERE UINT32_MAX
void thread_unpark_by(struct thread *thread, u32 reason, u32 by);
// Returns who wakes what is woken here: the running thread's id, or 0 in an interrupt.
u32 thread_waker(void);
// Parks the calling thread, and runs `to`, which is parked on the same CPU, at once. Returns true
// when the caller has been unparked. Returns false, with nothing done, if `to` is not parked,
// something more urgent is runnable, or the caller has been unparked already. Soft-masked, the
// caller in no generation.
bool scheduler_hand_over(struct thread *to, u32 reason);
// Ends the calling thread, whatever it is in; it is a member of a generation.
void thread_end(void) __attribute__((noreturn));
// Calls from user mode join no generation until something happens that could end one: interrupts
// that advance generations, and switches, call this first. No effect on a member, or in user mode.
// Soft-masked.
void thread_join_generation(struct thread *thread);
// Changes the CPU's process, address space and pending work when it goes between threads of which
// one is a dispatcher. Soft-masked, after `current` has changed, before the stack has.
void dispatcher_switched(struct thread *from, struct thread *to);
// Lets the current dispatcher look at its events before it goes on. Interrupt context.
void dispatcher_poked(void);

#endif
