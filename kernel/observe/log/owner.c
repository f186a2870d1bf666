// SPDX-License-Identifier: MIT
// Who owns the logs, and the calls of orrery/log.h: one process in the machine at a time.
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/process.h>
#include <kernel/wait.h>
#include <orrery/errors.h>
#include <syscalls/objects.h>

#include "areas.h"
#include "pmu/counting.h"
#include "points.h"

static struct mutex mutex = MUTEX_INIT("logs", MUTEX_SERVICE); // guards all here, and the areas
static const struct process *owner;                            // NULL: nobody owns the logs
static u32 enabled;

// Is the caller the owner? Returns 0, E_NOENT (nobody is) or E_BUSY (another is). Mutex held.
static s64 ask_owner(void)
{
    if (owner == NULL)
        return E_NOENT;
    return owner == process_current() ? 0 : E_BUSY;
}

s64 call_log_area(struct fcm *memory, u32 cpu)
{
    if (cpu >= cpu_count)
        return E_INVAL;
    mutex_lock(&mutex);
    s64 result = ask_owner();
    if (result != E_BUSY)
        result = log_area_add(memory, cpu);
    if (result >= 0)
        owner = process_current();
    mutex_unlock(&mutex);
    return result;
}

s64 sys_log_domain(u32 pid, u32 thread, u32 domain)
{
    if (domain >= LOG_DOMAINS)
        return E_INVAL;
    mutex_lock(&mutex);
    s64 error = ask_owner();
    if (error == 0)
        error = process_set_domain(pid, thread, domain);
    mutex_unlock(&mutex);
    return error;
}

s64 sys_log_hardware(s64 session, u32 first, u32 second)
{
    const u32 items[COUNTING_LOGGED] = {first, second};

    mutex_lock(&mutex);
    s64 error = ask_owner();
    mutex_unlock(&mutex);
    if (error != 0)
        return error;
    // Sessions have a mutex of their own. A process that no longer owns the logs by now has chosen
    // for itself.
    return model_present() ? CO_CALL(struct pmu_counting, pmu_counting, log, session, items)
                           : E_NOTSUP;
}

static s64 ask_supported(u32 characteristic)
{
    if (characteristic != LOG_OF_HARDWARE)
        return 0;
    if (!model_present())
        return E_NOTSUP;
    return counting_log_is_of(process_pid(process_current())) ? 0 : E_STALE;
}

s64 sys_log_enable(u32 characteristic, bool on)
{
    if (characteristic >= LOG_CHARACTERISTICS)
        return E_INVAL;
    mutex_lock(&mutex);
    s64 error = ask_owner();
    if (error == 0 && on)
        error = ask_supported(characteristic);
    if (error == 0) {
        u32 bit = LOG_BIT(characteristic);
        bool again = on && (enabled & bit) && characteristic == LOG_OF_CALLS;
        if (again)
            log_points_refresh();
        enabled = on ? enabled | bit : enabled & ~bit;
        log_points_set(enabled);
    }
    mutex_unlock(&mutex);
    return error;
}

s64 sys_log_quiesce(u32 cpu)
{
    if (cpu >= cpu_count)
        return E_INVAL;
    mutex_lock(&mutex);
    s64 error = ask_owner();
    mutex_unlock(&mutex);
    if (error == 0)
        log_quiesce(1UL << cpu);
    return error;
}

// Ends the logs. Mutex held.
static void end_logs(void)
{
    enabled = 0;
    log_points_set(0);
    log_areas_remove();
    processes_clear_domains();
    owner = NULL;
}

s64 sys_log_close(void)
{
    mutex_lock(&mutex);
    s64 error = ask_owner();
    if (error == 0)
        end_logs();
    mutex_unlock(&mutex);
    return error;
}

static void log_owner_ends(struct process *process)
{
    mutex_lock(&mutex);
    if (owner == process)
        end_logs();
    mutex_unlock(&mutex);
}
PROCESS_END_HOOK(log_owner_ends);
