// SPDX-License-Identifier: MIT
// Where the short way of spin locks (spin.S) goes if there is more to do. These are jumps, so that
// the caller of spin_lock or spin_unlock is their caller too.
#ifndef KERNEL_SYNC_SPIN_H
#define KERNEL_SYNC_SPIN_H

#include <orrery/types.h>

struct spinlock;

// Waits for a lock that somebody has, and takes it. Soft-masked. masked, outer: what the lock then
// keeps.
void spin_lock_slow(struct spinlock *lock, u8 masked, struct spinlock *outer);
// Logs a lock that has been taken.
void spin_lock_traced(struct spinlock *lock);
// Releases a lock, and logs that.
void spin_unlock_traced(struct spinlock *lock);
void spin_wrong_order(const struct spinlock *lock) __attribute__((noreturn));
void spin_wrong_unlock(const struct spinlock *lock) __attribute__((noreturn));

#endif
