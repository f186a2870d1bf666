// SPDX-License-Identifier: MIT
// Known things for a viewer: waits until its object is logged, does them, tells of them, waits
// until it is logged no more.
#include "tests.h"

#include <stdio.h>
#include <waiting.h>

#define AGENTS 6
#define ROUNDS 15 // so that all records find room at once
#define FLOOD 20000

u64 known_first, known_second; // the viewer finds these names

static struct agent agents[AGENTS];
static coid_t queues;

static bool wait_until_logged(bool logged)
{
    return WAIT_FOR((buffer_bytes(queues) != 0) == logged);
}

// least_us: all waits together were at least as long.
static void tell(const char *name, u64 enqueues, u64 wake_ups, u64 time_outs, u64 longest,
                 u64 least_us)
{
    printf("%s %lu %lu %lu %lu %lu\n", name, enqueues, wake_ups, time_outs, longest, least_us);
}

// All agents wait and are woken, one by one, in each round.
static void known_woken(void)
{
    for (u32 round = 0; round < ROUNDS; round++) {
        for (u32 i = 0; i < AGENTS; i++)
            agent_wait(&agents[i], &known_first, THREAD_FOREVER);
        for (u32 i = 0; i < AGENTS; i++)
            EXPECT(blocked_threads_wake_in(queues, &known_first, 1) == 1);
        for (u32 i = 0; i < AGENTS; i++)
            agent_join(&agents[i]);
    }
    tell("known_first", ROUNDS * AGENTS, ROUNDS * AGENTS, 0, AGENTS, 0);
}

// One agent waits until 30 ms have passed each time: at least from when it was seen in the queue.
static void known_late(void)
{
    u64 ticks = 0;
    for (u32 round = 0; round < ROUNDS / 2; round++) {
        u64 deadline = time_after_us(30000);
        agent_wait(&agents[0], &known_second, deadline);
        u64 seen = time_now();
        ticks += seen < deadline ? deadline - seen : 0;
        agent_join(&agents[0]);
    }
    tell("known_second", ROUNDS / 2, 0, ROUNDS / 2, 1, ticks * 1000000 / time_hz());
}

// More than a reader can take in time.
static void flood(void)
{
    for (u32 i = 0; i < FLOOD; i++)
        EXPECT(blocked_threads_wait_in(queues, &known_first, 0, 0) == E_TIMEOUT);
    tell("known_first", FLOOD, 0, FLOOD, 1, 0);
}

static void work(void)
{
    agents_start(agents, AGENTS, queues);
    known_woken();
    known_late();
    for (u32 i = 0; i < AGENTS; i++)
        printf("thread %u\n", (unsigned)thread_id(agents[i].thread));
    agents_end(agents, AGENTS);
}

void run_known(bool flooding)
{
    queues = (coid_t)blocked_threads_create();
    printf("ready 0x%lx\n", queues);
    fflush(stdout);
    if (!wait_until_logged(true)) {
        printf("nobody logs it\n");
        return;
    }
    if (flooding)
        flood();
    else
        work();
    printf("done\n");
    fflush(stdout);
    EXPECT(wait_until_logged(false));
}
