// SPDX-License-Identifier: MIT
// What threads, sleep locks and processes cost, in ticks of the time base; under -icount, where a
// tick is a known number of instructions, in instructions. Lines "BENCH name value unit".
#include <orrery/monitors.h>
#include <orrery/sys.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <trace/events.h>
#include <user/blocked_threads.h>
#include <user/process.h>
#include <user/profile.h>
#include <user/profiles.h>
#include <user/scheduler.h>
#include <user/sensor.h>
#include <user/thread.h>
#include <user/time.h>
#include <user/trace.h>

#include "told.h"

#define ROUNDS 2000
#define FEW 50
#define TRACED 256
#define LINGER 200000000 // iterations
#define SLACK 0x100000   // bytes: what the kernel keeps at hand differs by less
#define TOLD 16          // as many as the page has room for
#define SPUN 1000000     // iterations
#define PERIOD 20000     // cycles

static void tell(const char *name, u64 ticks, u64 operations)
{
    // A nanosecond of virtual time is an instruction under -icount shift=0.
    double ns = (double)ticks * 1e9 / (double)time_hz() / (double)operations;
    told(operations);
    printf("BENCH user.%s %.1f ns\n", name, ns);
}

static s64 yield_often(void *argument)
{
    (void)argument;
    for (u32 i = 0; i < ROUNDS; i++)
        thread_yield();
    return 0;
}

static void thread_switch(const char *name)
{
    struct thread *threads[2];
    u64 begin = time_now();
    for (u32 i = 0; i < 2; i++)
        thread_create(&threads[i], NULL, yield_often, NULL);
    for (u32 i = 0; i < 2; i++)
        thread_join(threads[i], NULL);
    tell(name, time_now() - begin, 2 * ROUNDS);
}

static cap_t monitor_of_this(u64 kind)
{
    u64 bytes = SYS_MONITOR_BYTES_MAX;
    s64 monitor = sys_monitor_create(&bytes);
    if (monitor < 0 || sys_monitor_track((cap_t)monitor, 0, 0, 1, 1UL << kind) != 0 ||
        sys_monitor_resume((cap_t)monitor) != 0)
        printf("bench-user: no monitor (%ld)\n", (long)monitor);
    return (cap_t)monitor;
}

static void end_monitor(cap_t monitor)
{
    sys_monitor_terminate(monitor);
    sys_cap_drop(monitor);
}

// All records have room.
static void monitored(void)
{
    cap_t monitor = monitor_of_this(SYS_MONITOR_THREAD);
    thread_switch("thread_switch_monitored"); // two records each
    end_monitor(monitor);
    monitor = monitor_of_this(SYS_MONITOR_SENSOR);
    u64 begin = time_now();
    for (u32 i = 0; i < ROUNDS; i++)
        sensor(1, i, 0);
    tell("sensor_monitored", time_now() - begin, ROUNDS);
    u64 best = UINT64_MAX; // of those after which there still is room
    for (u32 round = 0; round < FEW; round++) {
        struct sys_monitor_stat stat;
        sys_monitor_stat(monitor, user_cpu(), &stat);
        begin = time_now();
        for (u32 i = 0; i < TOLD; i++)
            sensor(1, i, 0);
        u64 ticks = time_now() - begin;
        best = ticks < best ? ticks : best;
    }
    tell("sensor_told", best, TOLD);
    end_monitor(monitor);
}

static void lock_free(void)
{
    static struct mutex mutex;
    u64 begin = time_now();
    for (u32 i = 0; i < ROUNDS; i++) {
        mutex_lock(&mutex);
        mutex_unlock(&mutex);
    }
    tell("lock_free", time_now() - begin, ROUNDS);
}

// An event of one data word. Several rounds, of which the best has no packet's end in it.
static void trace_event(const char *name, u64 mask)
{
    u64 best = UINT64_MAX;
    if (user_trace_set_mask(mask) != 0)
        return;
    for (u32 round = 0; round < FEW; round++) {
        u64 begin = time_now();
        for (u32 i = 0; i < TRACED; i++)
            trace_test1(i);
        u64 ticks = time_now() - begin;
        best = ticks < best ? ticks : best;
    }
    user_trace_set_mask(0);
    tell(name, best, TRACED);
}

static struct semaphore there, back;

static s64 answer(void *argument)
{
    (void)argument;
    for (u32 i = 0; i < ROUNDS; i++) {
        semaphore_down(&there);
        semaphore_up(&back);
    }
    return 0;
}

// One round: two blocks, two wakes, two switches.
static void semaphores(const char *name, u32 cpu)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *thread;
    attributes.cpu = cpu;
    thread_create(&thread, &attributes, answer, NULL);
    u64 begin = time_now();
    for (u32 i = 0; i < ROUNDS; i++) {
        semaphore_up(&there);
        semaphore_down(&back);
    }
    tell(name, time_now() - begin, ROUNDS);
    thread_join(thread, NULL);
}

static struct mutex contended;

static s64 contend(void *argument)
{
    (void)argument;
    for (u32 i = 0; i < ROUNDS; i++) {
        mutex_lock(&contended);
        thread_yield(); // the other one finds it taken
        mutex_unlock(&contended);
    }
    return 0;
}

static void lock_contended(const char *name)
{
    struct thread *threads[2];
    u64 begin = time_now();
    for (u32 i = 0; i < 2; i++)
        thread_create(&threads[i], NULL, contend, NULL);
    for (u32 i = 0; i < 2; i++)
        thread_join(threads[i], NULL);
    tell(name, time_now() - begin, 2 * ROUNDS);
}

// With a record for each wait and each wake-up,
// in a buffer that has become large enough for all of them.
static void lock_contended_logged(void)
{
    static u64 records[INSPECT_BYTES / 8];
    static u64 word;
    u64 cursor = 0;
    if (blocked_threads_log(0, SYS_BLOCKED_FRESH) < 0)
        return;
    for (u32 i = 0; i < 10 * ROUNDS; i++)
        blocked_threads_wait_in(0, &word, 0, 0);
    while (blocked_threads_read(&cursor, records, sizeof(records)) > 0)
        ;
    lock_contended("lock_contended_logged");
    blocked_threads_log(0, SYS_BLOCKED_OFF);
}

static s64 nothing(void *argument)
{
    (void)argument;
    return 0;
}

static void create_and_join(void)
{
    struct thread *thread;
    thread_create(&thread, NULL, nothing, NULL); // its stack is kept for the others
    thread_join(thread, NULL);
    u64 begin = time_now();
    for (u32 i = 0; i < ROUNDS; i++) {
        thread_create(&thread, NULL, nothing, NULL);
        thread_join(thread, NULL);
    }
    tell("thread_create_join", time_now() - begin, ROUNDS);
}

static void spawn_few(const char *self)
{
    const char *const argv[] = {self, "child", NULL};
    struct process_spawn how = PROCESS_SPAWN;
    how.path = "bin/bench-user";
    how.argv = argv;
    how.rights = PROCESS_SAME_RIGHTS;
    for (u32 i = 0; i < FEW; i++) {
        s64 pid = process_spawn(&how);
        if (pid < 0)
            printf("spawn: %s\n", orrery_strerror(pid));
        else
            process_wait((u32)pid, NULL, THREAD_FOREVER);
    }
}

// The time of a loop that is long enough for the kernel to give back all that is left of ended
// processes, with whatever it does meanwhile.
static u64 linger(void)
{
    u64 begin = time_now();
    for (u32 i = 0; i < LINGER; i++)
        __asm__ volatile("");
    return time_now() - begin;
}

static u64 free_memory(void)
{
    struct sys_info info;
    sys_info(&info);
    return info.free_bytes;
}

// What is left to do after the last process's end counts, too: the loop behind takes so much longer
// than the same loop when there is nothing to do.
static void spawn(const char *self)
{
    spawn_few(self);
    linger();
    u64 alone = linger(), before = free_memory();
    u64 begin = time_now();
    spawn_few(self);
    u64 spawned = time_now() - begin;
    u64 left = linger() - alone;
    if (free_memory() + SLACK < before)
        printf("spawn: %lu bytes have not come back\n", before - free_memory());
    tell("spawn_exit_wait", spawned + left, FEW);
    tell("spawn_left", left, FEW);
}

static void handle_nothing(const struct overflow_record *record)
{
    (void)record;
}

static u64 spin(void)
{
    u64 begin = time_now();
    for (volatile u64 i = 0; i < SPUN; i++)
        ;
    return time_now() - begin;
}

// What an overflow costs the program that it hits, with an empty handler (S001 §3.7.2).
static void overflow_told(void)
{
    struct sys_sampling sampling = {
        .event_count = 1,
        .events = {
            {.event = SYS_PMU_CYCLES, .filter = SYS_PMU_KERNEL | SYS_PMU_USER, .period = PERIOD}}};
    u64 alone = spin();
    char message[8];
    s64 session = sys_sampling_start(&sampling, message, sizeof(message));
    if (session < 0 || profile_on_overflow(handle_nothing) != 0 ||
        sys_overflow_notify(session, 0, true) != 0)
        printf("bench-user: no overflows (%ld)\n", (long)session);
    u64 before = profile_count().told;
    u64 ticks = spin() - alone;
    u64 overflows = profile_count().told - before;
    sys_sampling_stop(session);
    tell("overflow_told", ticks, overflows != 0 ? overflows : 1);
}

// The same with four safe sensors, whose values are logged.
static void overflow_context(void)
{
    static const char *const sensors[] = {"pc", "time", "thread", "object"};
    struct profile_context context = {
        .provider = "bench", .name = "hit", .sensors = sensors, .sensor_count = 4};
    struct profile_source source = {.name = "cycles",
                                    .kind = PROFILE_COUNTER,
                                    .event = SYS_PMU_CYCLES,
                                    .filter = SYS_PMU_KERNEL | SYS_PMU_USER,
                                    .period = PERIOD};
    struct profile_source_counts counts = {0};
    s64 number = profile_context_add(&context);
    source.context = (u32)number;
    number = profile_source_add(&source);
    if (number < 0 || user_trace_set_mask(1ul << TRACE_MAJOR_PROGRAM) != 0)
        return;
    u64 alone = spin();
    if (profile_enable((u32)number, true) != 0)
        return;
    u64 ticks = spin() - alone;
    profile_source_count((u32)number, &counts);
    profile_enable((u32)number, false);
    user_trace_set_mask(0);
    tell("overflow_context", ticks, counts.written != 0 ? counts.written : 1);
}

// ---- POSIX's ------------------------------------------------------------------------------------

static pthread_mutex_t posix_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posix_changed = PTHREAD_COND_INITIALIZER;
static bool posix_turn; // the other thread's

static void posix_lock(void)
{
    u64 begin = time_now();
    for (u32 i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&posix_mutex);
        pthread_mutex_unlock(&posix_mutex);
    }
    tell("pthread_lock", time_now() - begin, ROUNDS);
}

static void *posix_nothing(void *argument)
{
    return argument;
}

static void posix_create_and_join(void)
{
    pthread_t thread;
    u64 begin = time_now();
    for (u32 i = 0; i < ROUNDS; i++) {
        pthread_create(&thread, NULL, posix_nothing, NULL);
        pthread_join(thread, NULL);
    }
    tell("pthread_create_join", time_now() - begin, ROUNDS);
}

static void take_turns(bool mine)
{
    pthread_mutex_lock(&posix_mutex);
    for (u32 i = 0; i < ROUNDS; i++) {
        while (posix_turn != mine)
            pthread_cond_wait(&posix_changed, &posix_mutex);
        posix_turn = !mine;
        pthread_cond_signal(&posix_changed);
    }
    pthread_mutex_unlock(&posix_mutex);
}

static void *take_other_turns(void *argument)
{
    take_turns(true);
    return argument;
}

// One round: two signals, two waits.
static void posix_condition(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, take_other_turns, NULL);
    u64 begin = time_now();
    take_turns(false);
    tell("pthread_condition_round_trip", time_now() - begin, ROUNDS);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return 0;
    thread_switch("thread_switch");
    monitored();
    lock_free();
    lock_contended("lock_contended");
    lock_contended_logged();
    semaphores("semaphore_round_trip", THREAD_HERE);
    if (user_cpu_count() > 1)
        semaphores("semaphore_round_trip_cpus", user_cpu() ? 0 : 1);
    trace_event("trace_off", 0);
    trace_event("trace_event", 1ul << TRACE_MAJOR_TEST);
    create_and_join();
    posix_lock();
    posix_create_and_join();
    posix_condition();
    overflow_told();
    overflow_context();
    spawn(argv[0]);
    return 0;
}
