// SPDX-License-Identifier: MIT
// Critical sections against upcalls, and spin locks between the CPUs of a process.
#include "scheduler.h"

void user_enable_slow(void)
{
    u32 pending = 0, zero = 0;
    do {
        user_disable();
        scheduler_reschedule();
        __asm__ volatile("stw %1,%2(13)\n\tlwz %0,%3(13)"
                         : "=&r"(pending)
                         : "r"(zero), "i"(DISPATCHER_DISABLED), "i"(DISPATCHER_PENDING)
                         : "memory");
    } while (pending);
}

struct dispatcher_page *user_page(u32 cpu)
{
    return (struct dispatcher_page *)(USER_WINDOW + cpu * R13_WINDOW_SIZE + R13_HOST);
}

bool user_spin_try(struct user_spin *spin)
{
    return !__atomic_exchange_n(&spin->word, 1, __ATOMIC_ACQUIRE);
}

void user_spin_lock(struct user_spin *spin)
{
    while (!user_spin_try(spin)) {
        while (__atomic_load_n(&spin->word, __ATOMIC_RELAXED))
            __asm__ volatile("or 31,31,31");
    }
}

void user_spin_unlock(struct user_spin *spin)
{
    __atomic_store_n(&spin->word, 0, __ATOMIC_RELEASE);
}
