// SPDX-License-Identifier: MIT
// A thread that kills the fs server.
#include "killer.h"

#include <orrery/process.h>
#include <orrery/sys.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <user/thread.h>
#include <waiting.h>

#define SERVER "fs"
#define LIFE_US 60000 // at most, of a server that somebody uses

static u32 killed, wanted;

static u32 find_server(void)
{
    struct sys_process_info infos[64];
    u64 cursor = 0;
    s64 got;
    while ((got = sys_process_list(&cursor, infos, sizeof(infos))) > 0)
        for (u64 i = 0; i < (u64)got / sizeof(infos[0]); i++)
            if (strncmp(infos[i].name, SERVER, PROCESS_NAME_MAX) == 0 &&
                infos[i].state == PROCESS_LIVE)
                return infos[i].pid;
    return 0;
}

static s64 kill_all(void *argument)
{
    u32 before = 0, pid;
    (void)argument;
    while (!killer_done()) {
        if (!WAIT_FOR((pid = find_server()) != 0 && pid != before))
            return -1;
        thread_sleep_us((u64)rand() % LIFE_US);
        if (kill((pid_t)pid, SIGKILL) == 0)
            __atomic_add_fetch(&killed, 1, __ATOMIC_RELAXED);
        before = pid;
    }
    return 0;
}

void killer_start(u32 kills)
{
    wanted = kills;
    if (kills > 0 && thread_create(NULL,
                                   &(struct thread_attributes){.name = "killer",
                                                               .cpu = THREAD_HERE,
                                                               .priority = THREAD_PRIORITY_DEFAULT,
                                                               .detached = true},
                                   kill_all, NULL) != 0)
        exit(1);
}

u32 killer_count(void)
{
    return __atomic_load_n(&killed, __ATOMIC_RELAXED);
}

bool killer_done(void)
{
    return killer_count() >= wanted;
}
