// SPDX-License-Identifier: MIT
// Finds servers in the list of processes. init is the first one, servers are its children: others
// may have any name.
#include "who.h"

#include <orrery/process.h>
#include <orrery/sys.h>
#include <string.h>

#define INIT 1

static const char *const names[SERVERS] = {"init", "fs", "proc", "net", "dci"};

static bool is_server(const struct sys_process_info *info, const char *name)
{
    return info->state == PROCESS_LIVE && (info->pid == INIT || info->parent == INIT) &&
           strcmp(info->name, name) == 0;
}

u32 server_pid(const char *name)
{
    struct sys_process_info some[16];
    u64 cursor = 0;
    s64 bytes;

    if (name == NULL)
        return (u32)sys_process_pid(0);
    while ((bytes = sys_process_list(&cursor, some, sizeof(some))) > 0) {
        for (u32 i = 0; i < (u64)bytes / sizeof(some[0]); i++)
            if (is_server(&some[i], name))
                return some[i].pid;
    }
    return 0;
}

struct servers servers_now(void)
{
    struct servers now;

    for (u32 i = 0; i < SERVERS; i++)
        now.pids[i] = server_pid(names[i]);
    return now;
}

u32 servers_changed(const struct servers *before, const char *but)
{
    struct servers now = servers_now();
    u32 changed = 0;

    for (u32 i = 0; i < SERVERS; i++)
        if (but == NULL || strcmp(names[i], but) != 0)
            changed += now.pids[i] != before->pids[i];
    return changed;
}
