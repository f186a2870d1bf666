// SPDX-License-Identifier: MIT
// The dispatcher: what the kernel keeps of a process on one CPU. Its thread's stack begins with the
// frame of its user code, at a fixed place.
#ifndef KERNEL_PROC_DISPATCHER_H
#define KERNEL_PROC_DISPATCHER_H

#include <kernel/frame.h>
#include <kernel/ipc.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>
#include <kernel/timer.h>

#include "dispatcher_layout.h"
#include "exception/fpu.h"
#include "overflow.h"

struct process;
struct thread;

#define DISPATCHER_MAGIC 0x44495350 // "DISP"

struct dispatcher {
    // Together 0 while it runs, DISPATCHER_ASLEEP or _IN_CALL while it sleeps with nothing to do.
    // Another CPU may write the first two; the others are this CPU's alone, which is why wake-ups
    // are carried there (events.c).
    union {
        struct {
            volatile bool has_events;
            volatile bool ending;
            volatile bool overflowed; // is to be told of overflow.record
            u8 reserved[2];
            bool handed; // an event has been put into its registers: its sleep is over
            // DISPATCHER_WAITS or _CALLS: goes on by dispatcher_resume; 0: does not wait
            u8 waiting;
            bool asleep; // and its thread is parked
        };
        volatile u32 news; // its first half: the dispatcher has to do something
        u64 state;
    };
    struct process *process;
    // Copies for the fast path of calls (ipc/fast_path.S), the first four read in pairs.
    u64 kernel_stack; // where kernel frames begin; the frame of the user code lies below it
    coid_t process_coid;
    u64 tag;     // of its space; changed under the process's lock
    u32 urgency; // a run queue's `occupied` is below this when nothing more urgent is ready
    u32 pid;
    u64 call_type; // EVENT_CALL_OF(pid)
    struct thread *thread;
    struct capability_table *capabilities;
    struct ipc_dispatcher ipc;
    void *message;
    struct dispatcher_page *page;
    u32 magic; // DISPATCHER_MAGIC
    u32 cpu;
    u32 thread_id;        // of its thread, also when that has gone
    u32 domain;           // that the logs account it to; under the process's lock
    u32 descriptor;       // that domain's, or LOG_NOBODY (domain.h)
    u64 untraced;         // not 0: the trace leaves it out; as `tag`
    struct spinlock lock; // RANK_CO; guards has_events and the next four
    struct posted_event *first, *last;
    u64 kicks;                      // bits of EVENT_KICK
    bool timer_due;                 // EVENT_TIMER
    bool notice_sent;               // in its CPU's list of those to look at
    bool unpark_sent;               // … and its thread is to be unparked
    u8 notice_reason;               // what for, first of all,
    u32 notice_by;                  // … and in whose name: for the trace
    struct dispatcher *notice_next; // all under that list's lock
    bool ended;                     // its thread has gone
    bool interrupted_user;          // in the handler of an interrupt of user code: holds no object
    struct timer timer;
    struct fpu_state fpu; // while it does not own the CPU's registers
    u64 fault_tokens;     // given out for EVENT_FAULT_BLOCKED
    u64 events;           // delivered
    u64 run_ticks;        // of its thread, when that has gone
    u64 start_pc, start_toc, start_sp, start_argument;
    bool start_event; // begins with EVENT_START, not as a program
    struct overflow_state overflow;
    // Its place, its own CPU alone: armed while it has to leave the CPU, and what came then.
    struct timer place_timer;
    bool lowered;
};

// Returns where a process finds the window of its dispatcher on cpu.
static inline u64 dispatcher_window(u32 cpu)
{
    return (u64)USER_WINDOW + (u64)cpu * R13_WINDOW_SIZE;
}

// Makes a dispatcher on cpu: wires its page and message buffer, and makes its thread, which does
// not run yet. Returns 0, E_NOMEM or E_EXIST. Thread context, the process held.
s64 dispatcher_create(struct process *process, u32 cpu, struct dispatcher **made);
// Frees one whose thread has ended.
void dispatcher_free(struct dispatcher *dispatcher);
// Frees one that has never been started, and its thread.
void dispatcher_discard(struct dispatcher *dispatcher);
// Starts its thread, which enters user mode at start_pc.
void dispatcher_start(struct dispatcher *dispatcher);
// Has its thread unparked by its own CPU. Any context but PMI, no lock of rank >= RANK_THREAD held.
void dispatcher_unpark(struct dispatcher *dispatcher, u32 reason);
// Makes it end before it next runs user code, and wakes it. Any thread.
void dispatcher_stop(struct dispatcher *dispatcher);
// Ends the calling dispatcher, and gives back what still waits in its queue.
void dispatcher_end(void) __attribute__((noreturn));

// Makes the user code of self's dispatcher, which frame holds, go on in the upcall entry with
// event. Its state is saved. Returns false, with nothing done, if that is not possible (disabled,
// or no entry known). Own thread.
bool dispatcher_upcall(struct dispatcher *self, struct frame *frame, const struct event *event);
// Returns whether it runs user code that could take an upcall. Own thread.
bool dispatcher_enabled(const struct dispatcher *self);
// Delivers one event as an upcall when there is one and it can be; own thread, EE on.
void dispatcher_deliver(struct dispatcher *self, struct frame *frame);

#endif
