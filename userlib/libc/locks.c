// SPDX-License-Identifier: MIT
// newlib's locks are our sleep locks.
#include <stdlib.h>
#include <sys/lock.h>
#include <user/lock.h>

struct __lock {
    struct recursive_mutex mutex;
};

#define LIBC_LOCK(name) struct __lock __lock_##name
LIBC_LOCK(__sinit_recursive_mutex);
LIBC_LOCK(__sfp_recursive_mutex);
LIBC_LOCK(__atexit_recursive_mutex);
LIBC_LOCK(__at_quick_exit_mutex);
LIBC_LOCK(__malloc_recursive_mutex);
LIBC_LOCK(__env_recursive_mutex);
LIBC_LOCK(__tz_mutex);
LIBC_LOCK(__dd_hash_mutex);
LIBC_LOCK(__arc4random_mutex);

void __retarget_lock_init(_LOCK_T *lock)
{
    *lock = calloc(1, sizeof **lock);
}

void __retarget_lock_init_recursive(_LOCK_T *lock)
{
    *lock = calloc(1, sizeof **lock);
}

void __retarget_lock_close(_LOCK_T lock)
{
    free(lock);
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
    free(lock);
}

// A lock may be missing if there was no memory for it. Then its file is not shared either.
void __retarget_lock_acquire(_LOCK_T lock)
{
    if (lock)
        mutex_lock(&lock->mutex.mutex);
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
    if (lock)
        recursive_mutex_lock(&lock->mutex);
}

int __retarget_lock_try_acquire(_LOCK_T lock)
{
    return !lock || mutex_try(&lock->mutex.mutex);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
    return !lock || recursive_mutex_try(&lock->mutex);
}

void __retarget_lock_release(_LOCK_T lock)
{
    if (lock)
        mutex_unlock(&lock->mutex.mutex);
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
    if (lock)
        recursive_mutex_unlock(&lock->mutex);
}
