// SPDX-License-Identifier: MIT
// Spin locks in place of kernel/sync/spinlock.c: taken once, given back by who has them,
// in rising rank.
#ifndef TESTS_PROOFS_MODEL_LOCKS_H
#define TESTS_PROOFS_MODEL_LOCKS_H

#include <kernel/spinlock.h>

static struct spinlock *innermost;

void spin_init(struct spinlock *lock, const char *name, enum lock_rank rank)
{
    *lock = (struct spinlock)SPINLOCK_INIT(name, rank);
}

void spin_lock(struct spinlock *lock)
{
    //@ check lock_is_free: lock->word == 0;
    //@ check rank_rises: innermost == \null || innermost->rank < lock->rank;
    lock->word = 1;
    lock->outer = innermost;
    innermost = lock;
}

void spin_unlock(struct spinlock *lock)
{
    //@ check lock_is_held: lock->word == 1;
    //@ check taken_last: innermost == lock;
    innermost = lock->outer;
    lock->outer = NULL;
    lock->word = 0;
}

static void no_lock_is_held(void)
{
    //@ check no_lock_is_held: innermost == \null;
}

#endif
