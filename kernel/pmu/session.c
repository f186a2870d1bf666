// SPDX-License-Identifier: MIT
// Sampling on the CPUs of a session: starting, changing and stopping the units there,
// and their counts.
#include "session.h"

#include <kernel/irq.h>
#include <kernel/model_unit.h>
#include <kernel/softmask.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>

#include "precise.h"
#include "sample.h"

#define RING_RECORDS 2048 // of each CPU, 1 MB

static bool is_precise(const struct session *session)
{
    return (session->plan.sampling.flags & SYS_SAMPLING_PRECISE) != 0;
}

static u32 event_count(const struct session *session)
{
    return session->plan.sampling.event_count;
}

static const struct pmu_unit *unit_with(u32 event)
{
    return pmu_power_unit.has_event(event) ? &pmu_power_unit : &pmu_model_unit;
}

void session_init(struct session *session)
{
    mutex_init(&session->counting, "sampling session", MUTEX_SERVICE);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        mutex_init(&session->samplers[cpu].mutex, "samplers", MUTEX_DEVICE);
}

void session_plan(struct session *session, const struct sampling_plan *plan)
{
    u64 all = (1UL << cpu_count) - 1;
    u32 units = 0;

    session->plan = *plan;
    session->cpus = plan->sampling.cpu_mask == 0 ? all : plan->sampling.cpu_mask;
    session->units[0] = session->units[1] = NULL;
    for (u32 i = 0; i < event_count(session); i++) {
        const struct pmu_unit *unit = unit_with(plan->sampling.events[i].event);
        session->unit_of[i] = unit;
        if (session->units[0] != unit && session->units[1] != unit)
            session->units[units++] = unit;
    }
}

// ---- buffers and rings -------------------------------------------------------------------------

static s64 reset_cpu(struct session *session, u32 cpu)
{
    struct cpu_samplers *here = &session->samplers[cpu];
    s64 error = 0;

    for (u32 i = 0; i < SYS_SAMPLING_EVENTS; i++) {
        here->events[i].cpu = cpu;
        if (i >= event_count(session))
            sampler_free(&here->events[i]);
        else if (error == 0)
            error = sampler_reset(&here->events[i], session->plan.sampling.events[i].event,
                                  session->plan.counters[i], session->plan.sampling.callers);
    }
    return error;
}

static void free_rings(const struct session *session)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if ((session->cpus >> cpu & 1) != 0)
            model_ring_resize(cpu, 0);
    }
}

static s64 make_rings(const struct session *session)
{
    s64 error = 0;

    for (u32 cpu = 0; cpu < cpu_count && error == 0; cpu++) {
        if ((session->cpus >> cpu & 1) != 0)
            error = model_ring_resize(cpu, RING_RECORDS);
    }
    if (error != 0)
        free_rings(session);
    return error;
}

s64 session_reset(struct session *session)
{
    s64 error = 0;

    for (u32 cpu = 0; cpu < cpu_count && error == 0; cpu++)
        error = reset_cpu(session, cpu);
    return error == 0 && is_precise(session) ? make_rings(session) : error;
}

void session_drain(struct session *session, u32 cpu)
{
    if (is_precise(session))
        precise_drain(&session->samplers[cpu], cpu, event_count(session),
                      session->plan.sampling.callers);
}

// The records that are left become samples, and the rings are given back.
static void drain_all(struct session *session)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if ((session->cpus >> cpu & 1) == 0)
            continue;
        mutex_lock(&session->samplers[cpu].mutex);
        session_drain(session, cpu);
        model_ring_resize(cpu, 0);
        mutex_unlock(&session->samplers[cpu].mutex);
    }
}

// ---- what runs on each CPU ---------------------------------------------------------------------

struct order {
    struct session *session;
    u32 index; // of the event to change
    s64 error; // of any CPU
};

static struct pmu_source source_of(struct session *session, u32 index)
{
    const struct sys_sampled_event *event = &session->plan.sampling.events[index];

    return (struct pmu_source){.event = event->event,
                               .filter = event->filter,
                               .counter = session->plan.counters[index],
                               .randomise = event->randomise,
                               .period = event->period,
                               .precise = is_precise(session),
                               .buffer = &session->samplers[cpu_id()].events[index].buffer};
}

static s64 start_unit(struct session *session, const struct pmu_unit *unit)
{
    struct pmu_source sources[SYS_SAMPLING_EVENTS];
    u32 count = 0;

    for (u32 i = 0; i < event_count(session); i++) {
        if (session->unit_of[i] == unit)
            sources[count++] = source_of(session, i);
    }
    return unit->start(sources, count);
}

static void start_here(void *argument)
{
    struct order *order = argument;
    struct session *session = order->session;
    s64 error = 0;

    u64 msr = hard_mask();
    pmu_cpu()->callers = session->plan.sampling.callers;
    for (u32 i = 0; i < SESSION_UNITS && session->units[i] != NULL && error == 0; i++)
        error = start_unit(session, session->units[i]);
    // Only now does the unit count what it was programmed for.
    for (u32 i = 0; i < event_count(session) && error == 0; i++)
        session->samplers[cpu_id()].events[i].counting =
            session->unit_of[i]->counted(cpu_id(), session->plan.counters[i]);
    hard_mask_restore(msr);
    if (error != 0)
        __atomic_store_n(&order->error, error, __ATOMIC_RELAXED);
}

static void stop_here(void *argument)
{
    struct session *session = ((struct order *)argument)->session;

    u64 msr = hard_mask();
    for (u32 i = 0; i < SESSION_UNITS && session->units[i] != NULL; i++)
        session->units[i]->stop();
    for (u32 i = 0; i < event_count(session); i++) {
        struct sampler *sampler = &session->samplers[cpu_id()].events[i];
        if (sampler->counting != NULL)
            sampler->counted_before += __atomic_load_n(sampler->counting, __ATOMIC_RELAXED);
        sampler->counting = NULL;
    }
    hard_mask_restore(msr);
}

static void change_here(void *argument)
{
    struct order *order = argument;
    struct session *session = order->session;
    struct sampler *sampler = &session->samplers[cpu_id()].events[order->index];

    u64 msr = hard_mask();
    const struct pmu_source source = source_of(session, order->index);
    s64 error = session->unit_of[order->index]->change(&source, &sampler->counted_before);
    hard_mask_restore(msr);
    if (error != 0)
        __atomic_store_n(&order->error, error, __ATOMIC_RELAXED);
}

static void on_cpus(struct session *session, void (*function)(void *), struct order *order)
{
    mutex_lock(&session->counting);
    cpus_call(session->cpus, function, order);
    mutex_unlock(&session->counting);
}

// ---- the header's functions --------------------------------------------------------------------

s64 session_begin(struct session *session)
{
    struct order order = {.session = session};

    on_cpus(session, start_here, &order);
    if (order.error != 0)
        session_end(session);
    return order.error;
}

s64 session_change(struct session *session, u32 index, u64 period, u32 randomise)
{
    struct order order = {.session = session, .index = index};
    struct sys_sampled_event *event = &session->plan.sampling.events[index];

    event->period = period;
    event->randomise = randomise;
    on_cpus(session, change_here, &order);
    return order.error;
}

void session_end(struct session *session)
{
    struct order order = {.session = session};

    on_cpus(session, stop_here, &order);
    if (is_precise(session))
        drain_all(session);
}

static u64 counted(const struct sampler *sampler)
{
    const u64 *counting = __atomic_load_n(&sampler->counting, __ATOMIC_RELAXED);
    u64 before = __atomic_load_n(&sampler->counted_before, __ATOMIC_RELAXED);

    return counting == NULL ? before : before + __atomic_load_n(counting, __ATOMIC_RELAXED);
}

static void stat_interrupts(const struct session *session, const struct sampler *sampler, u32 index,
                            struct sys_sampling_stat *stat)
{
    sampler_stat(sampler, stat);
    u64 known = stat->taken + stat->lost;
    __atomic_thread_fence(__ATOMIC_ACQUIRE); // what was taken had been counted before
    u64 count = counted(sampler);
    if (!session->unit_of[index]->counts_overflows) {
        stat->missed = count;
        return;
    }
    stat->overflows = count > known ? count : known;
    stat->missed = stat->overflows - known;
}

// Records that are on their way are neither taken nor lost: overflows are looked at before they are
// taken in. While somebody else takes them in nobody knows how many are left.
static void stat_records(struct session *session, u32 cpu, const struct sampler *sampler,
                         struct sys_sampling_stat *stat)
{
    u64 count = counted(sampler);
    bool drained = mutex_try_lock(&session->samplers[cpu].mutex);

    if (drained) {
        session_drain(session, cpu);
        mutex_unlock(&session->samplers[cpu].mutex);
    }
    sampler_stat(sampler, stat);
    u64 known = stat->taken + stat->lost;
    stat->overflows = drained && count > known ? count : known;
    stat->lost += stat->overflows - known;
}

void session_stat(struct session *session, u32 cpu, u32 index, struct sys_sampling_stat *stat)
{
    const struct sampler *sampler = &session->samplers[cpu].events[index];

    mutex_lock(&session->counting);
    if (is_precise(session))
        stat_records(session, cpu, sampler, stat);
    else
        stat_interrupts(session, sampler, index, stat);
    mutex_unlock(&session->counting);
}
