// SPDX-License-Identifier: MIT
// Starting and ending peers, and calls whose results are checked.
#include "peer.h"

#include "check.h"

#include <stdio.h>
#include <string.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

static s64 greeted(struct ipc_request *request)
{
    struct peer *peer = request->context;

    peer->cap = request->cap;
    semaphore_up(&peer->ready);
    return 0;
}

bool peer_start(struct peer *peer, const char *role, u32 cpu, cap_t cap_given)
{
    const char *argv[] = {"test-ipc", role, NULL};
    *peer = (struct peer){.cap = 0};
    s64 greeting = ipc_endpoint(greeted, peer);
    if (!CHECK(greeting > 0))
        return false;
    peer->greeting = (cap_t)greeting;
    struct process_grant grants[] = {{CAP_PARENT, peer->greeting}, {SLOT_GIVEN, cap_given}};
    struct process_spawn spawn = PROCESS_SPAWN;
    spawn.path = "bin/test-ipc";
    spawn.argv = argv;
    spawn.grants = grants;
    spawn.grant_count = cap_given != 0 ? 2 : 1;
    spawn.cpu = cpu;
    spawn.rights = PROCESS_SAME_RIGHTS;
    s64 pid = process_spawn_cap(&spawn, &peer->process);
    if (!CHECK(pid > 0)) {
        printf("spawn: %s\n", orrery_strerror(pid));
        return false;
    }
    peer->pid = (u32)pid;
    return CHECK_IS(semaphore_down_until(&peer->ready, patience()), 0);
}

s32 peer_wait(struct peer *peer)
{
    s32 status = 0;

    CHECK_IS(process_wait(peer->pid, &status, patience()), peer->pid);
    CHECK_IS(ipc_endpoint_close(peer->greeting), 0);
    if (peer->cap != 0)
        CHECK_IS(sys_cap_drop(peer->cap), 0);
    CHECK_IS(sys_cap_drop(peer->process), 0);
    return status;
}

s32 peer_end(struct peer *peer)
{
    sys_process_kill(peer->pid, 1);
    return peer_wait(peer);
}

s64 call_words(cap_t cap, u64 words[MESSAGE_WORDS])
{
    struct ipc_message message = {.words = {0}};

    memcpy(message.words, words, sizeof(message.words));
    s64 status = ipc_call(cap, &message);
    memcpy(words, message.words, sizeof(message.words));
    return status;
}

s64 call_simple(cap_t cap, u64 operation, u64 argument, u64 *result)
{
    u64 words[MESSAGE_WORDS] = {operation, argument};
    s64 status = call_words(cap, words);

    if (result != NULL)
        *result = words[0];
    return status;
}

static u64 own_pid(void)
{
    return (u64)sys_process_pid(0);
}

s64 call_echo(cap_t cap, u64 seed, u32 bytes)
{
    u8 *sent = user_pages(0, 2 * MESSAGE_BYTES);
    if (!CHECK(sent != NULL))
        return E_NOMEM;
    u8 *received = sent + MESSAGE_BYTES;
    struct ipc_message message = {
        .words = {OP_ECHO, seed, seed + 1, seed + 2, seed + 3, ~seed},
        .send = sent,
        .send_bytes = bytes,
        .receive = received,
        .receive_max = MESSAGE_BYTES,
    };
    for (u32 i = 0; i < bytes; i++)
        sent[i] = (u8)(seed + i * 7 + (i >> 8));
    s64 status = ipc_call(cap, &message);
    if (status == 0) {
        const u64 expected[] = {own_pid(), seed + 1, seed + 2, seed + 3, seed + 4, ~seed + 1};
        CHECK(memcmp(message.words, expected, sizeof(expected)) == 0);
        CHECK_IS(message.received, bytes);
        u32 wrong = 0;
        for (u32 i = 0; i < bytes; i++)
            wrong += received[i] != (u8)(sent[i] ^ 0xa5);
        CHECK_IS(wrong, 0);
    }
    user_pages_free(sent, 2 * MESSAGE_BYTES);
    return status;
}

void raw_event_call(u64 cap, u64 token, u64 flags, u64 info, struct event *event);
void event_handle(const struct event *event); // the library's own

s64 raw_call(cap_t cap, u64 token, u64 flags, u64 info)
{
    struct event event;
    u32 before = user_disable();

    raw_event_call(cap, token, flags, info, &event);
    bool reply = event.type == EVENT_REPLY && event.id == token;
    if (!reply)
        event_handle(&event);
    user_enable(before);
    return reply ? (s64)event.badge : 1;
}
