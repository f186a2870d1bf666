// SPDX-License-Identifier: MIT
// Calls, answers and messages that must be refused.
#include "check.h"
#include "peer.h"
#include "tests.h"

#include <syscalls/numbers.h>
#include <user/scheduler.h>

#define TOKEN 0x1234567890

void bad_calls_get_an_error_at_once(void)
{
    const u64 words[MESSAGE_WORDS] = {0};
    struct peer server;

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    CHECK_IS(raw_call(0, TOKEN, 0, 0), E_NOENT);
    CHECK_IS(raw_call(3999, TOKEN, 0, 0), E_NOENT);
    CHECK_IS(raw_call(UINT32_MAX, TOKEN, 0, 0), E_NOENT);
    CHECK_IS(raw_call(server.process, TOKEN, 0, 0), E_NOENT);
    CHECK_IS(raw_call(server.cap, TOKEN, 2, 0), E_INVAL);
    CHECK_IS(raw_call(server.cap, TOKEN, 0, MESSAGE_BYTES + 1), E_INVAL);
    CHECK_IS(raw_call(server.cap, TOKEN, 0, 0xffff), E_INVAL);
    CHECK_IS(raw_call(server.cap, TOKEN, 0, 0x10000), E_INVAL);
    CHECK_IS(raw_call(server.cap, TOKEN, 0, MESSAGE_INFO(0, 3999)), E_NOENT);
    CHECK_IS(raw_send(0, -1, words), E_NOENT);
    CHECK_IS(raw_send(server.process, -1, words), E_NOENT);
    CHECK_IS(raw_send(server.cap, user_cpu_count(), words), E_INVAL);
    CHECK_IS(raw_send(server.cap, -2, words), E_INVAL);
    CHECK_IS(sys_endpoint_destroy(server.cap), E_PERM);
    CHECK_IS(sys_endpoint_destroy(server.process), E_INVAL);
    CHECK_IS(sys_endpoint_destroy(3999), E_NOENT);
    CHECK_IS(sys_cap_drop(0), E_NOENT);
    CHECK_IS(sys_cap_copy(3999), E_NOENT);
    CHECK_IS(raw_while_enabled(SYS_WAIT), E_INVAL);
    CHECK_IS(raw_while_enabled(SYS_CALL), E_INVAL);
    CHECK_IS(raw_while_enabled(SYS_REPLY_WAIT), E_INVAL);
    CHECK_IS(call_echo(server.cap, 1, 64), 0);
    peer_end(&server);
}

void forged_call_ids_answer_nothing(void)
{
    struct peer server;
    u64 taken = 1;

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    CHECK_IS(call_simple(server.cap, OP_FORGE, 0, &taken), 0);
    CHECK_IS(taken, 0);
    peer_end(&server);
}

void a_call_id_is_good_for_its_server_only(void)
{
    const u64 words[MESSAGE_WORDS] = {0};
    struct peer server;
    u64 id = 0;

    if (!peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    CHECK_IS(call_simple(server.cap, OP_ID, 0, &id), 0);
    CHECK(id != 0);
    // Near ids, live or not, are not ours to answer.
    for (u64 i = 0; i < 64; i++) {
        CHECK_IS(raw_reply(id ^ 1ul << i, 0, 0, words), E_NOENT);
        CHECK_IS(raw_reply(id, 0, 0, words), E_NOENT);
    }
    CHECK_IS(call_echo(server.cap, 1, 64), 0);
    peer_end(&server);
}
