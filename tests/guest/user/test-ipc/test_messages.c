// SPDX-License-Identifier: MIT
// Asynchronous messages.
#include "check.h"
#include "peer.h"
#include "tests.h"

#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define LIMIT 64
#define FLOOD 3000
#define HOLD_US 300000

static s64 send(cap_t cap, u64 number)
{
    const u64 words[MESSAGE_WORDS] = {0, number, 0, 0, 0, ~number};

    return ipc_send(cap, -1, words);
}

struct holding {
    cap_t cap;
    u64 from, until;
};

static s64 call_hold(void *argument)
{
    struct holding *holding = argument;
    u64 words[MESSAGE_WORDS] = {OP_HOLD, HOLD_US};
    s64 error = call_words(holding->cap, words);

    holding->from = words[0];
    holding->until = words[1];
    return error;
}

// So many as the server accepts while it takes nothing: whether it really took
// nothing all the time.
static bool fill(cap_t cap, u64 *accepted, s64 *error)
{
    struct holding holding = {.cap = cap};
    struct thread *thread;

    *accepted = 0;
    CHECK_IS(thread_create(&thread, NULL, call_hold, &holding), 0);
    thread_sleep_us(HOLD_US / 6);
    u64 begin = time_now();
    while (*accepted <= LIMIT && (*error = send(cap, *accepted)) == 0)
        ++*accepted;
    u64 end = time_now();
    CHECK_IS(thread_join(thread, NULL), 0);
    return holding.from < begin && end < holding.until;
}

// Until all are taken: messages, their sum, wrong ones.
static bool take(cap_t cap, u64 accepted, u64 taken[3])
{
    u64 words[MESSAGE_WORDS] = {OP_MESSAGES};

    CHECK_IS(call_words(cap, words), 0);
    for (u32 word = 0; word < 3; word++)
        taken[word] += words[word]; // the server begins anew each time
    return taken[0] >= accepted;
}

// While the server takes nothing, exactly 64 fit.
void messages_arrive_up_to_the_limit(void)
{
    u64 accepted, deadline = patience();
    struct peer server;
    bool held;
    s64 error = 0;

    if (!peer_start(&server, "server", user_cpu_count() - 1, 0))
        return;
    do {
        u64 taken[3] = {0};
        held = fill(server.cap, &accepted, &error);
        CHECK_IS(WAIT_FOR(take(server.cap, accepted, taken)), true);
        CHECK_IS(taken[0], accepted);
        CHECK_IS(taken[1], accepted * (accepted - 1) / 2);
        CHECK_IS(taken[2], 0);
    } while (!held && wait_more(deadline)); // a busy host may not let us send all in time
    CHECK_IS(accepted, LIMIT);
    CHECK_IS(error, E_AGAIN);
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
    u64 taken[3] = {0}, accepted = 0;
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
    CHECK_IS(WAIT_FOR(take(server.cap, accepted, taken)), true);
    CHECK_IS(taken[0], accepted);
    peer_end(&server);
}
