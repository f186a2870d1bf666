// SPDX-License-Identifier: MIT
// Asynchronous messages.
#include "check.h"
#include "peer.h"
#include "tests.h"

#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define LIMIT 64
#define FLOOD 3000
#define TAKING_MS 5000 // at most, until the server has taken all

static s64 send(cap_t cap, u64 number)
{
    const u64 words[MESSAGE_WORDS] = {0, number, 0, 0, 0, ~number};

    return ipc_send(cap, -1, words);
}

static s64 call_hold(void *cap)
{
    return call_simple((cap_t)(u64)cap, OP_HOLD, 300000, NULL);
}

// While the server takes nothing, exactly 64 fit.
void messages_arrive_up_to_the_limit(void)
{
    u64 taken[3] = {0}, accepted = 0; // messages, their sum, wrong ones
    struct peer server;
    struct thread *thread;
    s64 error = 0;

    if (!peer_start(&server, "server", user_cpu_count() - 1, 0))
        return;
    CHECK_IS(thread_create(&thread, NULL, call_hold, (void *)(u64)server.cap), 0);
    thread_sleep_us(50000);
    while (accepted <= LIMIT && (error = send(server.cap, accepted)) == 0)
        accepted++;
    CHECK_IS(accepted, LIMIT);
    CHECK_IS(error, E_AGAIN);
    CHECK_IS(thread_join(thread, NULL), 0);
    for (u32 i = 0; i < TAKING_MS && taken[0] < LIMIT; i++) {
        u64 words[MESSAGE_WORDS] = {OP_MESSAGES};
        thread_sleep_us(1000);
        CHECK_IS(call_words(server.cap, words), 0);
        for (u32 word = 0; word < ARRAY_SIZE(taken); word++)
            taken[word] += words[word]; // the server begins anew each time
    }
    CHECK_IS(taken[0], LIMIT);
    CHECK_IS(taken[1], LIMIT * (LIMIT - 1) / 2);
    CHECK_IS(taken[2], 0);
    peer_end(&server);
    CHECK_IS(send(server.cap, 0), E_NOENT);
}

struct flooder {
    struct thread *thread;
    cap_t cap;
    u64 accepted;
};

static s64 flood(void *argument)
{
    struct flooder *flooder = argument;

    for (u32 i = 0; i < FLOOD; i++) {
        s64 error = send(flooder->cap, i);
        flooder->accepted += error == 0;
        if (error == E_AGAIN)
            thread_sleep_us(100);
        else if (!CHECK_IS(error, 0))
            break;
    }
    return 0;
}

void messages_from_all_cpus_arrive(void)
{
    struct flooder flooders[ORRERY_MAX_CPUS];
    u64 words[MESSAGE_WORDS] = {OP_MESSAGES}, accepted = 0, received = 0;
    struct peer server;

    if (!peer_start(&server, "server", 0, 0))
        return;
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        flooders[cpu] = (struct flooder){.cap = server.cap};
        CHECK_IS(thread_create(&flooders[cpu].thread, &attributes, flood, &flooders[cpu]), 0);
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        CHECK_IS(thread_join(flooders[cpu].thread, NULL), 0);
        accepted += flooders[cpu].accepted;
    }
    for (u32 tries = 0; tries < 100 && received < accepted; tries++) {
        words[0] = OP_MESSAGES;
        CHECK_IS(call_words(server.cap, words), 0);
        received += words[0];
        thread_sleep_us(10000);
    }
    CHECK_IS(received, accepted);
    peer_end(&server);
}
