// SPDX-License-Identifier: MIT
// Accounting domains of processes and dispatchers: mapped by the scheduler that owns the logs,
// handed down, and cleared for the next one.
#include "domain.h"

#include <kernel/address_space.h>
#include <kernel/percpu.h>
#include <orrery/errors.h>
#include <orrery/log.h>

#include "annex.h"
#include "dispatcher.h"
#include "process.h"
#include "thread.h"

static u32 clearings; // begun and ended: odd while domains are being cleared

// ---- kept by memory -----------------------------------------------------------------------------

static u32 keep(u32 domain, u32 cleared)
{
    return domain == 0 ? 0 : domain | cleared * LOG_DOMAINS;
}

u32 domain_of_memory(u32 kept)
{
    u32 domain = kept % LOG_DOMAINS;

    return domain != 0 && kept == keep(domain, __atomic_load_n(&clearings, __ATOMIC_ACQUIRE))
               ? domain
               : 0;
}

// ---- processes ----------------------------------------------------------------------------------

u32 domain_inherit(struct process *process)
{
    u32 cleared = __atomic_load_n(&clearings, __ATOMIC_ACQUIRE);
    const struct process *creator = process_current();

    if (creator != NULL && cleared % 2 == 0) {
        process->domain = __atomic_load_n(&creator->domain, __ATOMIC_RELAXED);
        space_set_domain(process->space, keep(process->domain, cleared));
    }
    return cleared;
}

void domain_inherited(struct process *process, u32 cleared)
{
    if (__atomic_load_n(&clearings, __ATOMIC_ACQUIRE) != cleared)
        process->domain = 0; // it has no dispatcher yet
}

u32 dispatcher_domain(const struct dispatcher *dispatcher)
{
    return __atomic_load_n(&dispatcher->domain, __ATOMIC_RELAXED);
}

void dispatcher_set_domain(struct dispatcher *dispatcher, u32 domain)
{
    __atomic_store_n(&dispatcher->domain, domain, __ATOMIC_RELAXED);
    __atomic_store_n(&dispatcher->descriptor, domain != 0 ? domain : LOG_NOBODY, __ATOMIC_RELAXED);
}

// Sets the domain of dispatchers with this thread, or of all for 0. Returns whether there was one.
// Lock held.
static bool set_dispatchers(struct process *process, u32 thread, u32 domain)
{
    bool found = false;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct dispatcher *dispatcher = process->dispatchers[cpu];
        if (dispatcher == NULL || (thread != 0 && dispatcher->thread_id != thread))
            continue;
        dispatcher_set_domain(dispatcher, domain);
        found = true;
    }
    return found;
}

static s64 set_domain(struct process *process, u32 thread, u32 domain)
{
    spin_lock(&process->lock);
    bool found = set_dispatchers(process, thread, domain);
    if (thread == 0) {
        __atomic_store_n(&process->domain, domain, __ATOMIC_RELAXED);
        space_set_domain(process->space,
                         keep(domain, __atomic_load_n(&clearings, __ATOMIC_ACQUIRE)));
    }
    spin_unlock(&process->lock);
    return thread == 0 || found ? 0 : E_NOENT;
}

// ---- kernel threads -----------------------------------------------------------------------------

struct kernel_mapping {
    u32 domain;
    bool found;
};

static void map_kernel_thread(struct thread *thread, void *argument)
{
    struct kernel_mapping *mapping = argument;

    if (thread->dispatcher != NULL)
        return;
    __atomic_store_n(&thread->domain, mapping->domain, __ATOMIC_RELAXED);
    mapping->found = true;
}

// One, or all of them for 0.
static s64 set_kernel_domain(u32 thread, u32 domain)
{
    struct kernel_mapping mapping = {.domain = domain};
    struct thread_summary summary;

    if (thread != 0)
        thread_table_visit(thread, map_kernel_thread, &mapping);
    for (u32 cpu = 0; thread == 0 && cpu < cpu_count; cpu++)
        for (u32 cursor = 0; thread_table_next(&cursor, cpu, &summary);)
            thread_table_visit(summary.id, map_kernel_thread, &mapping);
    return mapping.found ? 0 : E_NOENT;
}

u32 domain_of_thread(const struct thread *thread)
{
    return __atomic_load_n(thread->dispatcher != NULL ? &thread->dispatcher->domain
                                                      : &thread->domain,
                           __ATOMIC_RELAXED);
}

// ---- all ----------------------------------------------------------------------------------------

s64 process_set_domain(u32 pid, u32 thread, u32 domain)
{
    if (pid == 0)
        return set_kernel_domain(thread, domain);
    struct process *process = process_get(pid);

    if (process == NULL)
        return E_NOENT;
    s64 error = set_domain(process, thread, domain);
    process_put(process);
    return error;
}

void processes_clear_domains(void)
{
    struct process *process;
    u64 place = 0;

    __atomic_fetch_add(&clearings, 1, __ATOMIC_SEQ_CST);
    set_kernel_domain(0, 0);
    while ((process = annex_next(&place)) != NULL) {
        set_domain(process, 0, 0);
        process_put(process);
    }
    __atomic_fetch_add(&clearings, 1, __ATOMIC_SEQ_CST);
}
