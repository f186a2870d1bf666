// SPDX-License-Identifier: MIT
// Logs that programs write for a scheduler. The master is the owner, the children are programs
// that are logged. It is the first process, and needs all rights.
#include "tests.h"

#include <expect.h>
#include <orrery/ipc.h>
#include <orrery/inspect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/lock.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

static s64 endpoint;
static struct semaphore come, gone;
struct told told;

// ---- what children tell -------------------------------------------------------------------------

static s64 hear(struct ipc_request *request)
{
    u32 bytes = request->bytes < sizeof(told.numbers) ? request->bytes : sizeof(told.numbers);

    told.first = request->words[0];
    told.second = request->words[1];
    told.count = bytes / sizeof(u32);
    memcpy(told.numbers, request->data, bytes);
    semaphore_up(&come);
    semaphore_down(&gone);
    return 0;
}

void wait_told(void)
{
    EXPECT(semaphore_down_until(&come, patience()) == 0);
}

void go_on(void)
{
    semaphore_up(&gone);
}

s64 tell(u64 first, u64 second, const u32 *numbers, u32 count)
{
    struct ipc_message message = {
        .words = {first, second}, .send = numbers, .send_bytes = count * sizeof(u32)};

    return ipc_call(CAP_PARENT, &message);
}

// ---- questions ----------------------------------------------------------------------------------

s64 ask(u32 pid, u32 operation, u64 first, u64 second)
{
    struct sys_inspect_request request = {
        .pid = pid, .operation = operation, .arguments = {first, second}};
    u64 nothing;

    return sys_process_inspect(&request, &nothing, sizeof(nothing));
}

s64 state_of(u32 pid, u32 cpu)
{
    return ask(pid, INSPECT_LOG, cpu, 0);
}

s64 attach(u32 pid, u32 cpu)
{
    s64 error = ask(pid, INSPECT_LOG, cpu, 1);

    if (error != 0)
        return error;
    EXPECT(WAIT_FOR(state_of(pid, cpu) != E_AGAIN));
    return state_of(pid, cpu);
}

// ---- children -----------------------------------------------------------------------------------

u32 child_start(const char *role, u32 cpu)
{
    char number[8];
    const char *argv[] = {"test-own-logs", role, number, NULL};
    struct process_grant grants[] = {{CAP_PARENT, (cap_t)endpoint}, {CAP_NAMES, owner_names()}};
    struct process_spawn spawn = PROCESS_SPAWN;

    snprintf(number, sizeof(number), "%u", cpu);
    spawn.path = "bin/test-own-logs";
    spawn.argv = argv;
    spawn.grants = grants;
    spawn.grant_count = ARRAY_SIZE(grants);
    spawn.cpu = cpu;
    s64 pid = process_spawn(&spawn);
    EXPECT(pid > 0);
    return pid > 0 ? (u32)pid : 0;
}

u32 sleeper_start(void)
{
    u32 pid = child_start("sleep", 0);

    wait_told();
    go_on();
    return pid;
}

static int play(const char *role, u64 cpu)
{
    if (strcmp(role, "write") == 0)
        return write_log(cpu);
    if (strcmp(role, "sleep") == 0)
        return tell(0, 0, NULL, 0) == 0 ? sleep_for_ever() : 1;
    if (strcmp(role, "scribble") == 0)
        return scribble();
    if (strcmp(role, "own") == 0)
        return own();
    if (strcmp(role, "example") == 0)
        return log_example();
    return 100;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return play(argv[1], strtoul(argv[2], NULL, 0));
    endpoint = ipc_endpoint(hear, NULL);
    EXPECT(endpoint > 0);
    owner_begin();
    exact();
    liars();
    ends();
    example();
    return expect_report("test-own-logs");
}
