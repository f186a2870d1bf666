// SPDX-License-Identifier: MIT
// Handles of processes that have ended without closing them. Nobody tells a server of such ends, so it looks at the
// list of processes: soon when somebody waits for it, else every second.
#include <handles/handles.h>

#include <orrery/process.h>
#include <stdlib.h>
#include <user/thread.h>

#define LOOK_US 20000
#define SELDOM_US 1000000
#define PIDS_MAX 16384

struct pids {
    u32 count;
    u32 pids[PIDS_MAX];
};

static int compare(const void *first, const void *second)
{
    u32 a = *(const u32 *)first, b = *(const u32 *)second;
    return a < b ? -1 : a > b;
}

// False: not all of them could be read, so nobody counts as ended.
static bool read_pids(struct pids *pids)
{
    struct sys_process_info info[32];
    u64 cursor = 0;
    s64 bytes;
    pids->count = 0;
    while ((bytes = sys_process_list(&cursor, info, sizeof(info))) > 0) {
        for (u32 i = 0; i < (u64)bytes / sizeof(info[0]); i++) {
            if (pids->count == PIDS_MAX)
                return false;
            if (info[i].state != PROCESS_ENDING)
                pids->pids[pids->count++] = info[i].pid;
        }
    }
    qsort(pids->pids, pids->count, sizeof(pids->pids[0]), compare);
    return bytes == 0;
}

static bool alive(u32 pid, void *context)
{
    const struct pids *pids = context;
    return bsearch(&pid, pids->pids, pids->count, sizeof(pid), compare) != NULL;
}

void handles_sweep_forever(struct handle_table *table, bool (*soon)(void))
{
    static struct pids pids;
    u64 waited = 0;
    for (;;) {
        thread_sleep_us(LOOK_US);
        waited += LOOK_US;
        if (waited < SELDOM_US && (soon == NULL || !soon()))
            continue;
        waited = 0;
        if (read_pids(&pids))
            handles_sweep(table, alive, &pids);
    }
}
