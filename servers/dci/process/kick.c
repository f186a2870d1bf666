// SPDX-License-Identifier: MIT
// The kernel wakes the server's loop when a process has answered, or something was printed.
#include "kick.h"

#include <user/scheduler.h>
#include <user/thread.h>

static struct thread *loop; // the thread that sleeps in stream_run
static s64 bits[KICKS];     // of EVENT_KICK; below 0: none
static u32 come[KICKS];

static void kicked(enum kick kick)
{
    __atomic_store_n(&come[kick], 1, __ATOMIC_RELEASE);
    thread_unpark(loop);
}

static void on_answer(void)
{
    kicked(KICK_ANSWER);
}

static void on_output(void)
{
    kicked(KICK_OUTPUT);
}

// The loop itself calls this, so the kicks go to the CPU where it runs.
u64 kick_bits(enum kick kick)
{
    if (loop == NULL) {
        loop = thread_current();
        bits[KICK_ANSWER] = user_on_kick(on_answer);
        bits[KICK_OUTPUT] = user_on_kick(on_output);
    }
    return bits[kick] < 0 ? 0 : 1UL << bits[kick];
}

bool kick_come(enum kick kick)
{
    return __atomic_exchange_n(&come[kick], 0, __ATOMIC_ACQUIRE) != 0;
}

bool kick_waits(void)
{
    u32 any = 0;

    for (u32 kick = 0; kick < KICKS; kick++)
        any |= __atomic_load_n(&come[kick], __ATOMIC_RELAXED);
    return any != 0;
}
