// SPDX-License-Identifier: MIT
// Processes that end at any moment while they are told, and calls of all CPUs at once.
#include "tests.h"

#include <children.h>
#include <expect.h>
#include <stdio.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define KILLS 60
#define CALLS 1000
#define PERIOD 5003

// Each is killed some instructions later than the last.
static void killed_in_every_phase(void)
{
    s64 session = session_start(PERIOD, BOTH);

    for (u32 round = 0; round < KILLS; round++) {
        u32 pid = child(round % 3 == 0 ? "burn" : "count", 0);
        s64 error = notify(session, pid, true);
        EXPECT(error == 0 || error == E_NOENT);
        work((u64)round * round * 100);
        sys_process_kill(pid, STATUS_KILLED(0));
        child_end(pid);
    }
    EXPECT(sys_sampling_stop(session) == 0);
}

static volatile s64 session_now;
static u32 victim;

static bool sensible(s64 result)
{
    return result >= 0 || result == E_BUSY || result == E_STALE || result == E_NOENT ||
           result == E_INVAL; // of sys_sampling_stop: it has been stopped
}

static s64 disturb(void *argument)
{
    u64 cpu = (u64)argument;

    for (u64 i = 0; i < CALLS; i++) {
        u32 pid = (i + cpu) % 3 == 0 ? victim : 0;
        EXPECT(sensible(sys_overflow_notify(session_now, pid, (i + cpu) % 2)));
        if (i % 30 == cpu) {
            s64 next = session_try(PERIOD, BOTH, 0);
            EXPECT(sensible(next));
            if (next > 0)
                session_now = next;
            else
                EXPECT(sensible(sys_sampling_stop(session_now)) || session_now == 0);
        }
    }
    return 0;
}

static void all_cpus_call(void)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    struct thread_attributes attributes = THREAD_ATTRIBUTES;

    victim = child("burn", 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        attributes.cpu = cpu;
        EXPECT(thread_create(&threads[cpu], &attributes, disturb, (void *)(u64)cpu) == 0);
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        EXPECT(thread_join(threads[cpu], NULL) == 0);
    sys_sampling_stop(session_now);
    child_kill(victim);
}

void storm(void)
{
    u32 processes = live_objects("Process");

    killed_in_every_phase();
    all_cpus_call();
    EXPECT(WAIT_FOR(live_objects("Process") == processes));
    printf("test-overflow: storm done\n");
}
