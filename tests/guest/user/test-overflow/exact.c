// SPDX-License-Identifier: MIT
// Counts are exact: on each CPU what the process was told and what was lost are as many as the
// samples that name the process, which another part of the kernel takes.
#include "tests.h"

#include <children.h>
#include <expect.h>
#include <stdio.h>
#include <string.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define ROUNDS 20
#define ENOUGH 20
#define TURNS 40000

// Of one CPU.
struct noted {
    u64 handled;            // by our handler
    u64 number, time;       // of the last record
    u64 wrong;              // records that cannot be
    u64 samples, own;       // read; of them those of this process
    u64 told, lost;         // before the session
    u64 told_now, lost_now; // in it
};
static struct noted noted[ORRERY_MAX_CPUS];
static s64 session;
static u64 handler_turns; // the handler works so long
static u32 own_pid;

static bool possible(const struct overflow_record *record, const struct noted *here)
{
    bool kernel = (record->flags & SYS_SAMPLE_KERNEL) != 0;

    return record->session == session && record->cpu == user_cpu() &&
           record->thread == user_page(user_cpu())->thread && record->number > here->number &&
           record->time > here->time && record->pc != 0 && kernel == (record->pc >= USER_END) &&
           (record->flags & SYS_OVERFLOW_HIDDEN) == 0;
}

static void note(const struct overflow_record *record)
{
    struct noted *here = &noted[user_cpu()];

    here->wrong += !possible(record, here);
    here->number = record->number;
    here->time = record->time;
    here->handled++;
    work(handler_turns);
}

// ---- the witness --------------------------------------------------------------------------------

static void read_samples(u32 cpu)
{
    static u64 buffer[0x2000];
    s64 bytes;

    while ((bytes = sys_sampling_read(session, cpu, 0, buffer, sizeof(buffer))) > 0) {
        const char *at = (const char *)buffer, *end = at + bytes;
        while (at < end) {
            const struct sys_sample *sample = (const struct sys_sample *)at;
            noted[cpu].samples++;
            noted[cpu].own += sample->pid == own_pid;
            at += sys_sample_bytes(sample);
        }
    }
}

static s64 work_here(void *unused)
{
    (void)unused;
    work(TURNS);
    call_kernel(TURNS / 200);
    return 0;
}

// All CPUs work at once; the first one's thread is this one, which also reads.
static void work_and_read(void)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    struct thread_attributes attributes = THREAD_ATTRIBUTES;

    for (u32 cpu = 1; cpu < user_cpu_count(); cpu++) {
        attributes.cpu = cpu;
        EXPECT(thread_create(&threads[cpu], &attributes, work_here, NULL) == 0);
    }
    work_here(NULL);
    for (u32 cpu = 1; cpu < user_cpu_count(); cpu++)
        EXPECT(thread_join(threads[cpu], NULL) == 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        read_samples(cpu);
}

// ---- a session ----------------------------------------------------------------------------------

static void begin(u64 period, u32 filter)
{
    memset(noted, 0, sizeof(noted));
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        on_cpu(cpu, nothing, NULL); // its dispatcher is there
        noted[cpu].told = user_page(cpu)->overflows_reported;
        noted[cpu].lost = user_page(cpu)->overflows_lost;
    }
    // No overflow before it is told.
    session = session_start(SYS_PERIOD_MAX, filter);
    EXPECT(notify(session, 0, true) == 0);
    EXPECT(sys_sampling_change(session, 0, period_of(period), 0) == 0);
}

static void check(u32 cpu)
{
    struct noted *here = &noted[cpu];
    struct sys_sampling_stat stat;

    here->told_now = user_page(cpu)->overflows_reported - here->told;
    here->lost_now = user_page(cpu)->overflows_lost - here->lost;
    EXPECT(sys_sampling_stat(session, cpu, 0, &stat) == 0);
    EXPECT(stat.taken == here->samples);
    EXPECT(here->handled == here->told_now);
    EXPECT(here->wrong == 0);
    u64 hits = here->told_now + here->lost_now;
    EXPECT(hits >= here->own && hits <= here->own + stat.lost);
    EXPECT(stat.overflows == 0 || stat.overflows == stat.taken + stat.lost + stat.missed);
}

static void end(const char *what, u64 period)
{
    u64 told = 0, lost = 0, own = 0;

    EXPECT(sys_sampling_stop(session) == 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        on_cpu(cpu, nothing, NULL); // what is still to be told is told
        read_samples(cpu);
        check(cpu);
        told += noted[cpu].told_now;
        lost += noted[cpu].lost_now;
        own += noted[cpu].own;
    }
    EXPECT(told >= ENOUGH);
    printf("test-overflow: %s, period %lu: %lu told, %lu lost; %lu samples of us\n", what, period,
           told, lost, own);
}

static u64 told_now(void)
{
    u64 told = 0;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        told += user_page(cpu)->overflows_reported - noted[cpu].told;
    return told;
}

// An emulator's interrupts come when they come: so many rounds at least.
static void one_session(const char *what, u64 period, u32 filter, u32 rounds)
{
    begin(period, filter);
    for (u32 round = 0; round < rounds || told_now() < ENOUGH; round++)
        work_and_read();
    end(what, period);
}

void exact_counts(void)
{
    own_pid = (u32)user_page(user_cpu())->pid;
    EXPECT(profile_on_overflow(note) == 0);
    u32 other = child("burn", 0);
    one_session("user", 1000, SYS_PMU_USER, ROUNDS / 4);
    one_session("user", 20011, SYS_PMU_USER, ROUNDS);
    one_session("both", 20011, BOTH, ROUNDS);
    one_session("both", 5003, BOTH, ROUNDS / 4);
    one_session("kernel", 3001, SYS_PMU_KERNEL, ROUNDS / 4);
    handler_turns = period_of(10000); // longer than a period
    one_session("long handler", 20011, SYS_PMU_USER, ROUNDS / 4);
    handler_turns = 0;
    child_kill(other);
}
