// SPDX-License-Identifier: MIT
// Sessions, work and children.
#include "tests.h"

#include <expect.h>
#include <stdio.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define CYCLES 20

bool has_model(void)
{
    struct sys_pmu_event event;

    return sys_pmu_event_get(0, &event) == 0;
}

u64 period_of(u64 instructions)
{
    u64 period = has_model() ? instructions : instructions * CYCLES;

    return period < SYS_PERIOD_MAX ? period : SYS_PERIOD_MAX;
}

s64 session_try(u64 period, u32 filter, u32 flags)
{
    bool model = has_model();
    u32 event = model ? (u32)(SYS_PMU_MODEL + MODEL_INSTRUCTIONS) : (u32)SYS_PMU_CYCLES;
    struct sys_sampling sampling = {
        .event_count = 1,
        .flags = flags,
        .events = {{.event = event, .filter = model ? filter : BOTH, .period = period_of(period)}}};

    return sys_sampling_start(&sampling, NULL, 0); // no message: none is asked for
}

s64 session_start(u64 period, u32 filter)
{
    s64 session = E_BUSY;

    EXPECT(WAIT_FOR((session = session_try(period, filter, 0)) != E_BUSY));
    EXPECT(session > 0);
    return session;
}

s64 notify(s64 session, u32 pid, bool on)
{
    s64 result = E_BUSY;

    EXPECT(WAIT_FOR((result = sys_overflow_notify(session, pid, on)) != E_BUSY));
    return result;
}

// ---- work ---------------------------------------------------------------------------------------

void work(u64 turns)
{
    static volatile u64 sink;

    while (turns-- != 0)
        sink = sink * 3 + turns;
}

void call_kernel(u64 calls)
{
    while (calls-- != 0)
        sys_process_pid(0);
}

s64 nothing(void *unused)
{
    (void)unused;
    return 0;
}

void on_cpu(u32 cpu, s64 (*function)(void *), void *argument)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *thread;

    attributes.cpu = cpu;
    EXPECT(thread_create(&thread, &attributes, function, argument) == 0);
    EXPECT(thread_join(thread, NULL) == 0);
}

u32 child(const char *role, u32 rights)
{
    const char *argv[] = {"test-overflow", role, NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    static u32 next;

    spawn.path = PROGRAM;
    spawn.argv = argv;
    spawn.rights = rights;
    spawn.cpu = next++ % user_cpu_count();
    s64 pid = process_spawn(&spawn);
    EXPECT(pid > 0);
    return pid > 0 ? (u32)pid : 0;
}
