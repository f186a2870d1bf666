// SPDX-License-Identifier: MIT
// What a process tells of itself lies in its dispatchers' pages until the kernel takes it: forged,
// left behind by the dead, and while interrupts come all the time.
#include "tests.h"

#include <orrery/sys.h>
#include <user/scheduler.h>
#include <user/sensor.h>
#include <user/thread.h>
#include <user/time.h>

#define THREADS_TOLD (1u << SYS_MONITOR_THREAD)
#define SENSORS (1u << SYS_MONITOR_SENSOR)
#define SENSOR 200
#define FORGED_ROUNDS 200
#define LEFT 11 // fewer than have room
#define KILLED 8
#define HAMMERED 10000
#define ROOM (DISPATCHER_RECORDS_BYTES / DISPATCHER_RECORD)

// ---- lies ---------------------------------------------------------------------------------------

// Positions that are none, kinds that are the kernel's or nobody's, other ids, times before it
// began and after all: while it runs, and from another CPU where there is one.
static s64 forge(void *dispatcher)
{
    static const u64 positions[] = {DISPATCHER_RECORDS_BYTES,
                                    DISPATCHER_RECORDS_BYTES + DISPATCHER_RECORD,
                                    UINT64_MAX,
                                    33,
                                    1,
                                    0x8000000000000000,
                                    DISPATCHER_RECORD,
                                    0xffffffff00000020,
                                    7 * DISPATCHER_RECORD};
    struct dispatcher_page *page = dispatcher;

    for (u32 round = 0; round < FORGED_ROUNDS; round++) {
        for (u32 i = 0; i < ROOM; i++) {
            page->records[i].time = i % 3 == 0 ? 0UL : i % 3 == 1 ? UINT64_MAX : time_now();
            page->records[i].what = (u64)i << 60 | 77UL << 32 | (u64)(round + i) << 24 | 0xffff;
        }
        page->records_used = positions[round % ARRAY_SIZE(positions)];
        sensor(SENSOR, round, 0);
        if (round % 8 == 0)
            thread_sleep_us(50);
    }
    return 0;
}

int child_forges(void)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *other;
    u32 self = user_cpu();

    attributes.cpu = (self + 1) % user_cpu_count();
    CHECK_IS(thread_create(&other, &attributes, forge, user_page(self)), 0);
    forge(user_page(self));
    CHECK_IS(thread_join(other, NULL), 0);
    return failures != 0;
}

// Ends by its store, with records that nobody has taken.
int child_leaves_records(void)
{
    for (u64 i = 0; i < LEFT; i++)
        sensor(SENSOR, i, 0);
    volatile u64 nowhere = USER_START - 8;
    *(volatile u64 *)nowhere = 1;
    return 1;
}

// Tells what it counts, and is killed.
int child_counts(void)
{
    for (u64 i = 0;; i++)
        sensor(SENSOR, i, 0);
}

static u64 last_time, next_count;

static void look_at_forged(const struct sys_monitor_record *record)
{
    CHECK_IS(record->id, 9);
    CHECK_IS(record->kind == SYS_MONITOR_SENSOR || record->kind == SYS_MONITOR_THREAD, 1);
    CHECK_IS(record->time <= time_now(), 1);
    last_time = record->time;
}

static void look_at_counted(const struct sys_monitor_record *record)
{
    CHECK_IS(record->time >= last_time && record->time <= time_now(), 1);
    last_time = record->time;
    CHECK_IS(record->word[0], next_count + record->lost);
    next_count = record->word[0] + 1;
}

static void track_teller(u32 pid, void *monitor)
{
    CHECK_IS(sys_monitor_track_pid((cap_t)(u64)monitor, pid, 0, 9, SENSORS | THREADS_TOLD), 0);
}

static void track_sensors(u32 pid, void *monitor)
{
    CHECK_IS(sys_monitor_track_pid((cap_t)(u64)monitor, pid, 0, 9, SENSORS), 0);
}

static cap_t watch(u64 bytes, struct process_spawn *how, void (*made)(u32 pid, void *context))
{
    cap_t monitor = make(bytes);

    CHECK_IS(sys_monitor_resume(monitor), 0);
    *how = (struct process_spawn)PROCESS_SPAWN;
    how->made = made;
    how->made_context = (void *)(u64)monitor;
    return monitor;
}

// Each CPU's records come in order.
static void check_order(cap_t monitor, u64 begin)
{
    static struct sys_monitor_record records[128];
    u64 read = 0;
    s64 bytes;

    CHECK_IS(sys_monitor_suspend(monitor), 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        last_time = begin;
        while ((bytes = sys_monitor_read(monitor, cpu, (u64)records, sizeof(records))) > 0) {
            for (u32 i = 0; i < (u64)bytes / sizeof(records[0]); i++, read++) {
                CHECK_IS(records[i].time >= last_time, 1);
                look_at_forged(&records[i]);
            }
        }
    }
    CHECK_IS(read > FORGED_ROUNDS, 1);
    check_sums(monitor, read);
}

static void forged_records_are_about_the_forger(void)
{
    struct process_spawn how;
    u64 begin = time_now();
    cap_t monitor = watch(SYS_MONITOR_BYTES_MAX, &how, track_teller);

    CHECK_IS(end_of(spawn("forger", &how)), 0);
    check_order(monitor, begin);
    sys_cap_drop(monitor);
}

static void what_the_dead_have_left_is_read(void)
{
    struct process_spawn how;
    cap_t monitor = watch(SYS_MONITOR_BYTES_MIN, &how, track_sensors);

    CHECK_IS(end_of(spawn("leaver", &how)), STATUS_KILLED(0x300));
    last_time = next_count = 0;
    CHECK_IS(read_all(monitor, look_at_counted), LEFT);
    sys_cap_drop(monitor);
    for (u32 i = 0; i < KILLED; i++) {
        monitor = watch(SYS_MONITOR_BYTES_MAX, &how, track_sensors);
        how.cpu = i % user_cpu_count();
        s64 pid = spawn("counter", &how);
        thread_sleep_us(500 + 333 * i);
        CHECK_IS(sys_process_kill((u32)pid, 9), 0);
        CHECK_IS(end_of(pid), 9);
        next_count = 0;
        CHECK_IS(sys_monitor_suspend(monitor), 0);
        check_sums(monitor, read_all(monitor, look_at_counted));
        sys_cap_drop(monitor);
    }
}

// ---- under interrupts ---------------------------------------------------------------------------

static u64 hammered[2 * ORRERY_MAX_CPUS];

static s64 hammer(void *number)
{
    for (u64 i = 0; i < HAMMERED; i++) {
        sensor(SENSOR, (u64)number, i);
        if (i % 64 == 0)
            thread_yield();
    }
    return 0;
}

static void look_at_hammered(const struct sys_monitor_record *record)
{
    u64 who = record->word[0] % ARRAY_SIZE(hammered);

    CHECK_IS(record->word[1], hammered[who]);
    CHECK_IS(record->lost, 0);
    hammered[who] = record->word[1] + 1;
}

// Each is there once, in order, while a reader interrupts those who tell again and again.
static void none_is_lost_or_doubled_by_interrupts(void)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *threads[2 * ORRERY_MAX_CPUS];
    cap_t monitor = make(SYS_MONITOR_BYTES_MAX);
    u32 count = 2 * user_cpu_count();
    u64 read = 0;

    CHECK_IS(sys_monitor_track(monitor, 0, 0, 3, SENSORS), 0);
    CHECK_IS(sys_monitor_resume(monitor), 0);
    for (u64 i = 0; i < count; i++) {
        attributes.cpu = (u32)i / 2;
        attributes.pinned = true;
        CHECK_IS(thread_create(&threads[i], &attributes, hammer, (void *)i), 0);
    }
    while (read < (u64)count * HAMMERED) {
        read += read_all(monitor, look_at_hammered);
        thread_yield();
    }
    for (u32 i = 0; i < count; i++) {
        CHECK_IS(thread_join(threads[i], NULL), 0);
        CHECK_IS(hammered[i], HAMMERED);
    }
    check_sums(monitor, read);
    sys_cap_drop(monitor);
}

void what_is_told_is_taken(void)
{
    forged_records_are_about_the_forger();
    what_the_dead_have_left_is_read();
    none_is_lost_or_doubled_by_interrupts();
}
