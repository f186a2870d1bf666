// SPDX-License-Identifier: MIT
// The sampling calls of orrery/sys.h. A session ends with the process that started it.
#include <co/object.h>
#include <kernel/pmu.h>
#include <kernel/process.h>
#include <orrery/sys.h>

#include "counting.h"
#include "manager.h"

static u32 owner; // pid, 0: none or the kernel
static s64 owned;

s64 sys_sampling_start(const struct sys_sampling *sampling, char *message, u64 bytes)
{
    const struct process *process = process_current();
    s64 session = CO_CALL(struct pmu_manager, pmu_manager, start, sampling, message, bytes);

    // There is only one session, so no other start can succeed until it ends.
    if (session > 0) {
        __atomic_store_n(&owned, session, __ATOMIC_RELAXED);
        __atomic_store_n(&owner, process == NULL ? 0 : process_pid(process), __ATOMIC_RELEASE);
    }
    return session;
}

static void sampler_ends(struct process *process)
{
    if (__atomic_load_n(&owner, __ATOMIC_ACQUIRE) != process_pid(process))
        return;
    __atomic_store_n(&owner, 0, __ATOMIC_RELAXED);
    sys_sampling_stop(__atomic_load_n(&owned, __ATOMIC_RELAXED));
}
PROCESS_END_HOOK(sampler_ends);

s64 sys_sampling_stop(s64 session)
{
    return CO_CALL(struct pmu_manager, pmu_manager, stop, session);
}

s64 sys_sampling_change(s64 session, u32 index, u64 period, u32 randomise)
{
    return CO_CALL(struct pmu_manager, pmu_manager, change, session, index, period, randomise);
}

// Returns whether the caller may have process pid told.
static bool may_notify(const struct process *caller, s64 session, u32 pid)
{
    if (process_rights(caller) & RIGHT_MONITOR)
        return true;
    u32 own = process_pid(caller);
    return pid == own && __atomic_load_n(&owner, __ATOMIC_ACQUIRE) == own &&
           __atomic_load_n(&owned, __ATOMIC_RELAXED) == session;
}

s64 sys_overflow_notify(s64 session, u32 pid, bool on)
{
    const struct process *caller = process_current();
    if (caller == NULL)
        return E_INVAL; // the kernel has no upcalls
    if (pid == 0)
        pid = process_pid(caller);
    if (!may_notify(caller, session, pid))
        return E_PERM;
    struct process *process = process_get(pid);
    if (process == NULL)
        return E_NOENT;
    s64 result = CO_CALL(struct pmu_manager, pmu_manager, notify, session, process, on);
    process_put(process);
    return result;
}

s64 sys_sampling_read(s64 session, u32 cpu, u32 index, void *buffer, u64 bytes)
{
    return CO_CALL(struct pmu_manager, pmu_manager, read, session, cpu, index, buffer, bytes);
}

s64 sys_sampling_stat(s64 session, u32 cpu, u32 index, struct sys_sampling_stat *stat)
{
    return CO_CALL(struct pmu_manager, pmu_manager, stat, session, cpu, index, stat);
}
