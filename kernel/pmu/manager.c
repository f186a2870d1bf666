// SPDX-License-Identifier: MIT
// The PmuManager starts and stops sampling on all CPUs of a session, and admits readers to the
// buffers.
#include "manager.h"

#include <co/manager.h>
#include <kernel/console.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/model_unit.h>
#include <kernel/panic.h>
#include <kernel/pmu.h>
#include <kernel/spinlock.h>
#include <stdio.h>

#include "counting.h"
#include "overflows.h"
#include "power.h"
#include "sample.h"
#include "session.h"

enum session_state { SESSION_STOPPED, SESSION_CHANGING, SESSION_RUNNING };

struct pmu_manager_root {
    struct co_root root;
    struct spinlock lock;
    enum session_state state; // under the lock; whoever has made it CHANGING owns the rest
    bool works;               // the model unit's interrupts have arrived on every CPU
    u32 failed;               // bit n: on CPU n the POWER PMU's do not arrive
    s64 number;               // of the latest session, from 1
    struct sampling_session session;
};

struct pmu_manager_rep {
    struct pmu_manager manager;
    struct pmu_manager_root *root;
};

static struct pmu_manager_root manager_root = {
    .lock = SPINLOCK_INIT("pmu manager", RANK_SERVICE),
};

coid_t pmu_manager;

static struct pmu_manager_root *root_of(struct pmu_manager *self)
{
    return ((struct pmu_manager_rep *)self)->root;
}

// ---- units -------------------------------------------------------------------------------------

static void probe_here(void *argument)
{
    struct pmu_manager_root *root = argument;
    if (power_probe() != 0)
        __atomic_fetch_or(&root->failed, 1u << cpu_id(), __ATOMIC_RELAXED);
}

// Returns the CPUs on which the POWER PMU's interrupts do not arrive.
static u32 probe_power(struct pmu_manager_root *root)
{
    root->failed = 0;
    cpus_call((1UL << cpu_count) - 1, probe_here, root);
    return root->failed;
}

// Checks that the interrupts which the session needs arrive; records need none. The model unit's
// are checked at their first use, because its counting is costly.
static s64 check_interrupts(struct pmu_manager_root *root, const struct sampling_plan *plan,
                            char *message, u64 bytes)
{
    if (plan->cycles != SYS_SAMPLING_EVENTS && root->failed != 0 && probe_power(root) != 0)
        return E_NOTSUP;
    if (plan->claim.request.items == 0 || root->works ||
        (plan->sampling.flags & SYS_SAMPLING_PRECISE) != 0)
        return 0;
    s64 error = session_probe(message, bytes);
    root->works = error == 0;
    return error;
}

// ---- sessions ----------------------------------------------------------------------------------

// Claims the session for a change, if it is in state `from`. Returns 0; E_BUSY if it is in another
// state; E_STALE if session, unless 0, is not the latest, or does not run.
static s64 begin_change(struct pmu_manager_root *root, enum session_state from, s64 session)
{
    s64 error = 0;
    spin_lock(&root->lock);
    if (session != 0 && (session != root->number || root->state == SESSION_STOPPED))
        error = E_STALE;
    else if (root->state != from)
        error = E_BUSY;
    else
        root->state = SESSION_CHANGING;
    spin_unlock(&root->lock);
    return error;
}

static void end_change(struct pmu_manager_root *root, enum session_state to)
{
    spin_lock(&root->lock);
    root->state = to;
    spin_unlock(&root->lock);
}

// Begins a new session with empty buffers on all CPUs. From here on readers of the last session are
// refused. Returns 0, or an error: E_BUSY, with no change, while anyone still reads.
static s64 reset_all(struct pmu_manager_root *root, const struct sampling_plan *plan)
{
    s64 error = E_BUSY;
    mutex_lock(&root->session.counting);
    if (samplers_try_lock_all(root->session.samplers, cpu_count)) {
        __atomic_store_n(&root->number, root->number + 1, __ATOMIC_RELAXED);
        session_plan(&root->session, plan);
        error = session_reset(&root->session);
        samplers_unlock_all(root->session.samplers, cpu_count);
    }
    mutex_unlock(&root->session.counting);
    return error;
}

static s64 run_planned(struct pmu_manager_root *root, const struct sampling_plan *plan,
                       char *message, u64 bytes)
{
    s64 error = check_interrupts(root, plan, message, bytes);
    if (error == 0)
        error = reset_all(root, plan);
    if (error != 0)
        return error;
    for (u32 i = 0; i < plan->sampling.event_count; i++)
        trace_sampling_start(plan->sampling.events[i].period);
    return session_begin(&root->session, message, bytes);
}

// Returns the meaning of an error that has no message yet.
static const char *meaning(s64 error)
{
    switch (error) {
    case E_BUSY:
        return "somebody else samples, or reads samples";
    case E_NOTSUP:
        return "interrupts of the unit do not arrive";
    case E_TIMEOUT:
        return "the unit does not follow";
    default:
        return "";
    }
}

static s64 start_planned(struct pmu_manager_root *root, const struct sampling_plan *plan,
                         char *message, u64 bytes)
{
    s64 error = begin_change(root, SESSION_STOPPED, 0);
    if (error != 0)
        return error;
    error = run_planned(root, plan, message, bytes);
    s64 number = root->number;
    end_change(root, error == 0 ? SESSION_RUNNING : SESSION_STOPPED);
    return error == 0 ? number : error;
}

static CO_METHOD s64 manager_start(struct pmu_manager *self, const struct sys_sampling *sampling,
                                   char *message, u64 bytes)
{
    CO_HOME(self);
    struct sampling_plan plan;
    struct pmu_offer offer;
    counting_offer(&offer);
    pmu_offer_driver(&offer);
    s64 result =
        sampling_plan_make(sampling, &offer, (u32)((1UL << cpu_count) - 1), &plan, message, bytes);
    if (result != 0)
        return result;
    result = start_planned(root_of(self), &plan, message, bytes);
    if (result < 0 && bytes != 0 && message[0] == 0)
        snprintf(message, bytes, "%s", meaning(result));
    return result;
}

static CO_METHOD s64 manager_change(struct pmu_manager *self, s64 session, u32 index, u64 period,
                                    u32 randomise)
{
    CO_HOME(self);
    struct pmu_manager_root *root = root_of(self);
    s64 error = session > 0 ? begin_change(root, SESSION_RUNNING, session) : E_STALE;
    if (error != 0)
        return error;
    const struct sys_sampling *sampling = &root->session.plan.sampling;
    if (index >= sampling->event_count || !sampling_period_valid(sampling, period, randomise))
        error = E_INVAL;
    else
        error = session_change(&root->session, index, period, randomise);
    end_change(root, SESSION_RUNNING);
    return error;
}

static u64 total_taken(const struct pmu_manager_root *root)
{
    u64 taken = 0;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        for (u32 i = 0; i < root->session.plan.sampling.event_count; i++)
            taken += __atomic_load_n(&root->session.samplers[cpu].events[i].buffer.taken,
                                     __ATOMIC_RELAXED);
    }
    return taken;
}

static CO_METHOD s64 manager_stop(struct pmu_manager *self, s64 session)
{
    CO_HOME(self);
    struct pmu_manager_root *root = root_of(self);
    s64 error = session > 0 ? begin_change(root, SESSION_RUNNING, session) : E_INVAL;
    if (error != 0)
        return error == E_STALE ? E_INVAL : error;
    session_end(&root->session);
    overflows_notify_nobody();
    trace_sampling_stop(total_taken(root));
    end_change(root, SESSION_STOPPED);
    return 0;
}

static CO_METHOD s64 manager_notify(struct pmu_manager *self, s64 session, struct process *process,
                                    bool on)
{
    CO_HOME(self);
    struct pmu_manager_root *root = root_of(self);
    s64 error = session > 0 ? begin_change(root, SESSION_RUNNING, session) : E_STALE;
    if (error != 0)
        return error;
    if ((root->session.plan.sampling.flags & SYS_SAMPLING_PRECISE) != 0)
        error = E_NOTSUP; // there is no interrupt
    else
        error = overflows_notify(session, process, on);
    end_change(root, SESSION_RUNNING);
    return error;
}

static bool is_current(const struct pmu_manager_root *root, s64 session)
{
    return session > 0 && __atomic_load_n(&root->number, __ATOMIC_RELAXED) == session;
}

// Makes the caller the reader of the CPU's samplers. Returns 0 or an error.
static s64 become_reader(struct pmu_manager_root *root, s64 session, u32 cpu, u32 index)
{
    if (session <= 0 || cpu >= cpu_count)
        return E_INVAL;
    struct cpu_samplers *samplers = &root->session.samplers[cpu];
    if (!mutex_try_lock(&samplers->mutex))
        return E_BUSY;
    // Checked with the mutex held, so that no start can empty the buffer meanwhile.
    if (is_current(root, session) && index < root->session.plan.sampling.event_count &&
        samplers->events[index].buffer.reading != NULL)
        return 0;
    mutex_unlock(&samplers->mutex);
    return E_INVAL;
}

static CO_METHOD s64 manager_read(struct pmu_manager *self, s64 session, u32 cpu, u32 index,
                                  void *buffer, u64 bytes)
{
    CO_HOME(self);
    struct sampling_session *there = &root_of(self)->session;
    s64 result = become_reader(root_of(self), session, cpu, index);
    if (result != 0)
        return result;
    session_drain(there, cpu);
    result = sampler_read(&there->samplers[cpu].events[index], buffer, bytes);
    mutex_unlock(&there->samplers[cpu].mutex);
    return result;
}

static CO_METHOD s64 manager_stat(struct pmu_manager *self, s64 session, u32 cpu, u32 index,
                                  struct sys_sampling_stat *stat)
{
    CO_HOME(self);
    struct pmu_manager_root *root = root_of(self);
    s64 error = E_INVAL;
    mutex_lock(&root->session.counting); // the session must stay the given one
    if (cpu < cpu_count && is_current(root, session) &&
        index < root->session.plan.sampling.event_count) {
        session_stat(&root->session, cpu, index, stat);
        error = 0;
    }
    mutex_unlock(&root->session.counting);
    return error;
}

// ---- the object --------------------------------------------------------------------------------

static const struct pmu_manager_ops manager_ops = {
    .base = CO_LEAF,
    .start = manager_start,
    .change = manager_change,
    .stop = manager_stop,
    .notify = manager_notify,
    .read = manager_read,
    .stat = manager_stat,
};
CO_CHECK_INTERFACE(struct pmu_manager_ops);

static s64 manager_handle_miss(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    struct pmu_manager_rep *new = kzalloc(sizeof(*new));
    (void)cpu; // every representative reaches all samplers, through the root
    if (new == NULL)
        return E_NOMEM;
    new->root = (struct pmu_manager_root *)root;
    *rep = &new->manager.co;
    return 0;
}

static void manager_destroy_rep(struct co_root *root, struct co_rep *rep)
{
    (void)root;
    kfree(rep);
}

static struct co_class manager_class = {
    .name = "PmuManager",
    .implementation = "DistributedPmuManager",
    .size = sizeof(struct pmu_manager_root) + sizeof(struct pmu_manager_rep),
    .distributed = true,
    .ops = &manager_ops.base,
    .handle_miss = manager_handle_miss,
    .destroy_rep = manager_destroy_rep,
};

// ---- start-up ----------------------------------------------------------------------------------

extern const u8 unwind_map[];
extern const u64 unwind_map_size;
extern const char text_start[];

void pmu_init_cpu(void)
{
    struct pmu_cpu *cpu = pmu_cpu();
    *cpu = (struct pmu_cpu){.map = (u64)unwind_map - (u64)text_start / 4};
    power_reset();
    model_init_cpu();
}

s64 pmu_init(void)
{
    s64 error = model_init();
    if (error != 0)
        return error;
    session_init(&manager_root.session);
    s64 coid = co_create(&manager_class, &manager_root.root);
    if (coid < 0)
        return coid;
    pmu_manager = (coid_t)coid;
    error = co_add_service(pmu_manager);
    return error != 0 ? error : counting_init();
}

void pmu_start(void)
{
    KASSERT(sample_thread() == thread_id(thread_current()));
    model_interrupts_init();
    if (probe_power(&manager_root) != 0)
        kprintf(
            "pmu: interrupts of the POWER PMU do not arrive (CPUs %#x): no sampling of cycles\n",
            manager_root.failed);
}
