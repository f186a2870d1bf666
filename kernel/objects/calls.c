// SPDX-License-Identifier: MIT
// The object calls of orrery/sys.h, in the kernel. Counting ends with the process that switched it
// on.
#include <co/manager.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>
#include <orrery/errors.h>
#include <orrery/sys.h>

s64 sys_object_scan(u64 *cursor, void *buffer, u64 bytes)
{
    return co_manager_scan(cursor, buffer, bytes);
}

s64 sys_class_get(u32 index, struct sys_class *class_info)
{
    return co_manager_class(index, class_info);
}

#define HOLDERS_MAX 16 // processes that have switched counting on at the same time

static struct {
    struct spinlock lock;
    struct holder {
        u32 pid; // 0: free
        s32 count;
        bool processes; // also wants counting by future processes
    } holders[HOLDERS_MAX];
} holding = {.lock = SPINLOCK_INIT("dref holders", RANK_SERVICE)};

static u32 current_pid(void)
{
    const struct process *process = process_current();
    return process == NULL ? 0 : process_pid(process);
}

// Returns the holder, a new one if needed, or NULL if there is no room. Lock held.
static struct holder *holder_of(u32 pid)
{
    struct holder *free = NULL;

    for (u32 i = 0; i < HOLDERS_MAX; i++) {
        struct holder *holder = &holding.holders[i];
        if (holder->pid == pid)
            return holder;
        if (holder->pid == 0)
            free = holder;
    }
    if (free != NULL)
        *free = (struct holder){.pid = pid};
    return free;
}

// Adds change to a process's uses. Returns false if there is no room for the process.
static bool hold(u32 pid, s32 change)
{
    spin_lock(&holding.lock);
    struct holder *holder = holder_of(pid);
    if (holder != NULL)
        holder->count += change;
    spin_unlock(&holding.lock);
    return holder != NULL;
}

s64 sys_dref_enable(bool on)
{
    u32 pid = current_pid();

    if (pid != 0 && !hold(pid, on ? 1 : -1))
        return E_LIMIT;
    s64 error = co_manager_dref_enable(on);
    if (error != 0 && pid != 0)
        hold(pid, on ? -1 : 1);
    return error;
}

static u32 processes_count;

static void holder_ends(struct process *process)
{
    u32 pid = process_pid(process);
    struct holder ended = {0};

    spin_lock(&holding.lock);
    for (u32 i = 0; i < HOLDERS_MAX; i++)
        if (holding.holders[i].pid == pid) {
            ended = holding.holders[i];
            holding.holders[i] = (struct holder){0};
        }
    spin_unlock(&holding.lock);
    if (ended.processes)
        __atomic_store_n(&processes_count, 0, __ATOMIC_RELAXED);
    for (; ended.count > 0; ended.count--)
        co_manager_dref_enable(false);
}
PROCESS_END_HOOK(holder_ends);

s64 sys_dref_set_processes(bool on)
{
    u32 pid = current_pid();

    spin_lock(&holding.lock);
    struct holder *holder = pid == 0 ? NULL : holder_of(pid);
    if (holder != NULL)
        holder->processes = on;
    spin_unlock(&holding.lock);
    if (pid != 0 && holder == NULL)
        return E_LIMIT;
    __atomic_store_n(&processes_count, on, __ATOMIC_RELAXED);
    return 0;
}

s64 sys_dref_processes(void)
{
    return __atomic_load_n(&processes_count, __ATOMIC_RELAXED);
}

s64 sys_dref_read(u64 *cursor, void *buffer, u64 bytes)
{
    return co_manager_dref_read(cursor, buffer, bytes);
}
