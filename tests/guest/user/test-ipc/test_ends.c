// SPDX-License-Identifier: MIT
// Peers that end, at defined and at random moments.
#include "check.h"
#include "peer.h"
#include "tests.h"

#include <stdio.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define CALLERS 6
#define ROUNDS 12

void a_server_that_exits_in_a_call_gives_e_peer(void)
{
    struct peer server;

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    CHECK_IS(call_simple(server.cap, OP_EXIT, 0, NULL), E_PEER);
    CHECK_IS(call_simple(server.cap, OP_ECHO, 0, NULL), E_PEER);
    CHECK_IS(peer_wait(&server), 7);
}

// ---- callers that wait --------------------------------------------------------------------------

static s64 call_keep(void *cap)
{
    return call_simple((cap_t)(u64)cap, OP_KEEP, 0, NULL);
}

static void start_waiting(struct thread **threads, cap_t cap)
{
    u64 kept = 0;

    for (u32 i = 0; i < CALLERS; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = i % user_cpu_count();
        CHECK_IS(thread_create(&threads[i], &attributes, call_keep, (void *)(u64)cap), 0);
    }
    while (kept < CALLERS && call_simple(cap, OP_KEPT, 0, &kept) == 0)
        thread_sleep_us(500);
    CHECK_IS(kept, CALLERS);
}

static void all_return(struct thread **threads, s64 expected)
{
    for (u32 i = 0; i < CALLERS; i++) {
        s64 status = 0;
        CHECK_IS(thread_join(threads[i], &status), 0);
        CHECK_IS(status, expected);
    }
}

void waiting_callers_of_a_killed_server_get_e_peer(void)
{
    struct thread *threads[CALLERS];
    struct peer server;

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    start_waiting(threads, server.cap);
    CHECK_IS(sys_process_kill(server.pid, 1), 0);
    all_return(threads, E_PEER);
    peer_wait(&server);
}

void a_closed_endpoint_gives_e_peer(void)
{
    struct thread *threads[CALLERS];
    struct peer server;

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    start_waiting(threads, server.cap);
    CHECK_IS(call_simple(server.cap, OP_CLOSE, 0, NULL), E_PEER);
    all_return(threads, E_PEER);
    CHECK_IS(call_simple(server.cap, OP_ECHO, 0, NULL), E_PEER);
    peer_end(&server);
}

// ---- random ends --------------------------------------------------------------------------------

struct caller {
    struct thread *thread;
    cap_t cap;
    u64 seed, calls;
};

// Calls until the server has gone.
static s64 call_until_end(void *argument)
{
    struct caller *caller = argument;
    s64 status;

    do {
        status = call_echo(caller->cap, caller->seed, (u32)random_below(&caller->seed, 700));
        caller->calls += status == 0;
    } while (status == 0);
    return status;
}

void servers_may_die_at_any_moment(void)
{
    u64 seed = 4711, calls = 0;

    for (u32 round = 0; round < ROUNDS && check_failures() == 0; round++) {
        struct caller callers[CALLERS];
        struct peer server;
        if (!peer_start(&server, "server", round % user_cpu_count(), 0))
            return;
        for (u32 i = 0; i < CALLERS; i++) {
            struct thread_attributes attributes = THREAD_ATTRIBUTES;
            attributes.cpu = i % user_cpu_count();
            callers[i] = (struct caller){.cap = server.cap, .seed = seed + i};
            CHECK_IS(thread_create(&callers[i].thread, &attributes, call_until_end, &callers[i]),
                     0);
        }
        thread_sleep_us(random_below(&seed, 20000));
        CHECK_IS(sys_process_kill(server.pid, 1), 0);
        for (u32 i = 0; i < CALLERS; i++) {
            s64 status = 0;
            CHECK_IS(thread_join(callers[i].thread, &status), 0);
            CHECK_IS(status, E_PEER);
            calls += callers[i].calls;
        }
        peer_wait(&server);
    }
    printf("     %lu calls before %u servers were killed\n", calls, (u32)ROUNDS);
}

void clients_may_die_at_any_moment(void)
{
    struct peer server;
    u64 seed = 815;

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    for (u32 round = 0; round < ROUNDS && check_failures() == 0; round++) {
        struct peer clients[3];
        for (u32 i = 0; i < ARRAY_SIZE(clients); i++) {
            if (!peer_start(&clients[i], "client", (round + i) % user_cpu_count(), server.cap))
                return;
        }
        thread_sleep_us(random_below(&seed, 10000));
        for (u32 i = 0; i < ARRAY_SIZE(clients); i++)
            CHECK_IS(peer_end(&clients[i]), 1);
        CHECK_IS(call_echo(server.cap, round, 300), 0);
    }
    peer_end(&server);
}

void answers_to_dead_clients_are_refused(void)
{
    u64 words[MESSAGE_WORDS] = {OP_FLUSH}, kept = 0;
    struct peer server, clients[4];

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    for (u32 i = 0; i < ARRAY_SIZE(clients); i++) {
        if (!peer_start(&clients[i], "keeper", i % user_cpu_count(), server.cap))
            return;
    }
    while (kept < ARRAY_SIZE(clients) && call_simple(server.cap, OP_KEPT, 0, &kept) == 0)
        thread_sleep_us(500);
    for (u32 i = 0; i < ARRAY_SIZE(clients); i++)
        CHECK_IS(peer_end(&clients[i]), 1);
    CHECK_IS(call_words(server.cap, words), 0);
    CHECK_IS(words[0], ARRAY_SIZE(clients));
    CHECK_IS(words[1], ARRAY_SIZE(clients));
    CHECK_IS(call_echo(server.cap, 1, 300), 0);
    peer_end(&server);
}
