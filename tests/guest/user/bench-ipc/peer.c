// SPDX-License-Identifier: MIT
// Server processes: this program in a role.
#include "bench.h"

#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/time.h>

#define START_LIMIT_US 600000000

static s64 greeted(struct ipc_request *request)
{
    struct peer *peer = request->context;

    peer->cap = request->cap;
    semaphore_up(&peer->ready);
    return 0;
}

bool peer_start(struct peer *peer, const char *role, u32 cpu)
{
    const char *argv[] = {"bench-ipc", role, NULL};
    *peer = (struct peer){.cap = 0};
    s64 greeting = ipc_endpoint(greeted, peer);
    if (greeting < 0)
        return false;
    peer->greeting = (cap_t)greeting;
    struct process_grant grant = {CAP_PARENT, peer->greeting};
    struct process_spawn spawn = PROCESS_SPAWN;
    spawn.path = "bin/bench-ipc";
    spawn.argv = argv;
    spawn.grants = &grant;
    spawn.grant_count = 1;
    spawn.cpu = cpu;
    spawn.rights = 0;
    s64 pid = process_spawn(&spawn);
    if (pid < 0)
        return false;
    peer->pid = (u32)pid;
    return semaphore_down_until(&peer->ready, time_after_us(START_LIMIT_US)) == 0;
}

void peer_end(struct peer *peer)
{
    s32 status;

    sys_process_kill(peer->pid, 0);
    process_wait(peer->pid, &status, time_after_us(START_LIMIT_US));
    ipc_endpoint_close(peer->greeting);
    sys_cap_drop(peer->cap);
}

static s64 turn_around(struct ipc_request *request)
{
    memcpy(request->reply, request->words, sizeof(request->reply));
    request->reply_data = request->data;
    request->reply_bytes = request->bytes;
    return 0;
}

int serve(const char *role)
{
    bool raw = strcmp(role, "raw") == 0;
    s64 endpoint = raw ? sys_endpoint_create(0) : ipc_endpoint(turn_around, NULL);
    if (endpoint < 0)
        return 1;
    struct ipc_message hello = {.send_cap = (cap_t)endpoint};
    // The library knows nothing of a raw endpoint: no call may come to it.
    u32 before = user_disable();
    if (ipc_call(CAP_PARENT, &hello) != 0)
        return 2;
    if (raw)
        serve_raw();
    user_enable(before);
    ipc_serve();
}
