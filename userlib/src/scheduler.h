// SPDX-License-Identifier: MIT
// Threads and their schedulers, inside of the library. A scheduler and the threads on its CPU
// belong to that CPU; others reach them through its inbox only. Everything here runs inside of
// user_disable ("disabled").
#ifndef USERLIB_SCHEDULER_H
#define USERLIB_SCHEDULER_H

#include "layout.h"
#include "timers.h"
#include "report.h"
#include "usage.h"

#include <co/quiesce.h>
#include <orrery/errors.h>
#include <orrery/pmu_model.h>
#include <orrery/process.h>
#include <orrery/thread_layout.h>
#include <reent.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define ATTENTION_PREEMPT 1u // a thread of higher priority is ready
#define ATTENTION_ROTATE 2u  // current's slice is over

#define THREAD_MAGIC 0x5448524541444d47 // "THREADMG"
#define KICK_INBOX 0                    // bit of EVENT_KICK: look into the inbox
#define KICK_FIRST_FREE 1

// What a thread can be woken by: tokens and the reason it is blocked for.
#define WAKE_USER 1u     // thread_unpark
#define WAKE_LIBRARY 2u  // the library's own waits, which look again
#define WAKE_REPLY 4u    // the answer to its call
#define WAKE_WORK 8u     // a worker's next call
#define INBOX_ARRIVE 16u // in an inbox only: it comes from another CPU, or is new
#define INBOX_FREE 32u   // in an inbox only: it has ended, its memory goes back

struct ipc_message;
struct worker;

struct thread_queue {
    struct thread *head, *tail;
};

struct thread {
    u64 sp;
    u64 fp_saved;
    struct user_state state;
    u64 fpr[33]; // with fpscr
    u64 magic;

    struct thread *next; // in a ready queue or a stack cache
    u32 id, cpu, priority;
    u32 run;                        // enum thread_state
    u32 tokens, blocked_for;        // WAKE_*
    u32 wanted_cpu;                 // where thread_move wants it
    u32 wanted_priority;            // from its next turn on
    u64 fault_token, fault_address; // of the page that it waits for
    u32 fault_access;               // PROT_R, W or X
    struct timer timer;
    struct thread *inbox_next;
    u32 inbox_flags; // atomic: WAKE_*, INBOX_ARRIVE; not 0: in an inbox, or about to be

    struct co_generation_member member;
    struct _reent *reent;
    struct _reent own_reent;
    void *slots[THREAD_SLOTS];
    u64 switches;
    struct usage usage; // of the CPU, for policies
    u32 log_domain;     // atomic: in the process's own logs; 0: that of the process

    thread_function function;
    void *argument;
    s64 result;
    u32 holders; // atomic: 1 while it lives, 1 for who may join it
    bool detached, ended, pinned;
    struct thread *joiner;
    struct thread *all_next, *all_previous;
    u64 stack_low, stack_high; // its memory; this structure lies above
    u64 region;                // of the stack, 0: not ours to give back
    u64 region_bytes;
    char name[THREAD_NAME_MAX + 1];

    struct ipc_message *message; // of the call that it waits for
    s64 status;                  // of its answer
    u64 counted[MODEL_COUNTERS]; // events, user/pmu.h
    u64 mutex;                   // or what it waits for, as struct thread_layout has it
    struct worker *worker;       // that it is; NULL: it serves no calls
};

_Static_assert(offsetof(struct thread, sp) == THREAD_SP, "layout.h");
_Static_assert(offsetof(struct thread, fp_saved) == THREAD_FP_SAVED, "layout.h");
_Static_assert(offsetof(struct thread, state) == THREAD_STATE, "layout.h");
_Static_assert(offsetof(struct thread, fpr) == THREAD_FPR, "layout.h");

struct scheduler {
    struct thread *current;
    u32 attention;  // ATTENTION_*: see to it before going on enabled
    u32 ready_mask; // bit n: priority n
    u32 cpu;
    struct thread_queue ready[THREAD_PRIORITIES];
    struct timers timers;
    u64 armed;     // time given to sys_timer, UINT64_MAX: none
    u64 slice_end; // UINT64_MAX: nobody waits for current's turn to end
    u32 slice_us;  // of a turn that begins now
    u32 turn;      // whose the last turn that began is: a thread's number
    u64 aged;      // when the ready ones' usage was looked at: a period (usage.h)
    const struct scheduler_policy *policy; // NULL: the library's own
    struct leaving leaving;                // who gives its CPU up
    struct thread *inbox;                  // atomic
    struct thread *faulted;                // waiting for pages
    struct worker *idle_workers;
    struct backlog *backlog, *backlog_tail;
    u32 worker_count;
    struct thread_stat stat;
};

_Static_assert(sizeof(struct scheduler) <= WINDOW_MESSAGE - DISPATCHER_LIBRARY, "dispatcher page");
_Static_assert(offsetof(struct scheduler, attention) == USER_ATTENTION - SCHEDULER, "scheduler.h");
_Static_assert(offsetof(struct scheduler, current) == SCHEDULER_CURRENT - SCHEDULER, "layout.h");

// Reasons why a switch of threads has more to do, each a byte of the dispatcher's page.
enum switch_work {
    SWITCH_POLICY,  // the scheduler has a policy
    SWITCH_LEAVING, // scheduler->leaving is somebody
};

// Returns whether a switch has more to do, for monitors or for one of these. It takes one load, as
// each switch asks.
static inline bool switch_has_work(void)
{
    u64 work;
    __asm__ volatile("ld %0,%1(13)" : "=r"(work) : "i"(DISPATCHER_SWITCH_WORK));
    return __builtin_expect(work != 0, 0);
}

static inline struct scheduler *scheduler_of(u32 cpu)
{
    return (struct scheduler *)(USER_WINDOW + cpu * R13_WINDOW_SIZE + DISPATCHER_LIBRARY);
}

static inline struct scheduler *scheduler_here(void)
{
    struct scheduler *here;
    __asm__ volatile("addi %0,13,%1" : "=r"(here) : "i"(SCHEDULER));
    return here;
}

static inline void *window_message(void)
{
    void *message;
    __asm__ volatile("addi %0,13,%1" : "=r"(message) : "i"(WINDOW_MESSAGE));
    return message;
}

// ---- ready threads ------------------------------------------------------------------------------

// Makes a thread of this CPU ready, behind its equals (front: before them), and makes sure of its
// turn.
void scheduler_ready(struct scheduler *scheduler, struct thread *thread, bool front);
// Lets the current thread rest until it is woken for one of `reasons`, or not at all if it has such
// a token. Takes and returns its tokens that are among the reasons.
u32 scheduler_block(u32 reasons);
// Does as scheduler_block, but at most until deadline. Returns 0 then.
u32 scheduler_block_until(u32 reasons, u64 deadline);
// Gives tokens to a thread of this or another CPU. May come at any time before its end.
void scheduler_wake(struct thread *thread, u32 tokens);
// Makes a thread that is nowhere run on its thread->cpu.
void scheduler_send(struct thread *thread);
// Gives an ended thread's memory back. If it is in an inbox: later.
void scheduler_free(struct thread *thread);
// Takes what others have sent here.
void scheduler_inbox_slow(struct scheduler *scheduler);
static inline void scheduler_inbox(struct scheduler *scheduler)
{
    if (__atomic_load_n(&scheduler->inbox, __ATOMIC_RELAXED))
        scheduler_inbox_slow(scheduler);
}
// Begins a slice of scheduler->slice_us.
void scheduler_slice(struct scheduler *scheduler);
// Puts the current thread behind its equals; the best thread runs.
void scheduler_yield(void);
static inline void scheduler_set_leaving(u8 is)
{
    __asm__ volatile("stb %0,%1(13)"
                     :
                     : "r"(is), "i"(DISPATCHER_SWITCH_WORK + SWITCH_LEAVING)
                     : "memory");
}

static inline u64 thread_name_word(const struct thread *thread)
{
    u64 word;
    __builtin_memcpy(&word, thread->name, sizeof(word));
    return word;
}

// Notes that the thread that runs, or ran, leaves the CPU, and why (trace/reasons.h). Before
// scheduler_dispatch.
static inline void scheduler_leaves(struct scheduler *scheduler, const struct thread *thread,
                                    u32 reason)
{
    if (!reports_wanted())
        return;
    scheduler->leaving =
        (struct leaving){.thread = SYS_MONITOR_THREAD_WORD(thread->id, SYS_MONITOR_LEAVES),
                         .what = MONITOR_TELL(SYS_MONITOR_THREAD, reason),
                         .name = thread_name_word(thread)};
    scheduler_set_leaving(1);
}
// Sees to a thread that is better than the current one, and to events that wait. Returns when there
// is neither.
void scheduler_reschedule(void);
// Finds a thread to run, when none of this CPU runs. On the upcall stack.
void scheduler_dispatch(void) __attribute__((noreturn));
void scheduler_arm(struct scheduler *scheduler);
// Wakes all timers that are due.
void scheduler_timer(struct scheduler *scheduler);

// ---- events (event.c) ---------------------------------------------------------------------------

void event_handle(const struct event *event);
void event_upcall(const struct event *event) __attribute__((noreturn)); // from switch.S
// Handles all events that the kernel has for us.
void event_poll(void);

// ---- assembly (switch.S, calls.S) ---------------------------------------------------------------

// Saves the current thread and goes on with another, which becomes scheduler->current.
void thread_switch(struct thread *from, struct thread *to);
// Goes on with a thread, and gives the stack in use up.
void thread_resume(struct thread *to) __attribute__((noreturn));
// Saves the current thread, and calls function(thread) on the upcall stack, which does not return.
void thread_leave(struct thread *from, void (*function)(struct thread *));
// Is the first code of a thread. Calls thread_begin.
void thread_entry(void);
void thread_begin(void) __attribute__((noreturn));

void event_wait(struct event *event);
void event_get(struct event *event);
void event_call(cap_t cap, u64 token, u32 flags, u64 info, const u64 *words, struct event *event);
void event_reply_wait(u64 call, s64 status, u64 info, const u64 *words, struct event *event);
s64 event_reply(u64 call, s64 status, u64 info, const u64 *words);
s64 event_send(cap_t cap, s64 cpu, const u64 *words);
void upcall_entry(void);

// ---- moving (move.c) ----------------------------------------------------------------------------

// Moves the current thread, which is offline, to the CPU where it is wanted.
void thread_follow(struct thread *self);
void thread_follow_online(struct thread *self);
// Keeps the calling thread on this CPU from now on. Disabled.
void thread_pin(struct thread *self);
static inline void thread_follow_request(struct thread *self) // the same, online
{
    if (self->wanted_cpu != user_cpu())
        thread_follow_online(self);
}

// ---- counters (pmu.c) ---------------------------------------------------------------------------

// Gives what was counted to the thread that has run here last, which leaves this CPU or ends.
void pmu_thread_leaves(void);

// ---- threads (thread.c) -------------------------------------------------------------------------

// Says where the kernel finds what threads wait for.
extern const struct thread_layout thread_layout;

// Makes a thread that is nowhere yet; NULL: no memory. Its priority has been checked. stack_bytes
// 0: default.
struct thread *thread_make(const struct thread_attributes *attributes, thread_function function,
                           void *argument);
void thread_unmake(struct thread *thread); // one that has never run
// Makes the calling thread the first, whose stack is not the library's.
void thread_make_first(u64 stack, u64 bytes);
void thread_all_lock(void);
void thread_all_unlock(void);
struct thread *thread_all_first(void); // with the lock

// Stacks with room for a struct thread at their upper end: from the cache, or new regions.
struct thread *stack_take(u64 bytes);
void stack_give(struct thread *thread);

extern void (*user_switch_hook)(struct thread *next);

#endif
