// SPDX-License-Identifier: MIT
// Three monitors of one process from its birth to its end, beside the trace. Each counts what the
// trace has, and each its own way: read, mapped, and with a ring that is too small.
#include "tests.h"

#include <orrery/ipc.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <trace/events.h>
#include <trace/layout.h>
#include <trace/reasons.h>
#include <user/ipc.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define ROUNDS 1500
#define PACKET 0x10000
#define THREADS 0x10000
#define SLOT_ENDPOINT 3

enum { READ, MAPPED, SMALL, MONITORS };

static cap_t monitors[MONITORS];
static u64 positions; // where the second one is mapped
static u64 got[MONITORS][ORRERY_MAX_CPUS], changes[MONITORS][ORRERY_MAX_CPUS];
static u64 wakes[MONITORS][ORRERY_MAX_CPUS];
static u64 lost[MONITORS][ORRERY_MAX_CPUS], last_time[MONITORS][ORRERY_MAX_CPUS];
static u64 reasons;
static u64 ended; // mask of CPUs whose thread has

static u32 switches[THREADS], woken[THREADS]; // by thread, in the trace
static u32 reasons_traced[THREADS][REASONS], reasons_told[ORRERY_MAX_CPUS][REASONS];
static u32 thread_of[ORRERY_MAX_CPUS];
static u32 traced_pid;

// ---- the child ----------------------------------------------------------------------------------

static s64 work(void *unused)
{
    struct ipc_message message = {0};

    (void)unused;
    for (u32 i = 0; i < ROUNDS; i++) {
        thread_sleep_us(20);
        ipc_call(SLOT_ENDPOINT, &message);
        thread_yield();
    }
    return 0;
}

int child_works(void)
{
    struct thread *threads[ORRERY_MAX_CPUS];

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        CHECK_IS(thread_create(&threads[cpu], &attributes, work, NULL), 0);
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        CHECK_IS(thread_join(threads[cpu], NULL), 0);
    return failures != 0;
}

// ---- what monitors say --------------------------------------------------------------------------

static void count(u32 which, u32 cpu, const struct sys_monitor_record *record)
{
    CHECK_IS(record->id, 100 + which);
    CHECK_IS(record->kind <= SYS_MONITOR_WAKE, 1);
    CHECK_IS(record->time >= last_time[which][cpu], 1);
    CHECK_IS(record->reason < REASONS, 1);
    last_time[which][cpu] = record->time;
    got[which][cpu]++;
    lost[which][cpu] += record->lost;
    if (record->kind == SYS_MONITOR_WAKE) {
        wakes[which][cpu]++;
        CHECK_IS(record->word[0] == 0 || record->reason == REASON_START, 1);
        return;
    }
    changes[which][cpu] += record->word[0] != SYS_MONITOR_STAYS;
    if (record->word[0] == SYS_MONITOR_LEAVES)
        reasons |= 1UL << record->reason;
    if (record->word[0] == SYS_MONITOR_LEAVES && which == READ)
        reasons_told[cpu][record->reason]++;
    if (which == READ && record->reason == REASON_ENDED)
        ended |= 1UL << cpu;
}

static void read_monitor(u32 which, u32 cpu)
{
    static struct sys_monitor_record records[300];
    s64 bytes;

    while ((bytes = sys_monitor_read(monitors[which], cpu, (u64)records, sizeof(records))) > 0) {
        for (u32 i = 0; i < (u64)bytes / sizeof(records[0]); i++)
            count(which, cpu, &records[i]);
    }
    CHECK_IS(bytes, 0);
}

static void read_mapped(u32 cpu)
{
    const struct sys_monitor_position *position =
        (const struct sys_monitor_position *)positions + cpu;
    u64 bytes = stat_of(monitors[MAPPED], cpu).bytes;
    const struct sys_monitor_record *ring =
        (const struct sys_monitor_record *)(positions + 4096 + cpu * bytes);
    u64 from = position->taken, to = __atomic_load_n(&position->written, __ATOMIC_ACQUIRE);

    for (u64 n = from; n < to; n++)
        count(MAPPED, cpu, &ring[n % (bytes / sizeof(*ring))]);
    CHECK_IS(sys_monitor_take(monitors[MAPPED], cpu, to - from), 0);
}

// ---- what the trace says ------------------------------------------------------------------------

static void count_event(const u64 *event)
{
    u32 id = trace_event_id(event[0]);

    if (id == (TRACE_MAJOR_SCHED << 16 | TRACE_SCHED_SWITCH)) {
        switches[event[1] % THREADS]++;
        CHECK_IS((u32)event[3] < REASONS, 1);
        reasons_traced[event[1] % THREADS][(u32)event[3] % REASONS]++;
        switches[event[2] % THREADS]++;
    } else if (id == (TRACE_MAJOR_SCHED << 16 | TRACE_SCHED_WAKE)) {
        woken[(event[1] >> 32) % THREADS]++;
    } else if (id == (TRACE_MAJOR_SCHED << 16 | TRACE_SCHED_DISPATCHER_CREATE)) {
        if (event[1] == traced_pid)
            thread_of[event[3]] = (u32)event[2];
    }
}

static void read_trace(u32 cpu, bool flush)
{
    static u8 data[PACKET] __attribute__((aligned(8)));
    const struct trace_packet *packet = (const struct trace_packet *)data;

    while (sys_trace_read(cpu, flush, data, sizeof(data)) > 0) {
        u64 words = (packet->content_bits / 8 - sizeof(*packet)) / 8;
        for (u64 at = 0; at < words; at += trace_event_length(packet->events[at]))
            count_event(&packet->events[at]);
        CHECK_IS(packet->events_discarded, 0);
    }
}

// ---- both ---------------------------------------------------------------------------------------

static void look(bool flush)
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_trace(cpu, flush);
        read_monitor(READ, cpu);
        read_mapped(cpu);
    }
}

// Before it has a dispatcher.
static void follow(u32 pid, void *unused)
{
    (void)unused;
    traced_pid = pid;
    for (u32 i = 0; i < MONITORS; i++)
        CHECK_IS(sys_monitor_track_pid(monitors[i], pid, 0, 100 + i, SWITCHES | WAKES), 0);
}

static s64 answer(struct ipc_request *request)
{
    (void)request;
    return 0;
}

static void check_cpu(u32 cpu)
{
    u64 traced = switches[thread_of[cpu] % THREADS];

    for (u32 i = 0; i < MONITORS; i++) {
        struct sys_monitor_stat stat = stat_of(monitors[i], cpu);
        CHECK_IS(got[i][cpu] + stat.unread + stat.lost, stat.fired);
        CHECK_IS(stat.fired, stat_of(monitors[READ], cpu).fired);
    }
    CHECK_IS(stat_of(monitors[READ], cpu).lost, 0);
    CHECK_IS(changes[READ][cpu], traced);
    CHECK_IS(changes[MAPPED][cpu], traced);
    CHECK_IS(wakes[READ][cpu], woken[thread_of[cpu] % THREADS]);
    CHECK_IS(wakes[MAPPED][cpu], woken[thread_of[cpu] % THREADS]);
    CHECK_IS(wakes[READ][cpu] > 0, 1);
    for (u32 i = 0; i < REASONS; i++)
        CHECK_IS(reasons_told[cpu][i], reasons_traced[thread_of[cpu] % THREADS][i]);
    CHECK_IS(traced > ROUNDS, 1);
    printf("test-monitors: CPU %u: %lu switches in the trace, %lu records in each monitor, %lu "
           "lost by the small one\n",
           (unsigned)cpu, traced, stat_of(monitors[READ], cpu).fired,
           stat_of(monitors[SMALL], cpu).lost);
}

static void start(void)
{
    const u64 sizes[MONITORS] = {0x40000, 0x40000, SYS_MONITOR_BYTES_MIN};

    for (u32 i = 0; i < MONITORS; i++) {
        monitors[i] = make(sizes[i]);
        CHECK_IS(sys_monitor_resume(monitors[i]), 0);
    }
    s64 memory = sys_monitor_map(monitors[MAPPED]);
    positions = map((cap_t)memory);
    sys_cap_drop((cap_t)memory);
    CHECK_IS(sys_trace_set_mask(0), 0);
    CHECK_IS(sys_trace_set_mode(SYS_TRACE_DISCARD), 0);
    CHECK_IS(sys_trace_set_mask(1UL << TRACE_MAJOR_SCHED), 0);
}

// The small one: what it lost is told before the next record.
static void check_small(void)
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        read_monitor(SMALL, cpu);
        CHECK_IS(lost[SMALL][cpu], 0); // nothing came behind
        CHECK_IS(stat_of(monitors[SMALL], cpu).lost > 0, 1);
    }
}

void counts_are_those_of_the_trace(void)
{
    struct process_spawn how = PROCESS_SPAWN;
    s64 endpoint = ipc_endpoint(answer, NULL);
    struct process_grant grant = {.slot = SLOT_ENDPOINT, .cap = (cap_t)endpoint};
    s32 status = -1;

    start();
    how.made = follow;
    how.grants = &grant;
    how.grant_count = 1;
    s64 pid = spawn("worker", &how);
    u64 deadline = patience();
    while (process_wait((u32)pid, &status, time_after_us(1000)) == E_TIMEOUT && wait_more(deadline))
        look(false);
    CHECK_IS(status, 0);
    // The last thread to end may be on its way yet, with a switch to come.
    while (ended + 1 != 1UL << user_cpu_count() && wait_more(deadline))
        look(false);
    CHECK_IS(sys_trace_set_mask(0), 0);
    look(true);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        check_cpu(cpu);
    check_small();
    printf("test-monitors: 64 records take %lu ticks\n", stat_of(monitors[READ], 0).cost);
    CHECK_IS(reasons >> REASON_ENDED & 1, 1);
    CHECK_IS(reasons >> REASON_CALL & 1, 1);
    for (u32 i = 0; i < MONITORS; i++)
        CHECK_IS(sys_cap_drop(monitors[i]), 0);
}
