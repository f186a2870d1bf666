// SPDX-License-Identifier: MIT
// Many calls at once, and what is left after all.
#include "check.h"
#include "peer.h"
#include "tests.h"

#include <stdio.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define WAITING 200
#define THREADS 24
#define CALLS 150

static s64 call_keep(void *cap)
{
    u64 result = 0;
    s64 status = call_simple((cap_t)(u64)cap, OP_KEEP, 0, &result);

    CHECK_IS(result, status == 0 ? 4711 : 0);
    return status;
}

void many_calls_wait_at_once(void)
{
    static struct thread *threads[WAITING];
    u64 words[MESSAGE_WORDS] = {OP_FLUSH}, kept = 0;
    struct peer server;

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    for (u32 i = 0; i < WAITING; i++)
        CHECK_IS(thread_create(&threads[i], NULL, call_keep, (void *)(u64)server.cap), 0);
    while (kept < WAITING && call_simple(server.cap, OP_KEPT, 0, &kept) == 0)
        thread_sleep_us(500);
    CHECK_IS(kept, WAITING);
    CHECK_IS(call_words(server.cap, words), 0);
    CHECK_IS(words[0], WAITING);
    CHECK_IS(words[1], 0);
    for (u32 i = 0; i < WAITING; i++) {
        s64 status = 1;
        CHECK_IS(thread_join(threads[i], &status), 0);
        CHECK_IS(status, 0);
    }
    peer_end(&server);
}

struct caller {
    struct thread *thread;
    const struct peer *servers;
    u32 count;
    u64 seed;
};

static s64 call_at_random(void *argument)
{
    struct caller *caller = argument;

    for (u32 i = 0; i < CALLS; i++) {
        cap_t cap = caller->servers[random_below(&caller->seed, caller->count)].cap;
        u64 kind = random_below(&caller->seed, 10);
        if (kind < 7)
            CHECK_IS(call_echo(cap, caller->seed, (u32)random_below(&caller->seed, 500)), 0);
        else if (kind == 7)
            CHECK_IS(call_echo(cap, caller->seed, (u32)random_below(&caller->seed, 16385)), 0);
        else if (kind == 8)
            CHECK_IS(call_simple(cap, OP_SPIN, random_below(&caller->seed, 50), NULL), 0);
        else
            thread_sleep_us(random_below(&caller->seed, 100));
    }
    return 0;
}

void random_calls_of_many_threads(void)
{
    static struct caller callers[THREADS];
    struct peer servers[4];

    for (u32 i = 0; i < ARRAY_SIZE(servers); i++) {
        if (!peer_start(&servers[i], "server", i % user_cpu_count(), 0))
            return;
    }
    u64 start = time_now();
    for (u32 i = 0; i < THREADS; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = i % user_cpu_count();
        callers[i] =
            (struct caller){.servers = servers, .count = ARRAY_SIZE(servers), .seed = i * 7919};
        CHECK_IS(thread_create(&callers[i].thread, &attributes, call_at_random, &callers[i]), 0);
    }
    for (u32 i = 0; i < THREADS; i++)
        CHECK_IS(thread_join(callers[i].thread, NULL), 0);
    printf("     %u threads, %lu ms\n", (u32)THREADS, time_to_us(time_now() - start) / 1000);
    for (u32 i = 0; i < ARRAY_SIZE(servers); i++)
        peer_end(&servers[i]);
}

// Objects of processes that have ended go back a little later, after quiescence.
static u32 settled(const char *class_name, u32 wanted)
{
    WAIT_FOR(live_objects(class_name) <= wanted);
    return live_objects(class_name);
}

void nothing_is_left_behind(void)
{
    struct peer server;
    u32 endpoints = settled("Endpoint", 0), processes = settled("Process", 1);

    for (u32 i = 0; i < 5; i++) {
        if (!peer_start(&server, "server", PROCESS_HERE, 0))
            return;
        CHECK_IS(call_echo(server.cap, i, 100), 0);
        peer_end(&server);
    }
    CHECK_IS(settled("Endpoint", endpoints), endpoints);
    CHECK_IS(settled("Process", processes), processes);
    CHECK_IS(processes, 1);
}
