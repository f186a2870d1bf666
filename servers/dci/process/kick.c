// SPDX-License-Identifier: MIT
// The kernel wakes the server's loop when a process has answered.
#include "questions.h"

#include <user/scheduler.h>
#include <user/thread.h>

static struct thread *loop; // the thread that sleeps in stream_run
static s64 bit = -1;        // of EVENT_KICK; below 0: none
static u32 come;

static void kicked(void)
{
    __atomic_store_n(&come, 1, __ATOMIC_RELEASE);
    thread_unpark(loop);
}

// The loop itself calls this, so the kicks go to the CPU where it runs.
u64 kick_bits(void)
{
    if (loop == NULL) {
        loop = thread_current();
        bit = user_on_kick(kicked);
    }
    return bit < 0 ? 0 : 1UL << bit;
}

bool kick_come(void)
{
    return __atomic_exchange_n(&come, 0, __ATOMIC_ACQUIRE) != 0;
}
