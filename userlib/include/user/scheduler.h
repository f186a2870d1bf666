// SPDX-License-Identifier: MIT
// What the other parts of the library need of the scheduler: critical sections, spin locks, event
// handlers, start-up steps. Programs use user/thread.h, user/lock.h, user/ipc.h.
#ifndef USER_SCHEDULER_H
#define USER_SCHEDULER_H

#include <orrery/types.h>
#include <orrery/user.h>

// ---- critical sections --------------------------------------------------------------------------

// From user_disable to user_enable(what it returned) the thread stays on its CPU, no other thread
// runs there, and no event arrives. The kernel may still take the CPU away for other processes, and
// a page fault stops the dispatcher. Nests. Inside: no blocking call of the library, no malloc.
static inline u32 user_disable(void);
static inline void user_enable(u32 before);
static inline u32 user_cpu(void) // the calling CPU; may change at any time outside of user_disable
{
    u32 cpu;
    __asm__ volatile("lwz %0,%1(13)" : "=r"(cpu) : "i"(R13_CPU));
    return cpu;
}
u32 user_cpu_count(void);   // of the machine
u64 user_dispatchers(void); // mask of CPUs on which the process has a dispatcher
struct dispatcher_page *user_page(u32 cpu);
// Makes sure that there is a dispatcher on cpu. E_INVAL, E_NOMEM.
s64 user_dispatcher_start(u32 cpu);

// U32: the scheduler has another thread for this CPU. Each access is one instruction from r13:
// outside of the section the thread may come to another CPU between any two.
#define USER_ATTENTION (DISPATCHER_LIBRARY + 8)
void user_enable_slow(void);

static inline u32 user_disable(void)
{
    u32 before, one = 1;
    __asm__ volatile("lwz %0,%2(13)\n\tstw %1,%2(13)"
                     : "=&r"(before)
                     : "r"(one), "i"(DISPATCHER_DISABLED)
                     : "memory");
    return before;
}

static inline void user_enable(u32 before)
{
    u32 attention = 0, pending = 0, zero = 0;
    if (before)
        return;
    __asm__ volatile("lwz %0,%1(13)" : "=r"(attention) : "i"(USER_ATTENTION) : "memory");
    if (__builtin_expect(attention, 0)) {
        user_enable_slow();
        return;
    }
    __asm__ volatile("stw %1,%2(13)\n\tlwz %0,%3(13)"
                     : "=&r"(pending)
                     : "r"(zero), "i"(DISPATCHER_DISABLED), "i"(DISPATCHER_PENDING)
                     : "memory");
    if (__builtin_expect(pending, 0)) {
        user_disable();
        user_enable_slow();
    }
}

// Spin locks for short critical sections, inside of user_disable only. Ready when zeroed.
struct user_spin {
    u32 word;
};
void user_spin_lock(struct user_spin *spin);
bool user_spin_try(struct user_spin *spin);
void user_spin_unlock(struct user_spin *spin);

// ---- what happens ------------------------------------------------------------------------------

// Handlers run on the dispatcher that got the event, inside of user_disable, on any thread's stack
// or the upcall stack. They note what came and wake threads (thread_unpark, semaphore_up). There is
// one for each type or bit.

// Sets the handler of EVENT_INSPECT, EVENT_CHILD or EVENT_OVERFLOW; the scheduler handles the
// others. E_INVAL, E_EXIST.
s64 user_on_event(u32 type, void (*handler)(const struct event *event));
// For handlers of these, and of timers (user/timer.h). Returns the state of the thread that the
// event has interrupted. NULL: it came while the dispatcher was disabled, or no thread ran.
const struct user_state *user_interrupted(void);
// Returns the number of the thread whose turn it is; 0: no thread's. Inside of user_disable.
u32 user_running(void);
// Returns how many threads wait for their turn on this CPU. Inside of user_disable.
u32 user_ready_threads(void);
// Takes a new bit of EVENT_KICK: handler runs on the CPU that sys_dispatcher_kick(cpu, 1 << bit)
// names. Returns the bit, or E_LIMIT.
s64 user_on_kick(void (*handler)(void));
// Adds a handler for faults and traps of threads that the kernel could not resolve. It returns true
// if it has repaired the cause: then the thread goes on with *state. All handlers are asked in
// turn, before the crash report. E_LIMIT (4).
s64 user_on_exception(bool (*handler)(const struct event *event, struct user_state *state));
// Sets the handler that is called when a thread is given its CPU, and, with NULL, when a CPU runs
// out of threads. Inside of user_disable. There is one; it must be short. For traces and
// quiescence.
struct thread;
void user_on_switch(void (*handler)(struct thread *next));

// A policy is an object: how a scheduler shares its CPU among threads (S003 §3). Without one,
// equals have it in turn, 10 ms each. A program that names a policy gets its code linked.
struct scheduler_policy;
// - growing: a turn is twice as long as the one before, up to 160 ms, while no thread joins the
// ready ones. A thread's priority falls by one for each two turns that it used up, three at most.
// What it used counts half after each 100 ms.
// - starving: the same, but that counts half only after each 100 ms that the thread itself runs.
// So threads get stuck at low priorities: a bug, to be looked at.
extern const struct scheduler_policy scheduler_growing, scheduler_starving;
// Gives the schedulers of this process their policy: this one now, those of other CPUs when they
// are made. E_BUSY: there are others already, or there is a policy.
s64 scheduler_policy(const struct scheduler_policy *policy);

// ---- start-up ----------------------------------------------------------------------------------

// USER_INIT(level, function): calls function() before constructors and main, on the first thread,
// in order of level: 1 trace, 2 objects, 3 locks, 4 monitor, 5 files, 6 network, 9 the rest. An
// error ends the process.
#define USER_INIT(level, function)                                                                 \
    static s64 (*const user_start_##function)(void)                                                \
        __attribute__((section(".user_start." #level), used)) = function

// Calls function(cpu) for a new dispatcher, before its first thread, on its CPU, inside of
// user_disable. Levels are the same; the first dispatcher's come before all functions of USER_INIT.
#define USER_CPU_START(level, function)                                                            \
    static s64 (*const user_cpu_start_##function)(u32 cpu)                                         \
        __attribute__((section(".user_cpu_start." #level), used)) = function

// Allocates memory of the library below malloc, for use inside of user_disable and at start-up:
// zeroed, 16-byte aligned. It comes from the program's own memory first, then from USER_MAP. NULL:
// none is left.
void *user_alloc(u64 bytes);
void user_free(void *memory, u64 bytes); // bytes as given to user_alloc
// Maps whole pages, zero-filled on demand. address 0: anywhere. NULL: no memory.
void *user_pages(u64 address, u64 bytes);
void user_pages_free(void *memory, u64 bytes);

// The window of a dispatcher (orrery/r13.h): what the library maps from WINDOW_LIBRARY on.
#define WINDOW_UPCALL_STACK 0x6000 // after a page that is never there
#define WINDOW_UPCALL_STACK_END 0xe000

// Ends the process with a report on the console: the library found itself in an impossible state.
void user_panic(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

// ---- stack walks -------------------------------------------------------------------------------

// Walks the call chain of the thread in *state. callers: at most max return addresses, innermost
// first. Returns how many. Exact at every instruction (scripts/mktables.py); reads only that
// thread's stack. Inside of user_disable.
u32 user_stack_walk(const struct user_state *state, u64 *callers, u32 max);
// Does as user_stack_walk for the calling function, whose own return address comes first. Any
// thread.
u32 user_stack_walk_here(u64 *callers, u32 max);
// Returns the name of the function at pc, and the offset in it, or NULL if there is none.
const char *user_symbol(u64 pc, u64 *offset);

#endif
