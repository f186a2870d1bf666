// SPDX-License-Identifier: MIT
// The logs for schedulers through the calls of orrery/log.h. The master owns the logs and serves
// the children's calls. Needs all rights.
#include "tests.h"

#include <expect.h>
#include <orrery/ipc.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/ipc.h>
#include <waiting.h>

static s64 endpoint;
static u64 called, owned, messages, told; // owned: calls by owners

static s64 answer(struct ipc_request *request)
{
    if (request->call == 0) {
        __atomic_fetch_add(&messages, 1, __ATOMIC_RELAXED);
        return 0;
    }
    __atomic_fetch_add(&called, 1, __ATOMIC_RELAXED);
    if (request->words[1] != 0)
        __atomic_store_n(&told, request->words[1], __ATOMIC_RELAXED);
    if (request->words[2] != 0)
        same_step();
    if (request->words[0] != 0)
        __atomic_fetch_add(&owned, 1, __ATOMIC_RELAXED);
    return 0;
}

u64 master_called(void)
{
    return __atomic_load_n(&called, __ATOMIC_RELAXED);
}

u64 master_owned(void)
{
    return __atomic_load_n(&owned, __ATOMIC_RELAXED);
}

u64 master_told(void)
{
    return __atomic_load_n(&told, __ATOMIC_RELAXED);
}

u64 master_messages(void)
{
    return __atomic_load_n(&messages, __ATOMIC_RELAXED);
}

// ---- children -----------------------------------------------------------------------------------

static void map_child(u32 pid, void *context)
{
    const struct child *child = context;
    struct sys_process_info info;

    if (child->pages != NULL) {
        EXPECT(sys_process_info(pid, &info) == 0);
        *child->pages = info.memory_pages;
    }
    if (child->monitored)
        monitor_child(pid);
    if (child->domain != 0)
        EXPECT(sys_log_domain(pid, 0, child->domain) == 0);
}

u32 child_start(const struct child *child)
{
    char number[24];
    const char *argv[] = {"test-logs", child->role, number, NULL};
    struct process_grant grant = {CAP_PARENT, (cap_t)endpoint};
    struct process_spawn spawn = PROCESS_SPAWN;

    snprintf(number, sizeof(number), "%lu", child->argument);
    spawn.path = "bin/test-logs";
    spawn.argv = argv;
    spawn.grants = &grant;
    spawn.grant_count = 1;
    spawn.cpu = child->cpu;
    spawn.rights = child->rights;
    spawn.memory_limit = child->memory_limit;
    spawn.made = map_child;
    spawn.made_context = (void *)child;
    s64 pid = process_spawn(&spawn);
    EXPECT(pid > 0);
    return pid > 0 ? (u32)pid : 0;
}

int call_master(u64 calls)
{
    struct ipc_message message = {.words = {0}};

    for (u64 i = 0; i < calls; i++)
        if (ipc_call(CAP_PARENT, &message) != 0)
            return 1;
    return 0;
}

static int play(const char *role, u64 argument)
{
    if (strcmp(role, "call") == 0)
        return call_master(argument);
    if (strcmp(role, "same") == 0)
        return call_same(argument);
    if (strcmp(role, "send") == 0)
        return send_to_master(argument);
    if (strcmp(role, "work") == 0)
        return work_and_sleep(argument);
    if (strcmp(role, "fill") == 0)
        return fill_and_sleep(argument);
    if (strcmp(role, "churn") == 0)
        return churn(argument);
    if (strcmp(role, "measure") == 0)
        return measure_calls();
    if (strcmp(role, "own") == 0)
        return own_logs();
    if (strcmp(role, "without-right") == 0)
        return refused_without_right();
    if (strcmp(role, "beside-owner") == 0)
        return refused_beside_owner();
    if (strcmp(role, "without-memory") == 0)
        return refused_without_memory();
    return 1;
}

int main(int argc, char **argv)
{
    char option[8];

    if (argc == 3)
        return play(argv[1], strtoul(argv[2], NULL, 0));
    endpoint = ipc_endpoint(answer, NULL);
    EXPECT(endpoint > 0);
    if (sys_option("speed", option, sizeof(option)) == 0) {
        speed();
        return expect_report("test-logs");
    }
    if (sys_option("hardware", option, sizeof(option)) == 0) {
        hardware();
        return expect_report("test-logs");
    }
    refusals();
    counts();
    passing();
    same();
    services();
    monitored();
    pages();
    reading();
    example();
    storm();
    owners();
    return expect_report("test-logs");
}
