// SPDX-License-Identifier: MIT
// Calls that work.
#include "check.h"
#include "peer.h"
#include "tests.h"

#include <user/scheduler.h>
#include <user/thread.h>

void an_echo_returns_what_was_sent(void)
{
    // Around what the fast path copies at a time, and the most that it takes (4,352).
    static const u32 sizes[] = {0,    1,    7,    8,    9,    15,   16,   17,    31,   33,
                                47,   49,   63,   64,   65,   111,  113,  120,   127,  128,
                                129,  248,  255,  256,  257,  511,  904,  1000,  4095, 4096,
                                4097, 4104, 4344, 4351, 4352, 4353, 4360, 16383, 16384};
    struct peer server;

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    for (u32 round = 0; round < 3; round++) {
        for (u32 i = 0; i < ARRAY_SIZE(sizes); i++)
            CHECK_IS(call_echo(server.cap, round * 1000 + i, sizes[i]), 0);
    }
    CHECK_IS(call_simple(server.cap, 999, 0, NULL), E_NOTSUP);
    peer_end(&server);
}

static s64 double_it(struct ipc_request *request)
{
    request->reply[0] = request->words[0] * 2;
    return (s64)request->words[1];
}

void a_process_can_call_itself(void)
{
    s64 own = ipc_endpoint(double_it, NULL);
    u64 words[MESSAGE_WORDS] = {21, 0};

    if (!CHECK(own > 0))
        return;
    CHECK_IS(call_words((cap_t)own, words), 0);
    CHECK_IS(words[0], 42);
    words[1] = 17;
    CHECK_IS(call_words((cap_t)own, words), 17);
    CHECK_IS(ipc_endpoint_close((cap_t)own), 0);
}

// Two servers that call each other, deeper and deeper.
void a_chain_of_calls_comes_back(void)
{
    struct peer one, two;

    if (!peer_start(&one, "server", PROCESS_HERE, 0) ||
        !peer_start(&two, "server", PROCESS_HERE, 0))
        return;
    for (u64 depth = 0; depth < 12; depth++) {
        struct ipc_message message = {.words = {OP_DESCEND, depth}, .send_cap = two.cap};
        CHECK_IS(ipc_call(one.cap, &message), 0);
        CHECK_IS(message.words[0], depth + 1);
    }
    peer_end(&one);
    peer_end(&two);
}
