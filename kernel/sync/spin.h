// SPDX-License-Identifier: MIT
// Where the short way of spin locks (spin.S) goes when there is more to do: jumps, so that the
// caller of spin_lock or spin_unlock is theirs.
#ifndef KERNEL_SYNC_SPIN_H
#define KERNEL_SYNC_SPIN_H

#include <orrery/types.h>

struct spinlock;

// Somebody has the lock: waits, and takes it. Soft-masked; masked and outer: what it then keeps.
void spin_lock_slow(struct spinlock *lock, u8 masked, struct spinlock *outer);
// Logs a lock that has been taken.
void spin_lock_told(struct spinlock *lock);
// Releases a lock, and logs that.
void spin_unlock_told(struct spinlock *lock);
void spin_wrong_order(const struct spinlock *lock) __attribute__((noreturn));
void spin_wrong_unlock(const struct spinlock *lock) __attribute__((noreturn));

#endif
