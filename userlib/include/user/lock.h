// SPDX-License-Identifier: MIT
// Sleep locks: who must wait gives up the CPU to other threads. Their queues of waiting threads are
// in the process's BlockedThreadQueues object (S000 "Software Instrumentation"), so a lock is one
// or two words. Free paths are one compare-and-swap and no system call. Any thread, not inside of
// user_disable. All are ready when zeroed; none needs destruction, but none may go while somebody
// waits on it.
#ifndef USER_LOCK_H
#define USER_LOCK_H

#include <orrery/errors.h>
#include <orrery/types.h>
#include <user/thread.h>

// ---- mutex -------------------------------------------------------------------------------------
// Waiting threads are woken in order of arrival; one that comes along meanwhile may be faster.
// Taking it twice panics; recursive ones are below.

struct mutex {
    u64 word; // owner | 1 when somebody waits; 0: free
};
#define MUTEX_INITIALISER                                                                          \
    {                                                                                              \
        0                                                                                          \
    }
static inline void mutex_lock(struct mutex *mutex);
static inline bool mutex_try(struct mutex *mutex);
s64 mutex_lock_until(struct mutex *mutex, u64 deadline); // 0, or E_TIMEOUT
static inline void mutex_unlock(struct mutex *mutex);    // by its owner
bool mutex_held(const struct mutex *mutex);              // by the caller

// Called by the function that was called to take a mutex, when its thread has waited and has it:
// since when. One; must be short, and take no mutex. For traces.
void mutex_on_wait(void (*handler)(const struct mutex *mutex, u64 since));

void mutex_lock_slow(struct mutex *mutex);
void mutex_unlock_slow(struct mutex *mutex);

// Returns thread_current() of a thread that is no dispatcher. Nobody else runs on its stack, so the
// compiler may ask once for many mutexes.
static inline struct thread *mutex_caller(void)
{
    struct thread *thread;

    __asm__("ld %0,%1(13)" : "=r"(thread) : "i"(DISPATCHER_LIBRARY));
    return thread;
}

// These two are the compiler's compare-and-swaps, in acquire and in release order. The compiler's
// ask a second time what the word was. volatile: some compilers drop an asm goto with outputs.
static inline bool mutex_try(struct mutex *mutex)
{
    u64 before;

    __asm__ volatile goto("1: ldarx %0,0,%1\n\t"
                          "cmpdi %0,0\n\t"
                          "bne- %l[taken]\n\t"
                          "stdcx. %2,0,%1\n\t"
                          "bne- 1b\n\t"
                          "isync"
                          : "=&r"(before)
                          : "r"(&mutex->word), "r"(mutex_caller())
                          : "cr0", "memory"
                          : taken);
    return true;
taken:
    return false;
}

static inline void mutex_lock(struct mutex *mutex)
{
    if (__builtin_expect(!mutex_try(mutex), 0))
        mutex_lock_slow(mutex);
}

static inline void mutex_unlock(struct mutex *mutex)
{
    u64 before;

    __asm__ volatile goto("lwsync\n"
                          "1: ldarx %0,0,%1\n\t"
                          "cmpd %0,%2\n\t"
                          "bne- %l[slow]\n\t"
                          "stdcx. %3,0,%1\n\t"
                          "bne- 1b"
                          : "=&r"(before)
                          : "r"(&mutex->word), "r"(mutex_caller()), "r"(0UL)
                          : "cr0", "memory"
                          : slow);
    return;
slow:
    mutex_unlock_slow(mutex);
}

struct recursive_mutex {
    struct mutex mutex;
    u64 depth;
};
void recursive_mutex_lock(struct recursive_mutex *mutex);
bool recursive_mutex_try(struct recursive_mutex *mutex);
void recursive_mutex_unlock(struct recursive_mutex *mutex);

// ---- condition ---------------------------------------------------------------------------------

struct condition {
    u64 sequence; // of signals
};
// Gives the mutex back, waits, takes it again.
// Look at what is waited for once more: it may be gone.
void condition_wait(struct condition *condition, struct mutex *mutex);
s64 condition_wait_until(struct condition *condition, struct mutex *mutex,
                         u64 deadline); // 0, or E_TIMEOUT
// The waiting alone, for who gives back a lock of another kind: until a signal after that sequence,
// which was read with the lock. 0, also if one came before; or E_TIMEOUT.
s64 condition_sleep_until(struct condition *condition, u64 sequence, u64 deadline);
void condition_signal(struct condition *condition);
void condition_broadcast(struct condition *condition);

// ---- semaphore ---------------------------------------------------------------------------------

struct semaphore {
    u64 count;   // what can be taken
    u64 waiters; // threads waiting
};
#define SEMAPHORE_INITIALISER(n)                                                                   \
    {                                                                                              \
        (n), 0                                                                                     \
    }
void semaphore_down(struct semaphore *semaphore);
bool semaphore_try(struct semaphore *semaphore);
s64 semaphore_down_until(struct semaphore *semaphore, u64 deadline); // 0, or E_TIMEOUT
void semaphore_up(struct semaphore *semaphore);                      // also inside of user_disable
// The same, unless there are max already. Returns whether.
bool semaphore_up_below(struct semaphore *semaphore, u64 max);

// ---- once --------------------------------------------------------------------------------------

struct once {
    struct mutex mutex;
    u64 done;
};
// function() has been called, by somebody, exactly once.
void once_call(struct once *once, void (*function)(void));

#endif
