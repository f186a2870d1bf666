// SPDX-License-Identifier: MIT
// What is refused, and with which error.
#include "tests.h"

#include <orrery/memory.h>
#include <orrery/sys.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define NO_THREAD 0x7fffffff
#define NO_PID 0x7fffffff

// Every call, with something in place of the monitor.
static void all_calls_say(cap_t monitor, s64 error)
{
    struct sys_monitor_stat stat;
    struct sys_monitor_record record = {0};

    CHECK_IS(sys_monitor_resume(monitor), error);
    CHECK_IS(sys_monitor_suspend(monitor), error);
    CHECK_IS(sys_monitor_read(monitor, 0, (u64)&record, sizeof(record)), error);
    CHECK_IS(sys_monitor_stat(monitor, 0, &stat), error);
    CHECK_IS(sys_monitor_map(monitor), error);
    CHECK_IS(sys_monitor_take(monitor, 0, 0), error);
    CHECK_IS(sys_monitor_track(monitor, 0, 0, 1, SWITCHES), error);
    CHECK_IS(sys_monitor_untrack(monitor, 1, 0), error);
    CHECK_IS(sys_monitor_terminate(monitor), error);
}

static void sizes_are_checked(void)
{
    const u64 wrong[] = {0, 1, SYS_MONITOR_BYTES_MIN - 1, SYS_MONITOR_BYTES_MAX + 1, UINT64_MAX};
    u64 bytes = 5000;

    for (u32 i = 0; i < ARRAY_SIZE(wrong); i++) {
        u64 given = wrong[i];
        CHECK_IS(sys_monitor_create(&given), E_INVAL);
        CHECK_IS(given, wrong[i]);
    }
    cap_t monitor = (cap_t)sys_monitor_create(&bytes);
    CHECK_IS(bytes, 8192);
    CHECK_IS(stat_of(monitor, 0).bytes, 8192);
    CHECK_IS(stat_of(monitor, 0).running, 0);
    CHECK_IS(stat_of(monitor, 0).fired, 0);
    sys_cap_drop(monitor);
}

static void arguments_are_checked(cap_t monitor)
{
    struct sys_monitor_stat stat;
    struct sys_monitor_record record = {0};
    u32 cpus = user_cpu_count();
    cap_t memory = (cap_t)sys_memory_new("none", 4096);

    CHECK_IS(sys_monitor_stat(monitor, cpus, &stat), E_INVAL);
    CHECK_IS(sys_monitor_read(monitor, cpus, (u64)&record, sizeof(record)), E_INVAL);
    CHECK_IS(sys_monitor_take(monitor, cpus, 0), E_INVAL);
    CHECK_IS(sys_monitor_take(monitor, 0, 1), E_INVAL);
    CHECK_IS(sys_monitor_take(monitor, 0, UINT64_MAX), E_INVAL);
    CHECK_IS(sys_monitor_track(monitor, 0, 0, 1, 0), E_INVAL);
    for (u32 kind = 0; kind < 64; kind++) {
        if ((SYS_MONITOR_KINDS_MASK >> kind & 1) == 0)
            CHECK_IS(sys_monitor_track(monitor, 0, 0, 1, SWITCHES | 1UL << kind), E_INVAL);
    }
    CHECK_IS(sys_monitor_track(monitor, 0, 0, 1, ~0UL), E_INVAL);
    CHECK_IS(sys_monitor_track(monitor, 0, NO_THREAD, 1, SWITCHES), E_NOENT);
    CHECK_IS(sys_monitor_track(monitor, NO_PID, 0, 1, SWITCHES), E_NOENT);
    CHECK_IS(sys_monitor_track(monitor, memory, 0, 1, SWITCHES), E_INVAL);
    CHECK_IS(sys_monitor_track(monitor, monitor, 0, 1, SWITCHES), E_INVAL);
    CHECK_IS(sys_monitor_track_pid(monitor, NO_PID, 0, 1, SWITCHES), E_NOENT);
    CHECK_IS(sys_monitor_track_pid(monitor, 0, NO_THREAD, 1, SWITCHES), E_NOENT);
    CHECK_IS(sys_monitor_untrack(monitor, (u32)sys_process_pid(0), 0), E_NOENT);
    CHECK_IS(sys_monitor_untrack(monitor, 0, 0), E_NOENT);
    sys_cap_drop(memory);
}

// Who sleeps may go on on another CPU, and a busy host may leave no time for it to sleep.
static bool has_unread(cap_t monitor, u32 *cpu)
{
    for (*cpu = 0; *cpu < user_cpu_count(); ++*cpu) {
        if (stat_of(monitor, *cpu).unread > 0)
            return true;
    }
    return false;
}

// What cannot be copied out is not taken.
static void a_bad_address_loses_no_record(cap_t monitor)
{
    u64 unread;
    u32 cpu;

    CHECK_IS(sys_monitor_track(monitor, 0, 0, 1, SWITCHES), 0);
    CHECK_IS(sys_monitor_resume(monitor), 0);
    CHECK_IS(WAIT_FOR(has_unread(monitor, &cpu)), 1);
    CHECK_IS(sys_monitor_suspend(monitor), 0);
    unread = stat_of(monitor, cpu).unread;
    CHECK_IS(sys_monitor_read(monitor, cpu, 8, 4096), E_FAULT);
    CHECK_IS(sys_monitor_read(monitor, cpu, UINT64_MAX, 4096), E_FAULT);
    CHECK_IS(stat_of(monitor, cpu).unread, unread);
    CHECK_IS(sys_monitor_take(monitor, cpu, unread + 1), E_INVAL);
    CHECK_IS(sys_monitor_take(monitor, cpu, unread), 0);
    CHECK_IS(stat_of(monitor, cpu).unread, 0);
    CHECK_IS(sys_monitor_untrack(monitor, (u32)sys_process_pid(0), 0), 0);
}

void errors_change_nothing(void)
{
    struct process_spawn how = PROCESS_SPAWN;
    cap_t monitor = make(SYS_MONITOR_BYTES_MIN), memory = (cap_t)sys_memory_new("none", 4096);

    all_calls_say(0, E_NOENT);
    all_calls_say(4000, E_NOENT);
    all_calls_say(memory, E_INVAL);
    sizes_are_checked();
    arguments_are_checked(monitor);
    a_bad_address_loses_no_record(monitor);
    CHECK_IS(sys_cap_drop(monitor), 0);
    all_calls_say(monitor, E_NOENT);
    sys_cap_drop(memory);
    CHECK_IS(end_of(spawn("plain", &how)), 0);
}

// Each is tracked by the number in its page, and there are no others.
static void own_dispatchers_have_numbers(cap_t monitor)
{
    u32 pid = (u32)sys_process_pid(0);

    CHECK_IS(sys_monitor_untrack(monitor, pid, 0), 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        CHECK_IS(user_dispatcher_start(cpu), 0);
        u32 thread = (u32)user_page(cpu)->thread;
        CHECK_IS(sys_monitor_track(monitor, 0, thread, cpu, SWITCHES), 0);
        CHECK_IS(sys_monitor_untrack(monitor, pid, thread), 0);
    }
    CHECK_IS(sys_monitor_untrack(monitor, pid, 0), E_NOENT);
}

// Beside the one that it has.
static void a_process_has_eight(void)
{
    cap_t monitors[SYS_MONITORS_PROCESS - 1];
    u64 bytes = SYS_MONITOR_BYTES_MIN;

    for (u32 i = 0; i < ARRAY_SIZE(monitors); i++)
        monitors[i] = make(SYS_MONITOR_BYTES_MIN);
    CHECK_IS(sys_monitor_create(&bytes), E_LIMIT);
    CHECK_IS(sys_monitor_terminate(monitors[0]), 0); // it counts no more, at once
    CHECK_IS(sys_cap_drop(monitors[0]), 0);
    for (u32 i = 0; i < 100; i++)
        CHECK_IS(sys_cap_drop(make(SYS_MONITOR_BYTES_MIN)), 0);
    for (u32 i = 1; i < ARRAY_SIZE(monitors); i++)
        CHECK_IS(sys_cap_drop(monitors[i]), 0);
}

// Its own threads are a process's own affair, others need the right.
int child_without_rights(void)
{
    cap_t monitor = make(SYS_MONITOR_BYTES_MIN);
    u32 cpu;

    CHECK_IS(sys_monitor_track_pid(monitor, 1, 0, 1, SWITCHES), E_PERM);
    CHECK_IS(sys_monitor_track_pid(monitor, 0, 0, 1, SWITCHES), E_PERM);
    CHECK_IS(sys_monitor_track_pid(monitor, (u32)sys_process_pid(0), 0, 1, SWITCHES), E_PERM);
    CHECK_IS(sys_monitor_track(monitor, 0, 0, 1, SWITCHES), 0);
    CHECK_IS(sys_monitor_untrack(monitor, 1, 0), E_NOENT);
    CHECK_IS(sys_monitor_resume(monitor), 0);
    CHECK_IS(WAIT_FOR(has_unread(monitor, &cpu)), 1);
    own_dispatchers_have_numbers(monitor);
    a_process_has_eight();
    return failures != 0;
}

// ---- limits -------------------------------------------------------------------------------------

// With them, whom they track is let go. Of one that is only dropped this comes later, by a thread.
static void end_all(const cap_t *monitors, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        CHECK_IS(sys_monitor_terminate(monitors[i]), 0);
        CHECK_IS(sys_cap_drop(monitors[i]), 0);
    }
}

// Of whoever has the right: as many as there are. A thread has 8 of them all the same.
static void the_right_knows_no_limit_of_its_own(void)
{
    static cap_t monitors[SYS_MONITORS];
    u64 bytes = SYS_MONITOR_BYTES_MIN;

    for (u32 i = 0; i < SYS_MONITORS; i++) {
        monitors[i] = make(SYS_MONITOR_BYTES_MIN);
        CHECK_IS(sys_monitor_track(monitors[i], 0, 0, i, SWITCHES),
                 i < SYS_MONITORS_THREAD ? 0 : E_LIMIT);
    }
    CHECK_IS(sys_monitor_create(&bytes), E_LIMIT);
    end_all(monitors, SYS_MONITORS);
}

void limits_hold(void)
{
    struct process_spawn how = PROCESS_SPAWN;
    cap_t monitors[SYS_MONITORS_THREAD];

    the_right_knows_no_limit_of_its_own();
    for (u32 i = 0; i < SYS_MONITORS_THREAD; i++) {
        monitors[i] = make(SYS_MONITOR_BYTES_MIN);
        CHECK_IS(sys_monitor_track(monitors[i], 0, 0, i, SWITCHES), 0);
        CHECK_IS(sys_monitor_track(monitors[i], 0, 0, i + 1, SWITCHES), 0);
    }
    how.rights = PROCESS_SAME_RIGHTS;
    CHECK_IS(end_of(spawn("greedy", &how)), 0);
    end_all(monitors, SYS_MONITORS_THREAD);
}

// The parent has as many monitors as can track it.
int child_beyond_limits(void)
{
    cap_t monitor = make(SYS_MONITOR_BYTES_MIN);

    CHECK_IS(sys_monitor_track_pid(monitor, 1, 0, 1, SWITCHES), E_LIMIT);
    CHECK_IS(sys_monitor_untrack(monitor, 1, 0), E_NOENT);
    CHECK_IS(sys_monitor_track(monitor, 0, 0, 1, SWITCHES), 0);
    return failures != 0;
}

// Without rights: all that it can have, until it is killed.
int child_hoards(void)
{
    for (u32 i = 0; i < SYS_MONITORS_PROCESS; i++)
        make(SYS_MONITOR_BYTES_MIN);
    thread_park(THREAD_FOREVER);
    return 0;
}

int child_comes_late(void)
{
    u64 bytes = SYS_MONITOR_BYTES_MIN;

    CHECK_IS(sys_monitor_create(&bytes), E_LIMIT);
    return failures != 0;
}

#define HOARDERS ((SYS_MONITORS - SYS_MONITORS_RESERVED) / SYS_MONITORS_PROCESS)

void some_are_kept_for_rights(void)
{
    struct process_spawn how = PROCESS_SPAWN;
    s64 pids[HOARDERS];

    for (u32 i = 0; i < HOARDERS; i++)
        pids[i] = spawn("hoarder", &how);
    CHECK_IS(WAIT_FOR(live_objects("Monitor") == HOARDERS * SYS_MONITORS_PROCESS), 1);
    CHECK_IS(end_of(spawn("late", &how)), 0);
    CHECK_IS(sys_cap_drop(make(SYS_MONITOR_BYTES_MIN)), 0);
    for (u32 i = 0; i < HOARDERS; i++) {
        CHECK_IS(sys_process_kill((u32)pids[i], 9), 0);
        CHECK_IS(end_of(pids[i]), 9);
    }
    CHECK_IS(WAIT_FOR(live_objects("Monitor") == 0), 1);
}

// Tracks itself by as many monitors as it can, and then makes its last one as a sign.
int child_hides(void)
{
    for (u32 i = 0; i < SYS_MONITORS_PROCESS - 1; i++)
        CHECK_IS(sys_monitor_track(make(SYS_MONITOR_BYTES_MIN), 0, 0, i, SWITCHES),
                 i < SYS_MONITORS_THREAD - SYS_MONITORS_THREAD_RESERVED ? 0 : E_LIMIT);
    make(SYS_MONITOR_BYTES_MIN);
    thread_park(failures == 0 ? THREAD_FOREVER : 0);
    return failures != 0;
}

void nobody_hides_by_tracking_itself(void)
{
    struct process_spawn how = PROCESS_SPAWN;
    cap_t monitors[SYS_MONITORS_THREAD_RESERVED + 1];
    s64 pid = spawn("hides", &how);

    CHECK_IS(WAIT_FOR(live_objects("Monitor") == SYS_MONITORS_PROCESS), 1);
    for (u32 i = 0; i < ARRAY_SIZE(monitors); i++) {
        monitors[i] = make(SYS_MONITOR_BYTES_MIN);
        CHECK_IS(sys_monitor_track_pid(monitors[i], (u32)pid, 0, 1, SWITCHES),
                 i < SYS_MONITORS_THREAD_RESERVED ? 0 : E_LIMIT);
    }
    end_all(monitors, ARRAY_SIZE(monitors));
    CHECK_IS(sys_process_kill((u32)pid, 9), 0);
    CHECK_IS(end_of(pid), 9);
    CHECK_IS(WAIT_FOR(live_objects("Monitor") == 0), 1);
}

// ---- terminated ---------------------------------------------------------------------------------

// Waits until its monitor has been terminated by the parent.
int child_holds(void)
{
    struct sys_monitor_stat stat;

    CHECK_IS(sys_monitor_track(SLOT_MONITOR, 0, 0, 7, SWITCHES), 0);
    CHECK_IS(WAIT_FOR(sys_monitor_stat(SLOT_MONITOR, 0, &stat) == E_INVAL), 1);
    all_calls_say(SLOT_MONITOR, E_INVAL);
    return failures != 0;
}

static u64 fired(cap_t monitor)
{
    u64 sum = 0;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        sum += stat_of(monitor, cpu).fired;
    return sum;
}

void the_terminated_answers_nobody(void)
{
    struct process_spawn how = PROCESS_SPAWN;
    cap_t monitor = make(SYS_MONITOR_BYTES_MIN);
    struct process_grant grant = {.slot = SLOT_MONITOR, .cap = monitor};

    how.grants = &grant;
    how.grant_count = 1;
    s64 pid = spawn("holder", &how);
    CHECK_IS(sys_monitor_resume(monitor), 0);
    CHECK_IS(WAIT_FOR(fired(monitor) > 0), 1); // the child's, who looks
    CHECK_IS(sys_monitor_terminate(monitor), 0);
    all_calls_say(monitor, E_INVAL);
    CHECK_IS(end_of(pid), 0);
    CHECK_IS(sys_cap_drop(monitor), 0);
}
