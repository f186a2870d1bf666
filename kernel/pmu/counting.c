// SPDX-License-Identifier: MIT
// The PmuCounting object: who may start, stop and read sessions. Each CPU's representative has what
// that CPU counts (counting_cpu.h) and the timer that ends its slices.
#include "counting_session.h"

#include <co/manager.h>
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/process.h>
#include <kernel/thread.h>
#include <string.h>

#include "counting_reading.h"
#include "counting_switches.h"
#include "counting_trace.h"
#include "task_points.h"

static struct counting_root counting_root = {
    .mutex = MUTEX_INIT("pmu counting", MUTEX_SERVICE),
};

coid_t pmu_counting;

static struct counting_root *root_of(struct pmu_counting *self)
{
    return (struct counting_root *)self->co.root;
}

// ---- ticks -------------------------------------------------------------------------------------

static void counting_timer_fires(struct timer *timer)
{
    (void)timer;
    CO_CALL(struct pmu_counting, pmu_counting, tick);
}

static CO_METHOD s64 counting_tick(struct pmu_counting *self)
{
    CO_HOME(self);
    struct counting_rep *here = (struct counting_rep *)self;
    counting_cpu_tick(&here->cpu);
    counting_rep_set_timer(here);
    return 0;
}

// ---- sessions ----------------------------------------------------------------------------------

static u32 caller(void)
{
    const struct process *process = process_current();
    return process == NULL ? 0 : process_pid(process);
}

static s64 start_locked(struct counting_root *root, const struct sys_pmu_counting *counting,
                        char *message, u64 bytes)
{
    struct counting_plan plan;
    struct pmu_offer offer;
    u32 all = (u32)((1UL << cpu_count) - 1);
    if (root->running)
        return E_BUSY;
    counting_offer(&offer);
    s64 error = counting_plan_make(counting, &offer, all, &plan, message, bytes);
    if (error == 0)
        error = model_acquire();
    if (error != 0)
        return error;
    root->plan = plan;
    root->cpus = counting->cpu_mask != 0 ? counting->cpu_mask : all;
    root->session++;
    __atomic_store_n(&root->owner, caller(), __ATOMIC_RELAXED);
    error = counting_session_begin(root);
    return error != 0 ? error : root->session;
}

static CO_METHOD s64 counting_start(struct pmu_counting *self,
                                    const struct sys_pmu_counting *counting, char *message,
                                    u64 bytes)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    mutex_lock(&root->mutex);
    s64 result = start_locked(root, counting, message, bytes);
    mutex_unlock(&root->mutex);
    return result;
}

static CO_METHOD s64 counting_stop(struct pmu_counting *self, s64 session)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    s64 error = E_STALE;
    mutex_lock(&root->mutex);
    if (root->running && session == root->session) {
        counting_session_end(root);
        error = 0;
    }
    mutex_unlock(&root->mutex);
    return error;
}

static CO_METHOD s64 counting_trace(struct pmu_counting *self, s64 session, u64 majors)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    s64 error = E_STALE;
    mutex_lock(&root->mutex);
    if (root->running && session == root->session)
        error = counting_trace_set(&root->plan, majors);
    mutex_unlock(&root->mutex);
    return error;
}

// Looked at without the mutex: a process that ends is in no start any more,
// so its number is there or never will be.
static CO_METHOD s64 counting_ends(struct pmu_counting *self, u32 pid)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    if (__atomic_load_n(&root->owner, __ATOMIC_RELAXED) != pid)
        return 0;
    mutex_lock(&root->mutex);
    if (root->owner == pid)
        counting_session_end(root);
    mutex_unlock(&root->mutex);
    return 0;
}

// ---- reading -----------------------------------------------------------------------------------

// An error when there is no such session, or it does not count there.
static s64 check(const struct counting_root *root, s64 session, u32 cpu)
{
    if (session <= 0 || session != root->session)
        return E_STALE;
    return cpu >= cpu_count || counting_reps[cpu].multiplex == NULL ? E_INVAL : 0;
}

static s64 read_locked(const struct counting_root *root, s64 session, u32 cpu,
                       struct sys_pmu_count *counts, u64 bytes)
{
    s64 error = check(root, session, cpu);
    if (error == 0 && bytes < root->plan.items * sizeof(*counts))
        error = E_INVAL;
    return error != 0 ? error
                      : counting_read_cpu(&root->plan, &counting_reps[cpu].cpu, cpu, root->running,
                                          counts);
}

static CO_METHOD s64 counting_read(struct pmu_counting *self, s64 session, u32 cpu,
                                   struct sys_pmu_count *counts, u64 bytes)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    mutex_lock(&root->mutex);
    s64 result = read_locked(root, session, cpu, counts, bytes);
    mutex_unlock(&root->mutex);
    return result;
}

static CO_METHOD s64 counting_tasks(struct pmu_counting *self, s64 session, u32 cpu, u64 *cursor,
                                    void *buffer, u64 bytes)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    mutex_lock(&root->mutex);
    s64 result = check(root, session, cpu);
    if (result == 0 && counting_reps[cpu].tasks == NULL)
        result = E_INVAL;
    if (result == 0)
        result = counting_read_tasks(&root->plan, &counting_reps[cpu].cpu, cpu, root->running,
                                     cursor, buffer, bytes);
    mutex_unlock(&root->mutex);
    return result;
}

static s64 places(const struct counting_root *root, s64 session, u8 counters[SYS_PMU_ITEMS])
{
    const struct pmu_group *group = &root->plan.allocation.group[0];
    if (!root->running || session != root->session)
        return E_STALE;
    if ((root->plan.flags & SYS_PMU_READABLE) == 0)
        return E_INVAL;
    memset(counters, 0, SYS_PMU_ITEMS);
    for (u32 i = 0; i < root->plan.items; i++) {
        while (group->item[counters[i]] != root->plan.place[i])
            counters[i]++;
    }
    return 0;
}

static CO_METHOD s64 counting_places(struct pmu_counting *self, s64 session,
                                     u8 counters[SYS_PMU_ITEMS])
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    mutex_lock(&root->mutex);
    s64 result = places(root, session, counters);
    mutex_unlock(&root->mutex);
    return result;
}

// ---- switches ----------------------------------------------------------------------------------

void pmu_task_switch(const struct pmu_task *from, const struct pmu_task *to)
{
    counting_switched(&counting_reps[cpu_id()].cpu, from, to);
}

// ---- the object --------------------------------------------------------------------------------

static const struct pmu_counting_ops ops = {
    .base = CO_LEAF,
    .start = counting_start,
    .read = counting_read,
    .tasks = counting_tasks,
    .places = counting_places,
    .stop = counting_stop,
    .trace = counting_trace,
    .process_ends = counting_ends,
    .tick = counting_tick,
};
CO_CHECK_INTERFACE(struct pmu_counting_ops);

static struct co_class class = {
    .name = "PmuCounting",
    .implementation = "MultiplexedCounting",
    .size = sizeof(counting_root) + sizeof(counting_reps[0]),
    .distributed = true,
    .ops = &ops.base,
    .static_reps = counting_reps,
    .static_rep_size = sizeof(counting_reps[0]),
};

void counting_offer(struct pmu_offer *offer)
{
    *offer = (struct pmu_offer){0};
    if (model_present())
        pmu_offer_model(offer, model_machine());
}

s64 counting_init(void)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        counting_reps[cpu].timer.fire = counting_timer_fires;
    s64 coid = co_create(&class, &counting_root.root);
    if (coid < 0)
        return coid;
    pmu_counting = (coid_t)coid;
    return co_add_service(pmu_counting);
}
