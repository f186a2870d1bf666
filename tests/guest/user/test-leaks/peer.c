// SPDX-License-Identifier: MIT
// Other processes: this program in a role.
#include "leaks.h"

#include <stdarg.h>
#include <stdio.h>
#include <waiting.h>

#include <orrery/sys.h>

void tell(const char *format, ...)
{
    char text[160];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    sys_console_write(text, length < (int)sizeof(text) ? (u64)length : sizeof(text) - 1);
}

static s64 greeted(struct ipc_request *request)
{
    struct peer *peer = request->context;

    peer->cap = request->cap;
    semaphore_up(&peer->ready);
    return 0;
}

static s64 start(const char *role, u32 cpu, cap_t greeting)
{
    const char *const argv[] = {"test-leaks", role, NULL};
    struct process_grant grant = {CAP_PARENT, greeting};
    struct process_spawn spawn = PROCESS_SPAWN;

    spawn.path = "bin/test-leaks";
    spawn.argv = argv;
    spawn.grants = &grant;
    spawn.grant_count = greeting != 0 ? 1 : 0;
    spawn.cpu = cpu;
    return process_spawn(&spawn);
}

bool peer_start(struct peer *peer, const char *role, u32 cpu)
{
    *peer = (struct peer){.cap = 0};
    s64 greeting = ipc_endpoint(greeted, peer);
    if (greeting < 0)
        return false;
    peer->greeting = (cap_t)greeting;
    s64 pid = start(role, cpu, peer->greeting);
    if (pid < 0)
        return false;
    peer->pid = (u32)pid;
    return semaphore_down_until(&peer->ready, patience()) == 0;
}

void peer_end(struct peer *peer)
{
    s32 status;

    sys_process_kill(peer->pid, 0);
    process_wait(peer->pid, &status, patience());
    ipc_endpoint_close(peer->greeting);
    sys_cap_drop(peer->cap);
}

s64 peer_run(const char *role)
{
    s32 status = 0;
    s64 pid = start(role, user_cpu(), 0);

    if (pid < 0)
        return pid;
    s64 ended = process_wait((u32)pid, &status, patience());
    return ended == pid ? status : ended;
}
