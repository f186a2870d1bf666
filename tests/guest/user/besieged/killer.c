// SPDX-License-Identifier: MIT
// Ends servers, each once the one before is there again.
#include "siege.h"

#include <ipc/names.h>
#include <orrery/ipc.h>
#include <orrery/sys.h>
#include <string.h>
#include <user/process.h>
#include <user/thread.h>
#include <waiting.h>

#define INIT 1
#define LIFE_US 60000 // at most, after the one before is there again

static const struct {
    const char *name;
    bool unnamed; // it registers no name
} servers[SERVERS] = {{"fs", false}, {"net", false}, {"dci", true}, {"proc", false}};

static u32 kills[SERVERS]; // atomic
static u32 wanted;
static volatile bool busy, failed;

static u32 pid_of(const char *name)
{
    struct sys_process_info infos[16];
    u64 cursor = 0;
    s64 bytes;

    while ((bytes = sys_process_list(&cursor, infos, sizeof(infos))) > 0)
        for (u64 i = 0; i < (u64)bytes / sizeof(infos[0]); i++)
            if (infos[i].parent == INIT && infos[i].state == PROCESS_LIVE &&
                strcmp(infos[i].name, name) == 0)
                return infos[i].pid;
    return 0;
}

static bool is_registered(const char *name)
{
    cap_t endpoint;
    bool found = names_lookup(CAP_NAMES, name, &endpoint) == 0;

    if (found)
        sys_cap_drop(endpoint);
    return found;
}

static bool is_up(u32 server, u32 before)
{
    u32 pid = pid_of(servers[server].name);

    return pid != 0 && pid != before &&
           (servers[server].unnamed || is_registered(servers[server].name));
}

static bool kill_one(u32 server, u32 *random)
{
    u32 pid = pid_of(servers[server].name);

    if (pid == 0 || sys_process_kill(pid, 0) != 0)
        return false;
    __atomic_fetch_add(&kills[server], 1, __ATOMIC_RELAXED);
    bool back = WAIT_FOR(is_up(server, pid));
    *random = *random * 1664525u + 1013904223u;
    thread_sleep_us(*random % LIFE_US);
    return back;
}

static s64 kill_all(void *argument)
{
    u32 random = 1;

    (void)argument;
    while (killer_least_kills() < wanted && !failed)
        for (u32 server = 0; server < SERVERS && !failed; server++)
            failed = !kill_one(server, &random);
    busy = false;
    return 0;
}

s64 killer_begin(u32 times)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;

    attributes.name = "killer";
    attributes.detached = true;
    wanted = killer_least_kills() + times;
    busy = true;
    return thread_create(NULL, &attributes, kill_all, NULL);
}

u32 killer_least_kills(void)
{
    u32 least = UINT32_MAX;

    for (u32 i = 0; i < SERVERS; i++) {
        u32 count = __atomic_load_n(&kills[i], __ATOMIC_RELAXED);
        least = count < least ? count : least;
    }
    return least;
}

bool killer_failed(void)
{
    return failed;
}

bool killer_is_busy(void)
{
    return busy;
}
