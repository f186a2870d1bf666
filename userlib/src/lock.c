// SPDX-License-Identifier: MIT
// Sleep locks: one compare-and-swap while nobody waits; otherwise BlockedThreadQueues.
#include "blocked_threads.h"
#include "check.h"

#include <user/lock.h>
#include <user/time.h>

static void (*wait_hook)(const struct mutex *mutex, u64 since);

#define WAITED 1ul // of a mutex's word: somebody may wait

// ---- mutex --------------------------------------------------------------------------------------

static inline bool swap(u64 *word, u64 old, u64 new, int order)
{
    return __atomic_compare_exchange_n(word, &old, new, false, order, __ATOMIC_RELAXED);
}

static inline u64 limited(u64 deadline)
{
    return deadline != THREAD_FOREVER ? THREAD_WAITS_LIMITED : 0;
}

// Waits for something that no thread in particular will do, and lets that be seen.
static inline __attribute__((always_inline)) s64 wait_seen(u64 kind, const u64 *word, u64 expected,
                                                           u64 deadline)
{
    struct thread *thread = thread_current();
    thread->mutex = (u64)word | kind | limited(deadline);
    s64 result = blocked_threads_wait(word, expected, deadline);
    thread->mutex = 0;
    return result;
}

void mutex_on_wait(void (*handler)(const struct mutex *mutex, u64 since))
{
    wait_hook = handler;
}

// queues: where to wait, 0: in the process's own object. Inlined up to the function that is called.
static inline __attribute__((always_inline)) s64 lock_slow(struct mutex *mutex, coid_t queues,
                                                           u64 deadline)
{
    struct thread *thread = thread_current();
    u64 self = (u64)thread, waited = 0, since = 0;
    for (;;) {
        u64 word = __atomic_load_n(&mutex->word, __ATOMIC_RELAXED);
        CHECK((word & ~WAITED) != self);
        if (!word) {
            // Others may be waiting behind one that has been woken: keep the mark.
            if (!swap(&mutex->word, 0, self | waited, __ATOMIC_ACQUIRE))
                continue;
            if (since != 0 && wait_hook != NULL)
                wait_hook(mutex, since);
            __asm__ volatile(""); // a call, not a jump: the handler looks at its callers
            return 0;
        }
        if (word & WAITED || swap(&mutex->word, word, word | WAITED, __ATOMIC_RELAXED)) {
            since = since != 0 ? since : time_now();
            // For who looks for deadlocks: a wait that ends by itself is none.
            thread->mutex = (u64)&mutex->word | THREAD_WAITS_MUTEX | limited(deadline);
            s64 result =
                queues ? blocked_threads_wait_in(queues, &mutex->word, word | WAITED, deadline)
                       : blocked_threads_wait(&mutex->word, word | WAITED, deadline);
            thread->mutex = 0;
            if (result == E_TIMEOUT)
                return E_TIMEOUT;
            CHECK(!queues || result != E_STALE);
            waited = WAITED;
        }
    }
}

static inline __attribute__((always_inline)) s64 lock_until(struct mutex *mutex, u64 deadline)
{
    return lock_slow(mutex, 0, deadline);
}

static inline __attribute__((always_inline)) s64 queued_lock_until(struct queued_mutex *mutex,
                                                                   u64 deadline)
{
    CHECK(mutex->queues != 0);
    return lock_slow(&mutex->mutex, mutex->queues, deadline);
}

void mutex_lock_slow(struct mutex *mutex)
{
    lock_until(mutex, THREAD_FOREVER);
}

s64 mutex_lock_until(struct mutex *mutex, u64 deadline)
{
    return mutex_try(mutex) ? 0 : lock_until(mutex, deadline);
}

void mutex_unlock_slow(struct mutex *mutex)
{
    CHECK(mutex_held(mutex));
    __atomic_store_n(&mutex->word, 0, __ATOMIC_RELEASE);
    blocked_threads_wake(&mutex->word, 1);
}

void queued_mutex_lock(struct queued_mutex *mutex)
{
    if (!mutex_try(&mutex->mutex))
        queued_lock_until(mutex, THREAD_FOREVER);
}

s64 queued_mutex_lock_until(struct queued_mutex *mutex, u64 deadline)
{
    return mutex_try(&mutex->mutex) ? 0 : queued_lock_until(mutex, deadline);
}

void queued_mutex_unlock(struct queued_mutex *mutex)
{
    u64 self = (u64)thread_current();
    if (swap(&mutex->mutex.word, self, 0, __ATOMIC_RELEASE))
        return;
    CHECK(mutex_held(&mutex->mutex));
    __atomic_store_n(&mutex->mutex.word, 0, __ATOMIC_RELEASE);
    blocked_threads_wake_in(mutex->queues, &mutex->mutex.word, 1);
}

bool mutex_held(const struct mutex *mutex)
{
    u64 owner = __atomic_load_n(&mutex->word, __ATOMIC_RELAXED) & ~WAITED;
    return owner == (u64)thread_current();
}

void recursive_mutex_lock(struct recursive_mutex *mutex)
{
    if (!mutex_held(&mutex->mutex))
        mutex_lock(&mutex->mutex);
    mutex->depth++;
}

bool recursive_mutex_try(struct recursive_mutex *mutex)
{
    if (!mutex_held(&mutex->mutex) && !mutex_try(&mutex->mutex))
        return false;
    mutex->depth++;
    return true;
}

void recursive_mutex_unlock(struct recursive_mutex *mutex)
{
    if (--mutex->depth == 0)
        mutex_unlock(&mutex->mutex);
}

// ---- condition ----------------------------------------------------------------------------------

s64 condition_wait_until(struct condition *condition, struct mutex *mutex, u64 deadline)
{
    u64 sequence = __atomic_load_n(&condition->sequence, __ATOMIC_RELAXED);
    mutex_unlock(mutex);
    s64 result = wait_seen(THREAD_WAITS_CONDITION, &condition->sequence, sequence, deadline);
    mutex_lock(mutex);
    return result == E_TIMEOUT ? E_TIMEOUT : 0;
}

s64 condition_sleep_until(struct condition *condition, u64 sequence, u64 deadline)
{
    s64 result = wait_seen(THREAD_WAITS_CONDITION, &condition->sequence, sequence, deadline);
    return result == E_TIMEOUT ? E_TIMEOUT : 0;
}

void condition_wait(struct condition *condition, struct mutex *mutex)
{
    condition_wait_until(condition, mutex, THREAD_FOREVER);
}

static void wake_some(struct condition *condition, u64 max)
{
    __atomic_fetch_add(&condition->sequence, 1, __ATOMIC_RELEASE);
    blocked_threads_wake(&condition->sequence, max);
}

void condition_signal(struct condition *condition)
{
    wake_some(condition, 1);
}

void condition_broadcast(struct condition *condition)
{
    wake_some(condition, UINT64_MAX);
}

// ---- semaphore ----------------------------------------------------------------------------------

bool semaphore_try(struct semaphore *semaphore)
{
    u64 count = __atomic_load_n(&semaphore->count, __ATOMIC_RELAXED);
    while (count) {
        if (__atomic_compare_exchange_n(&semaphore->count, &count, count - 1, true,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

s64 semaphore_down_until(struct semaphore *semaphore, u64 deadline)
{
    if (semaphore_try(semaphore))
        return 0;
    __atomic_fetch_add(&semaphore->waiters, 1, __ATOMIC_SEQ_CST);
    bool late = false, taken;
    while (!(taken = semaphore_try(semaphore)) && !late)
        late = wait_seen(THREAD_WAITS_SEMAPHORE, &semaphore->count, 0, deadline) == E_TIMEOUT;
    __atomic_fetch_sub(&semaphore->waiters, 1, __ATOMIC_RELAXED);
    return taken ? 0 : E_TIMEOUT;
}

void semaphore_down(struct semaphore *semaphore)
{
    semaphore_down_until(semaphore, THREAD_FOREVER);
}

void semaphore_up(struct semaphore *semaphore)
{
    __atomic_fetch_add(&semaphore->count, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&semaphore->waiters, __ATOMIC_SEQ_CST))
        blocked_threads_wake(&semaphore->count, 1);
}

bool semaphore_up_below(struct semaphore *semaphore, u64 max)
{
    u64 count = __atomic_load_n(&semaphore->count, __ATOMIC_RELAXED);
    do {
        if (count >= max)
            return false;
    } while (!__atomic_compare_exchange_n(&semaphore->count, &count, count + 1, true,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    if (__atomic_load_n(&semaphore->waiters, __ATOMIC_SEQ_CST))
        blocked_threads_wake(&semaphore->count, 1);
    return true;
}

// ---- once ---------------------------------------------------------------------------------------

void once_call(struct once *once, void (*function)(void))
{
    if (__atomic_load_n(&once->done, __ATOMIC_ACQUIRE))
        return;
    mutex_lock(&once->mutex);
    if (!once->done) {
        function();
        __atomic_store_n(&once->done, 1, __ATOMIC_RELEASE);
    }
    mutex_unlock(&once->mutex);
}
