// SPDX-License-Identifier: MIT
// Trace events of locks that are taken, for spin locks and mutexes.
#ifndef KERNEL_SYNC_LOCK_EVENTS_H
#define KERNEL_SYNC_LOCK_EVENTS_H

#include <orrery/types.h>

// Logs lock_take with the callers of the calling function, which must call and not jump.
void lock_tell_taken(const void *lock, bool sleeping) __attribute__((noinline, cold));

#endif
