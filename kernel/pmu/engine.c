// SPDX-License-Identifier: MIT
// The engine of all CPUs. Whenever a claim comes or goes it makes a plan of all claims. All CPUs
// change to it, each between two of its instructions.
#include "engine.h"

#include <kernel/irq.h>
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/timer.h>
#include <kernel/wait.h>
#include <orrery/errors.h>
#include <orrery/user_counters.h>
#include <stdio.h>
#include <string.h>

#include "task_points.h"

#define TICK_MICROSECONDS 1000   // the first tick after a turn is long enough ends it
#define FIRST_MICROSECONDS 5000  // from the wake of an idle CPU to its first tick
#define TURN_MICROSECONDS 100000 // the next wake of an idle CPU ends a turn that is older
#define LOOKS_MAX 8              // at tallies, until it is left to their own CPU

// The mutex guards all but each CPU's own part.
static struct {
    struct mutex mutex;
    struct engine_session *session[PMU_CLAIMS]; // NULL: the place is free
    struct pmu_plan plans[2];                   // that in force, and room for the next
    struct pmu_plan *plan;                      // in force; NULL: nobody has a claim
    u64 cpus;                                   // mask of CPUs on which anything counts
    u64 changes;                                // of the plan, so far
    u32 followers;                              // sessions
    struct {
        struct pmu_engine engine;
        struct timer timer;
        bool windows;
        bool changing; // from one plan to another
        bool asleep;   // it was idle at its last tick: the next wake starts the timer again
        u32 version;   // odd: tallies and what is sampled change now
        u64 turns;     // of the engine, when it was looked at last; and when the last one had begun
        u64 began;
    } cpu[ORRERY_MAX_CPUS];
} all = {.mutex = MUTEX_INIT("pmu engine", MUTEX_DEVICE)};

void engine_init(void (*fire)(struct timer *timer))
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        all.cpu[cpu].timer.fire = fire;
}

// ---- what runs on each CPU ---------------------------------------------------------------------

static void set_timer(u64 microseconds)
{
    timer_start(&all.cpu[cpu_id()].timer, timebase() + microseconds_to_ticks(microseconds));
}

// These two stand around each change of a CPU's tallies, on that CPU.
static void begin_change(u32 cpu)
{
    __atomic_store_n(&all.cpu[cpu].version, all.cpu[cpu].version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_change(u32 cpu)
{
    __atomic_store_n(&all.cpu[cpu].version, all.cpu[cpu].version + 1, __ATOMIC_RELEASE);
}

bool engine_look(u32 cpu, void (*look)(void *), void *argument)
{
    for (u32 i = 0; i < LOOKS_MAX; i++) {
        u32 before = __atomic_load_n(&all.cpu[cpu].version, __ATOMIC_ACQUIRE);
        if (before % 2 != 0)
            continue;
        look(argument);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&all.cpu[cpu].version, __ATOMIC_RELAXED) == before)
            return true;
    }
    return false;
}

static void flush(u32 cpu)
{
    begin_change(cpu);
    pmu_engine_flush(&all.cpu[cpu].engine);
    end_change(cpu);
}

static void tick(u32 cpu)
{
    begin_change(cpu);
    pmu_engine_tick(&all.cpu[cpu].engine);
    end_change(cpu);
}

// Notes when the turn that runs has begun.
static void look_at_turn(u32 cpu)
{
    if (all.cpu[cpu].turns == all.cpu[cpu].engine.turns)
        return;
    all.cpu[cpu].turns = all.cpu[cpu].engine.turns;
    all.cpu[cpu].began = timebase();
}

// A CPU that sleeps adds to no slice but what its ticks would: it has none.
void engine_tick(void)
{
    struct pmu_task running;
    u32 cpu = cpu_id();

    tick(cpu);
    look_at_turn(cpu);
    pmu_task_current(&running);
    all.cpu[cpu].asleep = running.idle;
    if (!running.idle)
        set_timer(TICK_MICROSECONDS);
}

// On a CPU that seldom has anything to do no turn would ever be long enough. So its turns end by
// age: all groups get theirs, and their counts an error. Most of the time it is idle again before
// its first tick, which costs as much as what it has done. So that tick comes late, and a turn that
// is long enough ends here.
void engine_wake(void)
{
    u32 cpu = cpu_id();

    if (!all.cpu[cpu].asleep)
        return;
    all.cpu[cpu].asleep = false;
    look_at_turn(cpu);
    if (timebase() - all.cpu[cpu].began >= microseconds_to_ticks(TURN_MICROSECONDS))
        flush(cpu);
    else
        tick(cpu);
    look_at_turn(cpu);
    set_timer(FIRST_MICROSECONDS);
}

void engine_flush_here(void)
{
    flush(cpu_id());
}

bool engine_changing(void)
{
    return __atomic_load_n(&all.cpu[cpu_id()].changing, __ATOMIC_RELAXED);
}

// Changes the CPU from one process's window (or NULL) to another's, with these values of its
// counters. The processes' threads compute their counts from what this leaves there (user/pmu.h).
static void change_windows(struct user_counters *from, struct user_counters *to, const u64 values[])
{
    if (from != NULL)
        memcpy(from->left, values, sizeof(from->left));
    if (to == NULL)
        return;
    for (u32 i = 0; i < MODEL_COUNTERS; i++)
        to->away[i] += values[i] - to->left[i];
    to->turns++;
}

void engine_switched(const struct pmu_task *from, const struct pmu_task *to)
{
    u64 values[PMU_COUNTERS] = {0};
    u32 cpu = cpu_id();

    if (pmu_engine_switch(&all.cpu[cpu].engine, to, values) && all.cpu[cpu].windows)
        change_windows(from->window, to->window, values);
}

struct change {
    bool prepare;
    s64 error; // of any CPU
};

static void follow_plan_here(void *argument)
{
    struct change *change = argument;
    u32 cpu = cpu_id();
    struct pmu_tally *tallies[PMU_CLAIMS] = {NULL};
    struct pmu_task running;
    bool any = false;

    all.cpu[cpu].windows = false;
    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        struct engine_session *session = all.session[i];
        if (session == NULL || (session->cpus >> cpu & 1) == 0)
            continue;
        tallies[i] = &session->tally[cpu];
        all.cpu[cpu].windows |= session->windows;
        any = true;
    }
    pmu_task_current(&running);
    timer_cancel(&all.cpu[cpu].timer);
    all.cpu[cpu].asleep = false;
    __atomic_store_n(&all.cpu[cpu].changing, true, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    begin_change(cpu);
    s64 error = pmu_engine_change(&all.cpu[cpu].engine, any ? all.plan : NULL, tallies,
                                  change->prepare, all.changes * ORRERY_MAX_CPUS + cpu, &running);
    end_change(cpu);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&all.cpu[cpu].changing, false, __ATOMIC_RELAXED);
    if (error != 0)
        __atomic_store_n(&change->error, error, __ATOMIC_RELAXED);
    // One group counts all the time.
    if (any && all.plan->allocation.groups > 1)
        set_timer(TICK_MICROSECONDS);
}

// ---- all of them -------------------------------------------------------------------------------

// Changes all CPUs to the plan in force, also those on which nothing counts any more. One CPU
// prepares the unit before the others follow. Returns 0, or an error of any CPU.
static s64 change_all(void)
{
    struct change change = {.prepare = all.plan != NULL && all.plan->allocation.groups > 1};
    u64 before = all.cpus;

    all.cpus = 0;
    all.changes++;
    for (u32 i = 0; i < PMU_CLAIMS; i++)
        all.cpus |= all.session[i] != NULL ? all.session[i]->cpus : 0;
    u64 cpus = before | all.cpus, first = all.cpus & -all.cpus;
    if (change.prepare) {
        cpus_call(first, follow_plan_here, &change);
        cpus &= ~first;
        change.prepare = false;
    }
    if (cpus != 0)
        cpus_call(cpus, follow_plan_here, &change);
    return change.error;
}

static struct pmu_plan *next_plan(void)
{
    return all.plan == &all.plans[0] ? &all.plans[1] : &all.plans[0];
}

// Makes a plan of all claims and puts it in force. Returns 0, or an error of pmu_share.
static s64 plan_all(struct pmu_conflict *conflict)
{
    const struct pmu_claim *claims[PMU_CLAIMS];
    struct pmu_plan *next = next_plan();
    bool any = false;

    for (u32 i = 0; i < PMU_CLAIMS; i++) {
        claims[i] = all.session[i] != NULL ? all.session[i]->claim : NULL;
        any |= claims[i] != NULL;
    }
    s64 error = any ? pmu_share(claims, all.plan, next, conflict) : 0;
    if (error == 0)
        all.plan = any ? next : NULL;
    return error;
}

// Checks that the session could count alone. If not, writes the most useful message. Returns 0 or
// an error.
static s64 check_alone(const struct engine_session *session, char *message, u64 bytes)
{
    const struct pmu_claim *claims[PMU_CLAIMS] = {session->claim};
    struct pmu_plan *plan = next_plan();
    struct pmu_conflict conflict;

    s64 error = pmu_share(claims, NULL, plan, &conflict);
    if (error != 0)
        pmu_conflict_text(&plan->request, &conflict, message, bytes);
    return error == E_BUSY ? E_LIMIT : error; // to callers E_BUSY means other sessions
}

// Gives the session a place and makes a plan with it. Returns 0, or E_BUSY with the old plan in
// force.
static s64 plan_with(struct engine_session *session, char *message, u64 bytes)
{
    struct pmu_conflict conflict;

    session->place = 0;
    while (session->place < PMU_CLAIMS && all.session[session->place] != NULL)
        session->place++;
    if (session->place == PMU_CLAIMS) {
        snprintf(message, bytes, "%u sessions count already", PMU_CLAIMS);
        return E_BUSY;
    }
    all.session[session->place] = session;
    if (plan_all(&conflict) == 0)
        return 0;
    all.session[session->place] = NULL;
    int used = snprintf(message, bytes, "others count, too: ");
    if ((u64)used < bytes && conflict.items != 0)
        pmu_conflict_text(&next_plan()->request, &conflict, message + used, bytes - (u64)used);
    else
        snprintf(message, bytes, "others count too many events");
    return E_BUSY;
}

static void follow(const struct engine_session *session, bool on)
{
    if (!session->follows)
        return;
    if (on ? all.followers++ == 0 : --all.followers == 0)
        observer_wants(&tasks_counted, on);
}

static void leave_locked(struct engine_session *session)
{
    struct pmu_conflict conflict;

    session->running = false;
    all.session[session->place] = NULL;
    // If there is no better plan for the others, they keep the present one.
    if (plan_all(&conflict) != 0)
        all.plan->view[session->place].groups = 0;
    change_all();
    follow(session, false);
    if (all.plan == NULL)
        model_release();
}

static s64 join_locked(struct engine_session *session, char *message, u64 bytes)
{
    s64 error = check_alone(session, message, bytes);

    if (error == 0 && all.plan == NULL)
        error = model_acquire();
    if (error != 0)
        return error;
    error = plan_with(session, message, bytes);
    if (error != 0) {
        if (all.plan == NULL)
            model_release();
        return error;
    }
    follow(session, true);
    session->running = true;
    error = change_all();
    if (error != 0)
        leave_locked(session);
    return error;
}

s64 engine_join(struct engine_session *session, char *message, u64 bytes)
{
    char unsaid[1];

    mutex_lock(&all.mutex);
    s64 error = bytes != 0 ? join_locked(session, message, bytes)
                           : join_locked(session, unsaid, sizeof(unsaid));
    mutex_unlock(&all.mutex);
    return error;
}

void engine_leave(struct engine_session *session)
{
    mutex_lock(&all.mutex);
    leave_locked(session);
    mutex_unlock(&all.mutex);
}

s64 engine_refresh(void)
{
    mutex_lock(&all.mutex);
    s64 error = change_all();
    mutex_unlock(&all.mutex);
    return error;
}

// Later sessions may take turns only on the other counters.
s64 engine_hold(struct engine_session *session)
{
    s64 error = 0;

    mutex_lock(&all.mutex);
    for (u32 i = 0; i < session->claim->request.items && error == 0; i++) {
        if (pmu_view_counter(&all.plan->view[session->place], i) == PMU_COUNTERS)
            error = E_LIMIT;
    }
    session->claim->steady |= error == 0;
    mutex_unlock(&all.mutex);
    return error;
}

u32 engine_counter(const struct engine_session *session, u32 item)
{
    mutex_lock(&all.mutex);
    u32 counter = pmu_view_counter(&all.plan->view[session->place], item);
    mutex_unlock(&all.mutex);
    return counter;
}
