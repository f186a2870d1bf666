// SPDX-License-Identifier: MIT
// Closes handles of processes that have ended without closing them. The kernel tells that processes
// end; the list of processes tells which.
#include <handles/handles.h>

#include <orrery/process.h>
#include <stdlib.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define GATHER_US 20000 // ends that come together are looked at together
#define PIDS_MAX 16384

struct pids {
    u32 count;
    u32 pids[PIDS_MAX];
};

static struct thread *sweeper;

static int compare(const void *first, const void *second)
{
    u32 a = *(const u32 *)first, b = *(const u32 *)second;
    return a < b ? -1 : a > b;
}

// Reads all pids, in order. Returns false if it cannot read all: then nobody counts as ended.
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

static void on_end(void)
{
    thread_unpark(sweeper);
}

s64 handles_sweep_forever(struct handle_table *table)
{
    static struct pids pids;
    sweeper = thread_current();
    s64 bit = user_on_kick(on_end);
    if (bit < 0)
        return bit;
    for (;;) {
        // Asks first: who ends from here on is told.
        s64 status = sys_process_await_end(1ul << bit);
        if (status != 0)
            return status;
        if (handles_any(table) && read_pids(&pids))
            handles_sweep(table, alive, &pids);
        thread_park(THREAD_FOREVER);
        thread_sleep_us(GATHER_US);
    }
}
