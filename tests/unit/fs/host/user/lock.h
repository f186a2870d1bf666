// SPDX-License-Identifier: MIT
// Locks for tests, which have one thread: taking one twice fails the test.
#ifndef USER_LOCK_H
#define USER_LOCK_H

#include <orrery/types.h>

struct mutex {
    u64 word;
};
void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

#endif
