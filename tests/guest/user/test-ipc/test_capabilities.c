// SPDX-License-Identifier: MIT
// Capabilities in messages.
#include "check.h"
#include "peer.h"
#include "tests.h"

static s64 mirror(struct ipc_request *request)
{
    for (u32 i = 0; i < request->bytes; i++)
        request->buffer[i] = ((const u8 *)request->data)[i] ^ 0xa5;
    request->reply_data = request->buffer;
    request->reply_bytes = request->bytes;
    request->reply[0] = request->pid;
    for (u32 i = 1; i < MESSAGE_WORDS; i++)
        request->reply[i] = request->words[i] + 1;
    return 0;
}

void capabilities_go_along_both_ways(void)
{
    struct peer server;
    s64 own = ipc_endpoint(mirror, NULL);

    if (!CHECK(own > 0) || !peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    struct ipc_message message = {.words = {OP_BACK, 99}, .send_cap = (cap_t)own};
    CHECK_IS(ipc_call(server.cap, &message), 0);
    CHECK_IS(message.words[0], 0);
    CHECK(message.received_cap != 0 && message.received_cap != own);
    CHECK_IS(call_echo(message.received_cap, 5, 200), 0);
    CHECK_IS(sys_cap_drop(message.received_cap), 0);
    s64 copy = sys_cap_copy((cap_t)own);
    CHECK(copy > 0 && copy != own);
    CHECK_IS(call_echo((cap_t)copy, 6, 20), 0);
    CHECK_IS(sys_cap_drop((cap_t)copy), 0);
    CHECK_IS(raw_call((cap_t)copy, 1, 0, 0), E_NOENT);
    peer_end(&server);
    CHECK_IS(ipc_endpoint_close((cap_t)own), 0);
}

// More capabilities come and go than a table has slots.
void capabilities_do_not_leak(void)
{
    struct peer server;
    s64 own = ipc_endpoint(mirror, NULL);

    if (!CHECK(own > 0) || !peer_start(&server, "server", PROCESS_HERE, 0))
        return;
    for (u32 i = 0; i < 5000 && check_failures() == 0; i++) {
        struct ipc_message message = {.words = {OP_BACK, i}, .send_cap = (cap_t)own};
        CHECK_IS(ipc_call(server.cap, &message), 0);
        CHECK_IS(sys_cap_drop(message.received_cap), 0);
    }
    peer_end(&server);
    CHECK_IS(ipc_endpoint_close((cap_t)own), 0);
}
