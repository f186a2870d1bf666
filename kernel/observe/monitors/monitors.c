// SPDX-License-Identifier: MIT
// All monitors, and their number.
#include "monitors.h"

#include <kernel/capability.h>
#include <kernel/points.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>
#include <orrery/process.h>

#include "monitor.h"
#include "proc/services.h"

static struct {
    struct co_root root;
    struct co_rep rep;
    struct spinlock lock; // of what follows
    struct monitor *first;
    struct admitted {
        const struct monitor *monitor; // NULL: free
        u32 pid;                       // its creator's
    } admitted[SYS_MONITORS];
} all = {.lock = SPINLOCK_INIT("monitors", RANK_OBJECT)};

// Returns a free place for a monitor of a process with these rights, or NULL. A process that may
// monitor all others has no limit of its own: it may serve many clients, as the server of the DCI
// does. Lock held.
static struct admitted *find_place(u32 pid, u32 rights)
{
    u32 total = 0, own = 0;
    struct admitted *place = NULL;

    for (u32 i = 0; i < SYS_MONITORS; i++) {
        struct admitted *at = &all.admitted[i];
        if (at->monitor == NULL)
            place = at;
        total += at->monitor != NULL;
        own += at->monitor != NULL && at->pid == pid;
    }
    if ((rights & RIGHT_MONITOR) == 0 && own >= SYS_MONITORS_PROCESS)
        return NULL;
    if (rights == 0 && total >= SYS_MONITORS - SYS_MONITORS_RESERVED)
        return NULL;
    return place;
}

s64 monitors_admit(struct monitor *monitor)
{
    const struct process *caller = process_current();
    u32 pid = process_pid(caller);

    spin_lock(&all.lock);
    struct admitted *place = find_place(pid, process_rights(caller));
    if (place != NULL)
        *place = (struct admitted){.monitor = monitor, .pid = pid};
    spin_unlock(&all.lock);
    return place != NULL ? 0 : E_LIMIT;
}

void monitors_dismiss(const struct monitor *monitor)
{
    spin_lock(&all.lock);
    for (u32 i = 0; i < SYS_MONITORS; i++) {
        if (all.admitted[i].monitor == monitor)
            all.admitted[i].monitor = NULL;
    }
    spin_unlock(&all.lock);
}

void monitors_add(struct monitor *monitor)
{
    spin_lock(&all.lock);
    monitor->next = all.first;
    monitor->link = &all.first;
    if (monitor->next != NULL)
        monitor->next->link = &monitor->next;
    all.first = monitor;
    spin_unlock(&all.lock);
}

void monitors_remove(struct monitor *monitor)
{
    spin_lock(&all.lock);
    *monitor->link = monitor->next;
    if (monitor->next != NULL)
        monitor->next->link = monitor->link;
    spin_unlock(&all.lock);
}

// ---- the object ---------------------------------------------------------------------------------

// Counts all if out is NULL.
static s64 coids(coid_t *out, u32 max)
{
    u32 count = 0;

    spin_lock(&all.lock);
    for (const struct monitor *at = all.first; at != NULL && (out == NULL || count < max);
         at = at->next) {
        if (out != NULL)
            out[count] = at->root.coid;
        count++;
    }
    spin_unlock(&all.lock);
    return count;
}

static CO_METHOD s64 monitors_get_num_children(struct co_rep *self)
{
    CO_HOME(self);
    return coids(NULL, 0);
}

static CO_METHOD s64 monitors_get_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    return coids(out, max);
}

static const struct co_ops ops = {monitors_get_num_children, monitors_get_children};
static struct co_class class = {
    .name = "Monitors",
    .implementation = "Monitors",
    .size = sizeof(all),
    .ops = &ops,
};

static void hold_monitor(void *monitor)
{
    monitor_hold(monitor);
}

static void put_monitor(void *monitor)
{
    monitor_put(monitor);
}

static void monitors_init(void)
{
    static const struct capability_kind kind = {hold_monitor, put_monitor};

    capability_set_monitors(&kind);
    service_create(&class, &all.root, &all.rep);
}
HANDLES_ALWAYS(services_begin, 1, monitors_init);
