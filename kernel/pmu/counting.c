// SPDX-License-Identifier: MIT
// The PmuCounting object: decides who may start, stop and read sessions. Its representatives' ticks
// end the turns of groups (engine.h).
#include "counting.h"

#include <co/manager.h>
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/process.h>
#include <kernel/wait.h>
#include <stdio.h>
#include <string.h>

#include "counting_session.h"
#include "task_points.h"

struct counting_root {
    struct co_root root;
    struct mutex mutex; // of all that follows
    s64 latest;         // the latest session's number, from 1
    struct counting_session sessions[PMU_CLAIMS];
};

static struct counting_root counting_root = {
    .mutex = MUTEX_INIT("pmu counting", MUTEX_SERVICE),
};

static struct pmu_counting counting_reps[ORRERY_MAX_CPUS];

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
    engine_tick();
    return 0;
}

// ---- sessions ----------------------------------------------------------------------------------

static u32 caller(void)
{
    const struct process *process = process_current();
    return process == NULL ? 0 : process_pid(process);
}

static struct counting_session *find_session(struct counting_root *root, s64 number)
{
    for (u32 i = 0; i < PMU_CLAIMS && number > 0; i++) {
        if (root->sessions[i].number == number)
            return &root->sessions[i];
    }
    return NULL;
}

static struct counting_session *find_running(struct counting_root *root, s64 number)
{
    struct counting_session *session = find_session(root, number);
    return session != NULL && session->claimed.running ? session : NULL;
}

// Returns a free place, or that of the oldest ended session. NULL: all count.
static struct counting_session *find_place(struct counting_root *root)
{
    struct counting_session *found = NULL;
    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        struct counting_session *session = &root->sessions[i];
        if (!session->claimed.running && (found == NULL || session->number < found->number))
            found = session;
    }
    return found;
}

static s64 start_locked(struct counting_root *root, const struct sys_pmu_counting *counting,
                        char *message, u64 bytes)
{
    struct counting_plan plan;
    struct pmu_offer offer;
    u32 everywhere = (u32)((1UL << cpu_count) - 1);

    counting_offer(&offer);
    s64 error = counting_plan_make(counting, &offer, everywhere, &plan, message, bytes);
    if (error != 0)
        return error;
    struct counting_session *session = find_place(root);
    if (session == NULL) {
        snprintf(message, bytes, "%u sessions count already", PMU_CLAIMS);
        return E_BUSY;
    }
    counting_session_free(session);
    session->plan = plan;
    error = counting_session_begin(
        session, counting->cpu_mask != 0 ? counting->cpu_mask : everywhere, message, bytes);
    if (error != 0)
        return error;
    session->number = ++root->latest;
    __atomic_store_n(&session->owner, caller(), __ATOMIC_RELAXED);
    return session->number;
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

static CO_METHOD s64 counting_stop(struct pmu_counting *self, s64 number)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    mutex_lock(&root->mutex);
    struct counting_session *session = find_running(root, number);
    if (session != NULL)
        counting_session_end(session);
    mutex_unlock(&root->mutex);
    return session != NULL ? 0 : E_STALE;
}

static CO_METHOD s64 counting_trace(struct pmu_counting *self, s64 number, u64 majors)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    mutex_lock(&root->mutex);
    struct counting_session *session = find_running(root, number);
    s64 error = session != NULL ? counting_trace_set(session, majors) : E_STALE;
    mutex_unlock(&root->mutex);
    return error;
}

static CO_METHOD s64 counting_log(struct pmu_counting *self, s64 number,
                                  const u32 items[COUNTING_LOGGED])
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    mutex_lock(&root->mutex);
    struct counting_session *session = find_running(root, number);
    bool own = session != NULL && session->owner == caller();
    s64 error = own ? counting_log_set(session, items) : E_STALE;
    mutex_unlock(&root->mutex);
    return error;
}

// Looks for the process without the mutex. A process that ends cannot be in a start any more, so
// its pid is there now or never.
static CO_METHOD s64 counting_ends(struct pmu_counting *self, u32 pid)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        struct counting_session *session = &root->sessions[i];
        if (__atomic_load_n(&session->owner, __ATOMIC_RELAXED) != pid)
            continue;
        mutex_lock(&root->mutex);
        if (session->owner == pid)
            counting_session_free(session);
        mutex_unlock(&root->mutex);
    }
    return 0;
}

// ---- reading -----------------------------------------------------------------------------------

// Returns an error if there is no such session, or it does not count there.
static s64 check(const struct counting_session *session, u32 cpu)
{
    if (session == NULL)
        return E_STALE;
    return cpu >= cpu_count || (session->claimed.cpus >> cpu & 1) == 0 ? E_INVAL : 0;
}

static CO_METHOD s64 counting_read(struct pmu_counting *self, s64 number, u32 cpu,
                                   struct sys_pmu_count *counts, u64 bytes)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    mutex_lock(&root->mutex);
    const struct counting_session *session = find_session(root, number);
    s64 result = check(session, cpu);
    if (result == 0 && bytes < session->plan.items * sizeof(*counts))
        result = E_INVAL;
    if (result == 0)
        result = counting_read_cpu(session, cpu, counts);
    mutex_unlock(&root->mutex);
    return result;
}

static CO_METHOD s64 counting_tasks(struct pmu_counting *self, s64 number, u32 cpu, u64 *cursor,
                                    void *buffer, u64 bytes)
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    mutex_lock(&root->mutex);
    const struct counting_session *session = find_session(root, number);
    s64 result = check(session, cpu);
    if (result == 0 && session->claimed.tally[cpu].tasks == NULL)
        result = E_INVAL;
    if (result == 0)
        result = counting_read_tasks(session, cpu, cursor, buffer, bytes);
    mutex_unlock(&root->mutex);
    return result;
}

static s64 places(const struct counting_session *session, u8 counters[SYS_PMU_ITEMS])
{
    if (session == NULL)
        return E_STALE;
    if ((session->plan.flags & SYS_PMU_READABLE) == 0)
        return E_INVAL;
    memset(counters, 0, SYS_PMU_ITEMS);
    for (u32 i = 0; i < session->plan.items; i++)
        counters[i] = (u8)engine_counter(&session->claimed, session->plan.place[i]);
    return 0;
}

static CO_METHOD s64 counting_places(struct pmu_counting *self, s64 number,
                                     u8 counters[SYS_PMU_ITEMS])
{
    CO_HOME(self);
    struct counting_root *root = root_of(self);
    mutex_lock(&root->mutex);
    s64 result = places(find_running(root, number), counters);
    mutex_unlock(&root->mutex);
    return result;
}

// ---- switches ----------------------------------------------------------------------------------

void pmu_task_switch(const struct pmu_task *from, const struct pmu_task *to)
{
    engine_switched(from, to);
}

void pmu_task_wakes(void)
{
    engine_wake();
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
    .log = counting_log,
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
    engine_init(counting_timer_fires);
    s64 coid = co_create(&class, &counting_root.root);
    if (coid < 0)
        return coid;
    pmu_counting = (coid_t)coid;
    return co_add_service(pmu_counting);
}
