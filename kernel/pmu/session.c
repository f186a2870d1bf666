// SPDX-License-Identifier: MIT
// Sampling on a session's CPUs: starts, changes and stops it there, and gets its counts. The POWER
// PMU samples cycles of the CPU itself, the engine all other events.
#include "session.h"

#include <kernel/irq.h>
#include <kernel/model_unit.h>
#include <kernel/softmask.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>

#include "power.h"
#include "precise.h"
#include "sample.h"
#include "sums.h"

#define RING_RECORDS 2048 // of each CPU, 1 MB

static bool is_precise(const struct sampling_session *session)
{
    return (session->plan.sampling.flags & SYS_SAMPLING_PRECISE) != 0;
}

static u32 event_count(const struct sampling_session *session)
{
    return session->plan.sampling.event_count;
}

static const struct sys_sampled_event *event_of(const struct sampling_session *session, u32 index)
{
    return &session->plan.sampling.events[index];
}

static bool takes_turns(const struct sampling_session *session)
{
    return !session->plan.claim.steady;
}

void session_init(struct sampling_session *session)
{
    mutex_init(&session->counting, "sampling session", MUTEX_SERVICE);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        mutex_init(&session->samplers[cpu].mutex, "samplers", MUTEX_DEVICE);
}

void session_plan(struct sampling_session *session, const struct sampling_plan *plan)
{
    u64 all = (1UL << cpu_count) - 1;

    session->plan = *plan;
    session->cpus = plan->sampling.cpu_mask == 0 ? all : plan->sampling.cpu_mask;
}

// ---- buffers and rings -------------------------------------------------------------------------

static s64 reset_cpu(struct sampling_session *session, u32 cpu)
{
    struct cpu_samplers *here = &session->samplers[cpu];
    s64 error = 0;

    for (u32 i = 0; i < SYS_SAMPLING_EVENTS; i++) {
        here->events[i].cpu = cpu;
        here->sampled[i] = (struct pmu_sampled){0};
        if (i >= event_count(session))
            sampler_free(&here->events[i]);
        else if (error == 0)
            error = sampler_reset(&here->events[i], event_of(session, i)->event,
                                  session->plan.sampling.callers);
    }
    return error;
}

// Makes rings on all CPUs of the session. Returns 0, or an error with no ring.
static s64 make_rings(const struct sampling_session *session)
{
    s64 error = 0;

    for (u32 cpu = 0; cpu < cpu_count && error == 0; cpu++) {
        if ((session->cpus >> cpu & 1) != 0)
            error = model_ring_resize(cpu, RING_RECORDS);
    }
    for (u32 cpu = 0; cpu < cpu_count && error != 0; cpu++) {
        if ((session->cpus >> cpu & 1) != 0)
            model_ring_resize(cpu, 0);
    }
    return error;
}

s64 session_reset(struct sampling_session *session)
{
    s64 error = 0;

    sums_free(&session->claimed);
    session->claimed =
        (struct engine_session){.claim = &session->plan.claim, .cpus = session->cpus};
    for (u32 cpu = 0; cpu < cpu_count && error == 0; cpu++)
        error = reset_cpu(session, cpu);
    if (error == 0 && takes_turns(session))
        error = sums_make(&session->claimed, 0);
    return error == 0 && is_precise(session) ? make_rings(session) : error;
}

void session_drain(struct sampling_session *session, u32 cpu)
{
    if (is_precise(session))
        precise_drain(&session->samplers[cpu], cpu, event_count(session),
                      session->plan.sampling.callers);
}

// Makes samples of the records that wait in the rings. last: the session has ended, and the rings
// are freed.
static void drain_all(struct sampling_session *session, bool last)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if ((session->cpus >> cpu & 1) == 0)
            continue;
        mutex_lock(&session->samplers[cpu].mutex);
        session_drain(session, cpu);
        if (last)
            model_ring_resize(cpu, 0);
        mutex_unlock(&session->samplers[cpu].mutex);
    }
}

// ---- what runs on each CPU ---------------------------------------------------------------------

static void set_period(struct sampling_session *session, u32 cpu, u32 index)
{
    struct pmu_sampled *sampled = &session->samplers[cpu].sampled[index];

    sampled->period = event_of(session, index)->period;
    sampled->random = event_of(session, index)->randomise;
}

// Tells the engine what to sample on a CPU, and where samples go.
static void set_sampled(struct sampling_session *session, u32 cpu)
{
    struct cpu_samplers *here = &session->samplers[cpu];
    u64 phase = takes_turns(session) ? MODEL_PHASE : 0;
    for (u32 i = 0; i < event_count(session); i++) {
        here->sampled[i].flags = (is_precise(session) ? MODEL_PRECISE : MODEL_INTERRUPT) | phase;
        here->sampled[i].buffer = is_precise(session) ? NULL : &here->events[i].buffer;
        set_period(session, cpu, i);
    }
    session->claimed.tally[cpu].sampled = here->sampled;
}

// ---- the CPU's own unit: at most one event, its cycles -----------------------------------------

static bool has_cycles(const struct sampling_session *session)
{
    return session->plan.cycles < SYS_SAMPLING_EVENTS;
}

static struct power_sampling cycles_here(struct sampling_session *session)
{
    u32 index = session->plan.cycles;

    return (struct power_sampling){.period = event_of(session, index)->period,
                                   .randomise = event_of(session, index)->randomise,
                                   .buffer = &session->samplers[cpu_id()].events[index].buffer};
}

static void start_here(void *argument)
{
    struct sampling_session *session = argument;
    u64 msr = hard_mask();

    pmu_cpu()->callers = session->plan.sampling.callers;
    if (has_cycles(session)) {
        const struct power_sampling cycles = cycles_here(session);
        power_start(&cycles);
        session->samplers[cpu_id()].sampled[session->plan.cycles].overflows =
            power_missed(cpu_id());
    }
    hard_mask_restore(msr);
}

static void stop_here(void *argument)
{
    struct sampling_session *session = argument;
    struct pmu_sampled *sampled = &session->samplers[cpu_id()].sampled[session->plan.cycles];
    u64 msr = hard_mask();

    if (sampled->overflows != NULL) {
        power_stop();
        sampled->overflows_before = *sampled->overflows;
        sampled->overflows = NULL;
    }
    hard_mask_restore(msr);
}

static void stop(struct sampling_session *session)
{
    if (has_cycles(session))
        cpus_call(session->cpus, stop_here, session);
}

static void change_here(void *argument)
{
    const struct power_sampling cycles = cycles_here(argument);
    u64 msr = hard_mask();

    power_change(&cycles);
    hard_mask_restore(msr);
}

// ---- the header's functions --------------------------------------------------------------------

s64 session_begin(struct sampling_session *session, char *message, u64 bytes)
{
    s64 error = 0;

    mutex_lock(&session->counting);
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        set_sampled(session, cpu);
    cpus_call(session->cpus, start_here, session);
    if (session->plan.claim.request.items != 0)
        error = engine_join(&session->claimed, message, bytes);
    if (error != 0)
        stop(session);
    mutex_unlock(&session->counting);
    if (error != 0 && is_precise(session))
        drain_all(session, true);
    return error;
}

// Where the counter begins anew, its first overflow comes after a part of a period, drawn by lot.
// With a whole period, each change would lose half of one on average: all there is on a CPU where
// the event is rare. Precise samples have the time of their reading, so those of the old period are
// read before anybody can tell when the new one began.
s64 session_change(struct sampling_session *session, u32 index, u64 period, u32 randomise)
{
    struct sys_sampled_event *event = &session->plan.sampling.events[index];
    s64 error = 0;

    mutex_lock(&session->counting);
    event->period = period;
    event->randomise = randomise;
    if (index == session->plan.cycles) {
        cpus_call(session->cpus, change_here, session);
    } else {
        for (u32 cpu = 0; cpu < cpu_count; cpu++) {
            session->samplers[cpu].sampled[index].flags |= MODEL_PHASE;
            set_period(session, cpu, index);
        }
        error = engine_refresh();
    }
    mutex_unlock(&session->counting);
    if (is_precise(session))
        drain_all(session, false);
    return error;
}

void session_end(struct sampling_session *session)
{
    mutex_lock(&session->counting);
    stop(session);
    if (session->claimed.running)
        engine_leave(&session->claimed);
    mutex_unlock(&session->counting);
    if (is_precise(session))
        drain_all(session, true);
}

// ---- counts ------------------------------------------------------------------------------------

struct reading {
    const struct sampling_session *session;
    u32 cpu, index;
    u64 overflows; // so far
    u64 measured, total, turns;
};

static void read_turns_here(void *argument)
{
    struct reading *reading = argument;
    const struct sampling_session *session = reading->session;
    const struct pmu_sampled *sampled = &session->samplers[reading->cpu].sampled[reading->index];
    const struct pmu_multiplex *sums = session->claimed.tally[reading->cpu].sums;
    const u64 *now = __atomic_load_n(&sampled->overflows, __ATOMIC_RELAXED);

    reading->overflows = __atomic_load_n(&sampled->overflows_before, __ATOMIC_RELAXED);
    reading->overflows += now != NULL ? __atomic_load_n(now, __ATOMIC_RELAXED) : 0;
    if (sums == NULL || reading->index == session->plan.cycles)
        return;
    const struct pmu_sums *of = &sums->item[session->plan.item[reading->index]];
    reading->measured = __atomic_load_n(&of->time, __ATOMIC_RELAXED);
    reading->total = __atomic_load_n(&sums->time, __ATOMIC_RELAXED);
    reading->turns = __atomic_load_n(&of->slices, __ATOMIC_RELAXED);
}

static struct reading read_turns(const struct sampling_session *session, u32 cpu, u32 index)
{
    struct reading reading = {.session = session, .cpu = cpu, .index = index};

    // Only from turn to turn does the place change where overflows are counted.
    if (takes_turns(session))
        sums_look(&session->claimed, cpu, read_turns_here, &reading);
    else
        read_turns_here(&reading);
    return reading;
}

static struct reading stat_interrupts(const struct sampling_session *session, u32 cpu, u32 index,
                                      struct sys_sampling_stat *stat)
{
    sampler_stat(&session->samplers[cpu].events[index], stat);
    u64 known = stat->taken + stat->lost;
    __atomic_thread_fence(__ATOMIC_ACQUIRE); // samples taken had been counted before
    struct reading reading = read_turns(session, cpu, index);
    if (index == session->plan.cycles) {
        stat->missed = reading.overflows;
        return reading;
    }
    stat->overflows = reading.overflows > known ? reading.overflows : known;
    stat->missed = stat->overflows - known;
    return reading;
}

// Records in the ring are neither taken nor lost, so overflows are read before these are taken in.
// While somebody else takes them in, the number left is unknown.
static struct reading stat_records(struct sampling_session *session, u32 cpu, u32 index,
                                   struct sys_sampling_stat *stat)
{
    struct reading reading = read_turns(session, cpu, index);
    bool drained = mutex_try_lock(&session->samplers[cpu].mutex);

    if (drained) {
        session_drain(session, cpu);
        mutex_unlock(&session->samplers[cpu].mutex);
    }
    sampler_stat(&session->samplers[cpu].events[index], stat);
    u64 known = stat->taken + stat->lost;
    stat->overflows = drained && reading.overflows > known ? reading.overflows : known;
    stat->lost += stat->overflows - known;
    return reading;
}

void session_stat(struct sampling_session *session, u32 cpu, u32 index,
                  struct sys_sampling_stat *stat)
{
    struct reading reading = is_precise(session) ? stat_records(session, cpu, index, stat)
                                                 : stat_interrupts(session, cpu, index, stat);
    stat->measured = reading.measured;
    stat->total = reading.total;
    stat->turns = reading.turns;
}
