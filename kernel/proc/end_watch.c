// SPDX-License-Identifier: MIT
// Who is told that a process has ended: a few servers, which keep something for processes and would
// have to look at the list of them again and again. Each is told once and asks anew, so that a
// storm of ends costs it one event.
#include "end_watch.h"

#include <kernel/percpu.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>
#include <orrery/errors.h>

#define WATCHERS 16

static struct {
    struct spinlock lock; // guards everything here
    struct watcher {
        struct process *process; // held; NULL: free
        u32 cpu;
        u64 bits; // 0: has been told
    } all[WATCHERS];
} watchers = {.lock = SPINLOCK_INIT("watchers of ends", RANK_SERVICE)};

// Returns the entry of a process, or a free one for NULL. Returns NULL if there is none. The caller
// holds the lock.
static struct watcher *end_watch_find(const struct process *process)
{
    for (u32 i = 0; i < WATCHERS; i++) {
        if (watchers.all[i].process == process)
            return &watchers.all[i];
    }
    return NULL;
}

s64 sys_process_await_end(u64 bits)
{
    struct process *process = process_current();

    if (process == NULL)
        return E_NOTSUP;
    spin_lock(&watchers.lock);
    struct watcher *watcher = end_watch_find(process);
    if (watcher == NULL && (watcher = end_watch_find(NULL)) != NULL) {
        process_hold(process);
        watcher->process = process;
    }
    if (watcher != NULL) {
        watcher->cpu = cpu_id();
        watcher->bits = bits;
    }
    spin_unlock(&watchers.lock);
    return watcher != NULL ? 0 : E_LIMIT;
}

// Kicks a watcher that has not been told yet. The caller holds the lock.
static void end_watch_tell(struct watcher *watcher)
{
    struct dispatcher *dispatcher = process_dispatcher(watcher->process, watcher->cpu);
    u64 bits = watcher->bits;

    watcher->bits = 0;
    if (bits != 0 && dispatcher != NULL)
        dispatcher_kick(dispatcher, bits);
}

void end_watch_process_ended(const struct process *process)
{
    struct process *watched_no_more = NULL;

    spin_lock(&watchers.lock);
    struct watcher *own = end_watch_find(process);
    if (own != NULL) {
        watched_no_more = own->process;
        *own = (struct watcher){0};
    }
    for (u32 i = 0; i < WATCHERS; i++) {
        if (watchers.all[i].process != NULL)
            end_watch_tell(&watchers.all[i]);
    }
    spin_unlock(&watchers.lock);
    if (watched_no_more != NULL)
        process_put(watched_no_more);
}
