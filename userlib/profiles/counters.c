// SPDX-License-Identifier: MIT
// Counters as sources (S001 §4.2, §4.3): one session of samples for all that are on.
#include "profiles.h"

#include <orrery/sys.h>
#include <user/profile.h>
#include <user/thread.h>

static s64 session; // 0: none
static u32 event_count;
static struct source *sampled[PROFILE_SOURCES]; // by the session's events
static struct profile_counts begun;             // of the process, when the session began
static struct profile_overflow_counts sum;      // of sessions that have ended

_Static_assert(PROFILE_SOURCES <= SYS_SAMPLING_EVENTS, "all counters fit a session");

// ---- being told ---------------------------------------------------------------------------------

// An overflow that is told later, when the dispatcher is enabled again, may have hit another thread
// than the one that runs then.
static void overflowed(const struct overflow_record *record)
{
    struct profile_event event = {.no_words = E_NOTSUP};
    u32 used = profile_source_used(), i = 0;

    while (i < used && (profile_sources[i].is.kind != PROFILE_COUNTER ||
                        profile_sources[i].is.event != record->event))
        i++;
    if (i == used)
        return;
    profile_event_interrupted(&profile_sources[i], &event);
    event.no_thread = event.no_callers;
    event.time = record->time;
    event.pc = record->pc;
    event.no_pc = 0;
    event.object = record->coid;
    event.no_object = record->coid == 0 ? E_NOENT : 0;
    profile_event_comes(&profile_sources[i], &event);
}

// ---- a session ----------------------------------------------------------------------------------

static s64 start_session(u32 mask)
{
    struct sys_sampling sampling = {0};

    for (; mask != 0; mask &= mask - 1) {
        struct source *source = &profile_sources[__builtin_ctz(mask)];
        sampled[sampling.event_count] = source;
        sampling.events[sampling.event_count++] = (struct sys_sampled_event){
            .event = source->is.event, .filter = source->is.filter, .period = SYS_PERIOD_MAX};
    }
    event_count = sampling.event_count;
    return sys_sampling_start(&sampling, NULL, 0);
}

// The periods are set once the process is told, so that no overflow hits it before. The rest of the
// long one is given up then.
static s64 begin(u32 mask)
{
    s64 started = start_session(mask);
    if (started < 0)
        return started;
    begun = profile_count();
    s64 error = profile_on_overflow(overflowed);
    if (error == 0)
        error = sys_overflow_notify(started, 0, true);
    for (u32 i = 0; i < event_count && error == 0; i++)
        error = sys_sampling_change(started, i, sampled[i]->is.period, 0);
    if (error != 0)
        sys_sampling_stop(started);
    else
        session = started;
    return error;
}

static s64 nothing(void *unused)
{
    (void)unused;
    return 0;
}

// A thread of each CPU has run, so its dispatcher has been told of what was still to be told.
static void wait_for_reports(void)
{
    for (u64 left = user_dispatchers(); left != 0; left &= left - 1) {
        struct thread_attributes attributes = {.name = "profile",
                                               .cpu = (u32)__builtin_ctzl(left),
                                               .priority = THREAD_PRIORITY_LIBRARY,
                                               .pinned = true};
        struct thread *thread;
        if (thread_create(&thread, &attributes, nothing, NULL) == 0)
            thread_join(thread, NULL);
    }
}

// Cycles are not counted by the unit: their overflows are those that were noticed.
static void add_stat(u32 index, const struct sys_sampling_stat *stat)
{
    u64 noticed = stat->taken + stat->lost + stat->missed;
    sum.overflows += stat->overflows != 0 ? stat->overflows : noticed;
    sum.missed += stat->missed;
    __atomic_fetch_add(&sampled[index]->missed, stat->missed, __ATOMIC_RELAXED);
}

static void end(void)
{
    sys_sampling_stop(session);
    wait_for_reports();
    struct profile_counts now = profile_count();
    sum.told += now.told - begun.told;
    sum.lost += now.lost - begun.lost;
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        for (u32 i = 0; i < event_count; i++) {
            struct sys_sampling_stat stat;
            if (sys_sampling_stat(session, cpu, i, &stat) == 0)
                add_stat(i, &stat);
        }
    sum.others = sum.overflows - sum.told - sum.lost - sum.missed;
    session = 0;
}

s64 profile_counters_set(u32 mask)
{
    if (session != 0)
        end();
    return mask == 0 ? 0 : begin(mask);
}

void profile_overflow_count(struct profile_overflow_counts *counts)
{
    mutex_lock(&profiles_mutex);
    *counts = sum;
    mutex_unlock(&profiles_mutex);
}
