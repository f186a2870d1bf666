// SPDX-License-Identifier: MIT
// Many processes, each asleep until its timer ends: one timer in the kernel for each.
#include <orrery/process.h>
#include <stdio.h>
#include <user/process.h>
#include <user/thread.h>
#include <user/time.h>

#include "growth.h"

#define PROCESSES 1000
#define CHILDREN 20

static u32 pids[PROCESSES];

static s64 spawn(const char *what)
{
    const char *argv[] = {"bench-growth", what, NULL};
    struct process_spawn spawn = PROCESS_SPAWN;

    spawn.path = "/bin/bench-growth";
    spawn.argv = argv;
    return process_spawn(&spawn);
}

static s64 add_process(u32 index)
{
    s64 pid = spawn("sleep");

    pids[index] = (u32)pid;
    return pid < 0 ? pid : 0;
}

// Until they have set their timers.
static s64 let_them_begin(u32 count)
{
    thread_sleep_us(count * 2000UL);
    return 0;
}

static void kill_all(u32 count)
{
    for (u32 i = 0; i < count; i++) {
        sys_process_kill(pids[i], 0);
        process_wait(pids[i], NULL, THREAD_FOREVER);
    }
}

static s64 look_up(u32 count)
{
    struct sys_process_info info;

    return sys_process_info(pids[count - 1], &info);
}

static s64 list(u32 count)
{
    static u8 records[65536];
    u64 cursor = 0, bytes = 0;
    s64 part;

    while ((part = sys_process_list(&cursor, records, sizeof(records))) > 0)
        bytes += (u64)part;
    return part < 0 ? part : failed_unless(bytes >= count * sizeof(struct sys_process_info));
}

// Behind all others. The library's own is cancelled too: it has none, nobody sleeps here.
static s64 set_and_cancel(u32 count)
{
    s64 error = sys_timer(UINT64_MAX - 1);

    (void)count;
    return error != 0 ? error : sys_timer(UINT64_MAX);
}

static s64 spawn_and_wait(const char *what)
{
    s32 status;
    s64 pid = spawn(what);

    s64 error = pid < 0 ? pid : process_wait((u32)pid, &status, THREAD_FOREVER);
    return error < 0 ? error : failed_unless(status == 0);
}

static s64 spawn_exit_wait(u32 count)
{
    (void)count;
    return spawn_and_wait("exit");
}

// Its children go with it.
static s64 parent_exit(u32 count)
{
    (void)count;
    return spawn_and_wait("parent");
}

int leave_children(void)
{
    const struct sys_process_new child = {.name = "child", .priority = PROCESS_NORMAL};

    for (u32 i = 0; i < CHILDREN; i++)
        if (sys_process_create(&child) < 0)
            return 1;
    return 0;
}

bool growth_of_processes(void)
{
    static const struct things processes = {
        .most = PROCESSES,
        .add = add_process,
        .begin = let_them_begin,
        .remove_all = kill_all,
        .operations = {{.name = "process_look_up", .run = look_up},
                       {.name = "process_list", .run = list, .each = true},
                       {.name = "timer_set_cancel", .run = set_and_cancel},
                       {.name = "process_spawn_exit_wait", .run = spawn_exit_wait},
                       {.name = "process_parent_exit", .run = parent_exit}},
    };

    return measure_growth(&processes);
}
