// SPDX-License-Identifier: MIT
// POSIX's spin locks. Who has one can lose its CPU to who wants it, so one spins a little, and then
// lets others go first.
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <user/thread.h>

#define SPINS 100

int pthread_spin_init(pthread_spinlock_t *spin, int shared)
{
    if (shared != PTHREAD_PROCESS_PRIVATE)
        return shared == PTHREAD_PROCESS_SHARED ? ENOTSUP : EINVAL;
    *spin = 0;
    return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *spin)
{
    (void)spin;
    return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *spin)
{
    return __atomic_exchange_n(spin, 1, __ATOMIC_ACQUIRE) != 0 ? EBUSY : 0;
}

static bool seen_free(const pthread_spinlock_t *spin)
{
    for (unsigned i = 0; i < SPINS; i++) {
        if (__atomic_load_n(spin, __ATOMIC_RELAXED) == 0)
            return true;
    }
    return false;
}

int pthread_spin_lock(pthread_spinlock_t *spin)
{
    while (pthread_spin_trylock(spin) != 0) {
        while (!seen_free(spin))
            thread_yield();
    }
    return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *spin)
{
    __atomic_store_n(spin, 0, __ATOMIC_RELEASE);
    return 0;
}
