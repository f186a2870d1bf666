// SPDX-License-Identifier: MIT
// User threads (docs/userlib.md). The library runs them on the process's dispatchers, at most one a
// CPU. A dispatcher comes into being when a thread is first put on its CPU. Each CPU runs the ready
// thread of highest priority, equals in turn by time slices. A thread that blocks (a lock, a call,
// a page, time) blocks no other.
//
// Context, unless said otherwise: a thread, not inside of user_disable (user/scheduler.h). Results
// are 0 or a negative error (orrery/errors.h).
#ifndef USER_THREAD_H
#define USER_THREAD_H

#include <orrery/errors.h>
#include <orrery/user.h>

struct thread; // valid until it has been joined, or, detached, has ended

typedef s64 (*thread_function)(void *argument);

#define THREAD_PRIORITIES 8 // 0 … 7, the greater the sooner
#define THREAD_PRIORITY_DEFAULT 3
#define THREAD_PRIORITY_WORKER 5  // of threads that serve calls (user/ipc.h)
#define THREAD_PRIORITY_LIBRARY 6 // of the library's own
#define THREAD_HERE UINT32_MAX    // cpu: that of the caller
#define THREAD_FOREVER UINT64_MAX // deadline: none

#define THREAD_STACK_DEFAULT 0x10000
#define THREAD_STACK_MIN 0x2000
#define THREAD_STACK_MAX 0x4000000

#define THREAD_NAME_MAX 23 // characters

struct thread_attributes {
    const char *name; // copied, cut to THREAD_NAME_MAX; NULL: none
    u32 cpu;          // THREAD_HERE, or one that the machine has
    u32 priority;     // 0 … THREAD_PRIORITIES - 1
    u64 stack_bytes;  // THREAD_STACK_MIN … THREAD_STACK_MAX, 0: THREAD_STACK_DEFAULT
    bool detached;    // nobody will join it
    bool pinned;      // it belongs to its CPU: nobody moves it
};
#define THREAD_ATTRIBUTES                                                                          \
    {                                                                                              \
        .cpu = THREAD_HERE, .priority = THREAD_PRIORITY_DEFAULT                                    \
    }

// Starts a thread in function(argument). attributes NULL: THREAD_ATTRIBUTES. Below its stack lies a
// page that is never there. E_INVAL: no such CPU, priority or stack; E_NOMEM; E_LIMIT.
s64 thread_create(struct thread **thread, const struct thread_attributes *attributes,
                  thread_function function, void *argument);
// Waits for the end of a thread that is not detached, and takes what it returned (NULL: not
// wanted). Once for a thread.
s64 thread_join(struct thread *thread, s64 *result);
// Detaches a thread: nobody will join it. E_INVAL: it is detached already.
s64 thread_detach(struct thread *thread);
// Ends the calling thread. When the first thread returns from main, the process ends; when it calls
// thread_exit, the others go on.
void thread_exit(s64 result) __attribute__((noreturn));

// Lets ready threads of the same priority go first.
void thread_yield(void);
// Sleeps until the time base (sys_time, user/time.h) reaches deadline.
void thread_sleep_until(u64 deadline);
void thread_sleep_us(u64 microseconds);

// Sleeps until thread_unpark or deadline. Returns true if unparked. Wakes for no other reason. An
// unpark that came first is remembered (one token), so a caller looks at what it waits for, and
// parks again.
bool thread_park(u64 deadline);
// Wakes a thread on any CPU that has not ended. Any thread, also inside of user_disable.
void thread_unpark(struct thread *thread);

static inline struct thread *thread_current(void)
{
    struct thread *thread;
    __asm__ volatile("ld %0,%1(13)" : "=r"(thread) : "i"(DISPATCHER_LIBRARY));
    return thread;
}
u32 thread_id(const struct thread *thread); // from 1, unique in the process
const char *thread_name(const struct thread *thread);
void thread_set_name(struct thread *thread, const char *name); // copied, cut to THREAD_NAME_MAX
u32 thread_cpu(const struct thread *thread);
u32 thread_priority(const struct thread *thread);
s64 thread_set_priority(struct thread *thread, u32 priority); // E_INVAL

// Moves a thread to a CPU. The caller itself has moved on return. Another one moves when it next
// blocks or yields: in between it may hold representatives of its CPU. E_INVAL: no such CPU;
// E_PERM: it is pinned; E_NOMEM.
s64 thread_move(struct thread *thread, u32 cpu);
// Moves all threads that the process has now, as thread_move (INSPECT_MOVE). Pinned ones stay:
// those of the library that each CPU needs, and the workers that take its calls.
s64 thread_move_all(u32 cpu);

// A slot is one word of each thread, for whoever wants it; 0 at first. Slots are handed out once
// and never come back: E_LIMIT after THREAD_SLOTS. Not cleaned up at the thread's end.
#define THREAD_SLOTS 16
s64 thread_slot(void);
void *thread_get(u32 slot);
void thread_set(u32 slot, void *value);

// Lists all threads, for ps and tests. *cursor is 0 to start. Returns the bytes written, 0 at the
// end.
enum thread_state { THREAD_READY, THREAD_RUNNING, THREAD_BLOCKED, THREAD_ENDED };
struct thread_info {
    u32 id, state, cpu, priority;
    u64 switches; // how often it was given its CPU
    char name[THREAD_NAME_MAX + 1];
};
s64 thread_list(u64 *cursor, struct thread_info *threads, u64 bytes);

// What a CPU's scheduler has done since the process's start.
struct thread_stat {
    u64 switches, preemptions, upcalls, waits, events, kicks, moves, timers;
};
void thread_stat(u32 cpu, struct thread_stat *stat); // zeroes for a CPU without dispatcher

#endif
