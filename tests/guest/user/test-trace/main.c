// SPDX-License-Identifier: MIT
// Tracing in processes. The master logs on all CPUs itself. Then it lets children log and kills
// them at random instants, while it reads from them or not. It reads what they left: no event is
// torn, none is lost that is not counted. Needs RIGHT_MONITOR.
#include "mask_off.h"
#include "packets.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace/cpu.h>
#include <trace/events.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <user/trace.h>
#include <waiting.h>

#define MASK (1UL << TRACE_MAJOR_TEST)
#define PACKET 0x10000
#define EVENTS 50000
#define ROUNDS 12
#define KILLED_EVENTS 3000000 // logged by children that are killed, at least
#define SWITCHES 30

static u64 failures;
static u8 packet[PACKET] __attribute__((aligned(8)));

#define CHECK_IS(got, expected) check_is(#got, __LINE__, (s64)(got), (s64)(expected))

static void check_is(const char *what, int line, s64 got, s64 expected)
{
    if (got == expected)
        return;
    printf("FAIL line %d: %s is %ld, expected %ld\n", line, what, got, expected);
    failures++;
}

// ---- one process -------------------------------------------------------------------------------

static s64 log_events(void *argument)
{
    u64 writer = (u64)argument;
    for (u64 number = 1; number <= EVENTS; number++)
        trace_test2(writer, number);
    return 0;
}

static void start_writers(struct thread *threads[], u32 count, thread_function function)
{
    for (u32 i = 0; i < count; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = i % user_cpu_count();
        CHECK_IS(thread_create(&threads[i], &attributes, function, (void *)(u64)i), 0);
    }
}

// Twice as many writers as CPUs, which are preempted in the middle of it all. Every event is there,
// or counted as overwritten.
static void events_of_threads_are_whole(void)
{
    struct thread *threads[2 * ORRERY_MAX_CPUS];
    u32 cpus = user_cpu_count(), writers = 2 * cpus;
    u64 logged = 0, kept = 0, overwritten = 0, torn = 0;
    CHECK_IS(user_trace_set_mask(MASK), 0);
    CHECK_IS(user_trace_set_mode(SYS_TRACE_OVERWRITE), 0);
    start_writers(threads, writers, log_events);
    for (u32 i = 0; i < writers; i++)
        CHECK_IS(thread_join(threads[i], NULL), 0);
    CHECK_IS(user_trace_set_mask(0), 0);
    for (u32 cpu = 0; cpu < cpus; cpu++) {
        struct tally tally = {0};
        struct sys_trace_stat stat;
        CHECK_IS(user_trace_stat(cpu, &stat), 0);
        while (user_trace_read(cpu, true, packet, sizeof(packet)) > 0)
            failures += !packet_tally(packet, (u32)sys_process_pid(0), cpu, &tally);
        CHECK_IS(tally.events + stat.overwritten, stat.events);
        CHECK_IS(stat.discarded, 0);
        logged += stat.events;
        kept += tally.events;
        overwritten += stat.overwritten;
        torn += tally.torn;
    }
    CHECK_IS(logged, writers * (u64)EVENTS);
    CHECK_IS(torn, 0);
    printf("test-trace: %lu events of %u threads: %lu read, %lu overwritten, %lu torn\n", logged,
           (unsigned)writers, kept, overwritten, torn);
}

static void nothing_is_logged_once_the_mask_is_off(void)
{
    u64 events;
    u64 deadline = patience();
    do
        CHECK_IS(mask_off_violations(SWITCHES, &events), 0);
    while (user_cpu_count() > 1 && events == 0 && wait_more(deadline));
    CHECK_IS(user_cpu_count() == 1 || events > 0, 1);
    printf("test-trace: %lu events while the kernel's mask was on, none later\n", events);
}

// ---- the instructions of an event --------------------------------------------------------------

static void cost(void)
{
    u64 best[2] = {UINT64_MAX, UINT64_MAX};
    for (u32 on = 0; on < 2; on++) {
        CHECK_IS(user_trace_set_mask(on ? MASK : 0), 0);
        for (u32 round = 0; round < 20; round++) {
            u64 begin = time_now();
            for (u32 i = 0; i < 256; i++)
                trace_test1(i);
            u64 ticks = time_now() - begin;
            best[on] = ticks < best[on] ? ticks : best[on];
        }
    }
    CHECK_IS(user_trace_set_mask(0), 0);
    printf("test-trace: an event off %lu ns, on %lu ns\n", best[0] * 1000 / 512 / 256,
           best[1] * 1000 / 512 / 256);
}

// ---- children that are killed ------------------------------------------------------------------

static s64 log_for_ever(void *argument)
{
    u64 writer = (u64)argument;
    for (u64 number = 1;; number++)
        trace_test2(writer, number);
    return 0;
}

static int child(void)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    CHECK_IS(user_trace_set_mask(MASK), 0);
    start_writers(threads, user_cpu_count(), log_for_ever);
    thread_park(THREAD_FOREVER);
    return 0;
}

static u32 next_random(u32 below)
{
    static u32 state = 12345;
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

struct victim {
    u32 pid;
    u64 after_us;
    u32 killed;                            // atomic
    struct tally tallies[ORRERY_MAX_CPUS]; // of what it logged on each CPU
};

static s64 kill_later(void *argument)
{
    struct victim *victim = argument;
    thread_sleep_us(victim->after_us);
    CHECK_IS(sys_process_kill(victim->pid, 9), 0);
    __atomic_store_n(&victim->killed, 1, __ATOMIC_RELEASE);
    return 0;
}

static s64 read_one(struct victim *victim, u32 cpu)
{
    s64 bytes = sys_trace_read_process(victim->pid, cpu, true, packet, sizeof(packet));
    if (bytes > 0)
        failures += !packet_tally(packet, victim->pid, cpu, &victim->tallies[cpu]);
    return bytes;
}

// As fast as it gives them, so that it is often killed with a packet in its hands.
static void read_until_killed(struct victim *victim)
{
    while (!__atomic_load_n(&victim->killed, __ATOMIC_ACQUIRE)) {
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
            CHECK_IS(read_one(victim, cpu) == E_PROTO, 0);
    }
}

static s64 spawn(const char *role)
{
    const char *argv[] = {"test-trace", role, NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    spawn.path = "bin/test-trace";
    spawn.argv = argv;
    spawn.rights = PROCESS_SAME_RIGHTS;
    return process_spawn(&spawn);
}

// A child that logs until it is killed.
static void live_and_die(struct victim *victim, bool read)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *killer;
    s32 status = 0;
    s64 pid = spawn("child");
    CHECK_IS(pid > 0, 1);
    if (pid <= 0)
        return;
    *victim = (struct victim){.pid = (u32)pid, .after_us = 20000 + next_random(60000)};
    CHECK_IS(thread_create(&killer, &attributes, kill_later, victim), 0);
    if (read)
        read_until_killed(victim);
    CHECK_IS(thread_join(killer, NULL), 0);
    CHECK_IS(process_wait(victim->pid, &status, patience()), victim->pid);
    CHECK_IS(status, 9);
}

// A CPU's only writer counts from 1: what is not there was lost, and counted so. After the last
// event that is there, a packet of others may be lost.
static void check_tally(const struct tally *tally, u32 cpu)
{
    u64 lost = tally->overwritten;
    CHECK_IS(tally->torn, 0);
    CHECK_IS(tally->discarded, 0);
    CHECK_IS(tally->from[cpu], tally->events);
    CHECK_IS(tally->last[cpu], tally->events + tally->gaps[cpu]);
    CHECK_IS(lost >= tally->gaps[cpu] && lost - tally->gaps[cpu] <= PACKET / 24, 1);
}

static void killed_processes_leave_no_torn_event(void)
{
    static struct victim victim;
    u64 kept = 0, lost = 0;
    u32 rounds = 0;
    for (u64 deadline = patience();
         rounds < ROUNDS || (kept + lost < KILLED_EVENTS && wait_more(deadline)); rounds++) {
        live_and_die(&victim, rounds % 2 == 0);
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
            struct tally *tally = &victim.tallies[cpu];
            while (read_one(&victim, cpu) > 0)
                ;
            check_tally(tally, cpu);
            kept += tally->events;
            lost += tally->overwritten;
        }
        CHECK_IS(read_one(&victim, 0), E_NOENT);
    }
    CHECK_IS(kept + lost >= KILLED_EVENTS, 1);
    printf("test-trace: %u processes killed: %lu events found, %lu counted as lost\n", rounds, kept,
           lost);
}

// For readers elsewhere.
static int storm(u64 rounds)
{
    static struct victim victim;
    while (rounds-- > 0)
        live_and_die(&victim, false);
    return failures != 0;
}

// ---- children that end with a packet taken out --------------------------------------------------

#define LEFT 100 // events, then

static s64 log_some(void *argument)
{
    for (u64 number = 1; number <= LEFT; number++)
        trace_test2((u64)argument, number);
    return 0;
}

// Logs on CPU 1, and is gone at the moment that its library takes the packet out of the ring.
static int leaver(void)
{
    const struct trace_cpu *ring =
        (const struct trace_cpu *)(USER_WINDOW + 1 * R13_WINDOW_SIZE + R13_TRACE);
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *writer;
    attributes.cpu = 1;
    CHECK_IS(user_trace_set_mask(MASK), 0);
    CHECK_IS(thread_create(&writer, &attributes, log_some, (void *)1), 0);
    CHECK_IS(thread_join(writer, NULL), 0);
    while (__atomic_load_n(&ring->consumed, __ATOMIC_RELAXED) == 0)
        ;
    sys_exit(9);
}

static void what_was_taken_out_is_counted_as_lost(void)
{
    static struct victim victim;
    u64 in_hand = 0, rounds = 0;
    if (user_cpu_count() == 1)
        return;
    for (u64 deadline = patience(); in_hand == 0 && wait_more(deadline); rounds++) {
        s32 status = 0;
        s64 pid = spawn("leaver");
        victim = (struct victim){.pid = (u32)pid};
        while (process_wait((u32)pid, &status, time_now()) == E_TIMEOUT)
            read_one(&victim, 1);
        while (read_one(&victim, 1) > 0)
            ;
        CHECK_IS(status, 9);
        CHECK_IS(victim.tallies[1].events + victim.tallies[1].overwritten, LEFT);
        in_hand += victim.tallies[1].empty;
    }
    CHECK_IS(in_hand, 1);
    printf("test-trace: %lu processes ended as they were read, until a packet was lost\n", rounds);
}

// ---- children that lie -------------------------------------------------------------------------

// Leaves a ring whose words are random, or point to what is not its own.
static int liar(u64 seed)
{
    static const u64 places[] = {
        0,          8,          0xc000000000400000, 0xc000100000000100,
        USER_MAP,   USER_IMAGE, USER_END - 8,       USER_WINDOW + R13_TRACE,
        0xffffffff, 0x10000};
    struct trace_cpu *ring =
        (struct trace_cpu *)(USER_WINDOW + user_cpu() * R13_WINDOW_SIZE + R13_TRACE);
    CHECK_IS(user_trace_set_mask(MASK), 0);
    for (u64 i = 0; i < 100; i++)
        trace_test2(1, i);
    user_disable();
    for (u64 i = 0; i < seed; i++)
        next_random(2);
    u64 *words = (u64 *)ring;
    for (u32 i = 0; i < sizeof(*ring) / sizeof(u64); i++) {
        if (next_random(3) == 0)
            words[i] =
                next_random(2) ? places[next_random(ARRAY_SIZE(places))] : next_random(1 << 24);
    }
    ring->magic = TRACE_CPU_MAGIC;
    if (seed % 2 == 0) { // a good ring with bad packets
        ring->subbuffers = (u64)places;
        ring->subbuffer_count = 8;
        ring->consumed = 0;
        ring->closed = ring->begun = 8;
    }
    sys_exit(0);
}

static void lies_are_not_believed(void)
{
    for (u64 seed = 0; seed < 40; seed++) {
        char text[8];
        const char *argv[] = {"test-trace", "liar", text, NULL};
        struct process_spawn spawn = PROCESS_SPAWN;
        struct tally tally = {0};
        s32 status = -1;
        snprintf(text, sizeof(text), "%lu", seed);
        spawn.path = "bin/test-trace";
        spawn.argv = argv;
        spawn.rights = PROCESS_SAME_RIGHTS;
        s64 pid = process_spawn(&spawn);
        CHECK_IS(pid > 0, 1);
        CHECK_IS(process_wait((u32)pid, &status, patience()), pid);
        CHECK_IS(status, 0);
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
            while (sys_trace_read_process((u32)pid, cpu, true, packet, sizeof(packet)) > 0)
                failures += !packet_tally(packet, (u32)pid, cpu, &tally);
        }
    }
    printf("test-trace: 40 processes lied about their rings\n");
}

// ---- many, one after the other -----------------------------------------------------------------

#define MANY 200
#define SLACK 0x400000 // what allocators of CPUs may hold; the packets alone would be 12 MB

static u64 read_all_ended(u64 *processes)
{
    struct sys_trace_process ended;
    u64 cursor = 0, events = 0;
    *processes = 0;
    while (sys_trace_process_list(&cursor, &ended, sizeof(ended)) > 0) {
        if (ended.live)
            continue;
        ++*processes;
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
            struct tally tally = {0};
            while (sys_trace_read_process(ended.pid, cpu, true, packet, sizeof(packet)) > 0)
                failures += !packet_tally(packet, ended.pid, cpu, &tally);
            events += tally.events;
        }
    }
    return events;
}

static u64 free_bytes(void)
{
    struct sys_info info;
    sys_info(&info);
    return info.free_bytes;
}

// Processes that log from their start, because the system wants it, and end by themselves: what
// they leave is there, and its memory goes back when it is read.
static void start_many(u32 count)
{
    for (u32 i = 0; i < count; i++) {
        const char *argv[] = {"test-trace", "quick", NULL};
        struct process_spawn spawn = PROCESS_SPAWN;
        s32 status = -1;
        spawn.path = "bin/test-trace";
        spawn.argv = argv;
        s64 pid = process_spawn(&spawn);
        CHECK_IS(process_wait((u32)pid, &status, patience()), pid);
        CHECK_IS(status, 0);
    }
}

static void processes_log_from_their_start(void)
{
    u64 processes;
    CHECK_IS(sys_trace_set_process_mask(MASK), 0);
    start_many(20);
    read_all_ended(&processes);
    thread_sleep_us(1000000);
    u64 before = free_bytes();
    start_many(MANY);
    u64 events = read_all_ended(&processes);
    CHECK_IS(sys_trace_set_process_mask(0), 0);
    CHECK_IS(processes, MANY);
    CHECK_IS(events, MANY * 100);
    CHECK_IS(read_all_ended(&processes), 0);
    CHECK_IS(processes, 0);
    // What ended objects had goes back once every CPU has let go of them.
    u64 after;
    CHECK_IS(WAIT_FOR((after = free_bytes()) + SLACK > before), 1);
    printf("test-trace: %u processes left %lu events; %ld KB less are free\n", (u32)MANY, events,
           (s64)(before - after) / 1024);
}

static int quick(void)
{
    for (u64 number = 1; number <= 100; number++)
        trace_test2(2, number);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "quick") == 0)
        return quick();
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return child();
    if (argc > 2 && strcmp(argv[1], "storm") == 0)
        return storm(strtoul(argv[2], NULL, 10));
    if (argc > 1 && strcmp(argv[1], "leaver") == 0)
        return leaver();
    if (argc > 2 && strcmp(argv[1], "liar") == 0)
        return liar(strtoul(argv[2], NULL, 10));
    events_of_threads_are_whole();
    nothing_is_logged_once_the_mask_is_off();
    cost();
    killed_processes_leave_no_torn_event();
    what_was_taken_out_is_counted_as_lost();
    lies_are_not_believed();
    processes_log_from_their_start();
    printf("test-trace: %s\n", failures == 0 ? "ok" : "FAILED");
    return failures != 0;
}
