// SPDX-License-Identifier: MIT
// Threads that wait for each other and for time.
#include "scheduler.h"

bool thread_park(u64 deadline)
{
    u32 before = user_disable();
    u32 taken = scheduler_block_until(WAKE_USER, deadline);
    user_enable(before);
    return taken != 0;
}

void thread_unpark(struct thread *thread)
{
    u32 before = user_disable();
    scheduler_wake(thread, WAKE_USER);
    user_enable(before);
}

void thread_yield(void)
{
    u32 before = user_disable();
    scheduler_yield();
    thread_follow_request(thread_current());
    user_enable(before);
}

void thread_sleep_until(u64 deadline)
{
    u32 before = user_disable();
    if (deadline <= time_now())
        scheduler_yield();
    else
        scheduler_block_until(0, deadline);
    user_enable(before);
}

void thread_sleep_us(u64 microseconds)
{
    thread_sleep_until(time_after_us(microseconds));
}
