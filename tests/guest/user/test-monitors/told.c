// SPDX-License-Identifier: MIT
// What a process tells of itself: switches of its library, beside the library's own counts, and
// sensors; who lies, lies about itself.
#include "tests.h"

#include <orrery/sys.h>
#include <string.h>
#include <trace/reasons.h>
#include <user/scheduler.h>
#include <user/sensor.h>
#include <user/thread.h>
#include <waiting.h>

#define THREADS_TOLD (1u << SYS_MONITOR_THREAD)
#define SENSORS (1u << SYS_MONITOR_SENSOR)
#define TURNS 200
#define YIELDS 50
#define NUMBERS 64 // threads of this process have lower ones
#define SENSOR_TURN 7
#define SENSOR_LIE 200

SENSOR_NAME(SENSOR_TURN, "turn");

static struct thread *players[2];
static u32 first_number;
static u64 told[NUMBERS][3], before[NUMBERS]; // by thread: of enum sys_monitor_switch; its turns
static u64 yields_told, sensors_told, switches_told;

// ---- exact counts -------------------------------------------------------------------------------

static s64 play(void *number)
{
    u64 self = (u64)number;

    for (u64 i = 0; i < TURNS; i++) {
        thread_park(THREAD_FOREVER);
        sensor(SENSOR_TURN, self, i);
        if (self == 0 || i + 1 < TURNS) // the other one has not ended
            thread_unpark(players[1 - self]);
    }
    return 0;
}

static void note_turns(u64 turns[NUMBERS])
{
    struct thread_info threads[NUMBERS];
    u64 cursor = 0;
    s64 bytes = thread_list(&cursor, threads, sizeof(threads));

    for (u32 i = 0; i < (u64)bytes / sizeof(threads[0]); i++)
        turns[threads[i].id % NUMBERS] = threads[i].switches;
}

static void take_thread(const struct sys_monitor_record *record)
{
    u32 what = (u32)record->word[0], number = (u32)(record->word[0] >> 32);

    CHECK_IS(what <= SYS_MONITOR_STAYS && number < NUMBERS && record->reason < REASONS, 1);
    told[number % NUMBERS][what % 3]++;
    yields_told += what == SYS_MONITOR_STAYS && record->reason == REASON_YIELD;
    if (number == first_number)
        CHECK_IS(memcmp(&record->word[1], "player", 7), 0);
}

static void take_sensor(const struct sys_monitor_record *record)
{
    static u64 next[2];

    CHECK_IS(record->reason, SENSOR_TURN);
    CHECK_IS(record->word[0] < 2, 1);
    CHECK_IS(record->word[1], next[record->word[0] & 1]++);
    sensors_told++;
}

static void take_all(cap_t monitor, u32 id)
{
    static struct sys_monitor_record records[128];
    s64 bytes;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        while ((bytes = sys_monitor_read(monitor, cpu, (u64)records, sizeof(records))) > 0) {
            for (u32 i = 0; i < (u64)bytes / sizeof(records[0]); i++) {
                CHECK_IS(records[i].id, id);
                switches_told += records[i].kind == SYS_MONITOR_SWITCH;
                if (records[i].kind == SYS_MONITOR_THREAD)
                    take_thread(&records[i]);
                else if (records[i].kind == SYS_MONITOR_SENSOR)
                    take_sensor(&records[i]);
            }
        }
        CHECK_IS(stat_of(monitor, cpu).lost, 0);
    }
}

// Nothing of this process switches between the looks and the monitor.
static void set_running(cap_t monitor, bool on, u64 turns[NUMBERS])
{
    u32 enabled = user_disable();

    CHECK_IS(on ? sys_monitor_resume(monitor) : sys_monitor_suspend(monitor), 0);
    note_turns(turns);
    user_enable(enabled);
}

static void play_game(void)
{
    thread_unpark(players[0]);
    for (u32 i = 0; i < 2; i++)
        CHECK_IS(thread_join(players[i], NULL), 0);
    for (u32 i = 0; i < YIELDS; i++) // nobody else is ready
        thread_yield();
}

static void make_players(void)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;

    attributes.name = "player";
    for (u64 i = 0; i < 2; i++)
        CHECK_IS(thread_create(&players[i], &attributes, play, (void *)i), 0);
    first_number = thread_id(players[0]);
    thread_yield(); // they park
}

// Each thread comes or stays as often as the library counts it; who has ended came once for each
// of its turns at least, and leaves as often as it came.
static void counts_are_the_librarys(void)
{
    cap_t monitor = make(0x40000), deaf = make(SYS_MONITOR_BYTES_MIN);
    u64 after[NUMBERS] = {0};

    make_players();
    CHECK_IS(sys_monitor_track(monitor, 0, 0, 5, THREADS_TOLD | SENSORS), 0);
    CHECK_IS(sys_monitor_track(deaf, 0, 0, 6, SENSORS), 0);
    set_running(deaf, true, before);
    set_running(monitor, true, before);
    play_game();
    set_running(monitor, false, after);
    CHECK_IS(sys_monitor_suspend(deaf), 0);
    take_all(monitor, 5);
    CHECK_IS(sensors_told, 2 * TURNS);
    CHECK_IS(yields_told, YIELDS);
    CHECK_IS(switches_told, 0);
    for (u32 i = 0; i < NUMBERS; i++) {
        if (i - first_number > 1)
            CHECK_IS(told[i][SYS_MONITOR_COMES] + told[i][SYS_MONITOR_STAYS], after[i] - before[i]);
    }
    for (u32 i = first_number; i < first_number + 2; i++) {
        CHECK_IS(told[i][SYS_MONITOR_COMES], told[i][SYS_MONITOR_LEAVES]);
        CHECK_IS(told[i][SYS_MONITOR_COMES] + told[i][SYS_MONITOR_STAYS] >= 2, 1);
    }
    u64 fired = 0;
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        fired += stat_of(deaf, cpu).fired;
    CHECK_IS(fired, 2 * TURNS);
    sys_cap_drop(monitor);
    sys_cap_drop(deaf);
}

// ---- what the library is asked for --------------------------------------------------------------

static s64 look_there(void *unused)
{
    (void)unused;
    return (s64)monitors_want();
}

// Of a dispatcher that may have been made just now.
static void wanted_on_all(u64 kinds)
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        struct thread *thread;
        s64 wanted = -1;
        attributes.cpu = cpu;
        CHECK_IS(thread_create(&thread, &attributes, look_there, NULL), 0);
        CHECK_IS(thread_join(thread, &wanted), 0);
        CHECK_IS(wanted, kinds);
    }
}

static void the_library_knows_what_is_wanted(void)
{
    cap_t one = make(SYS_MONITOR_BYTES_MIN), other = make(SYS_MONITOR_BYTES_MIN);
    u32 self = (u32)sys_process_pid(0);

    CHECK_IS(monitors_want(), 0);
    CHECK_IS(sys_monitor_track(one, 0, 0, 1, SWITCHES | SENSORS), 0);
    CHECK_IS(monitors_want(), 0);
    CHECK_IS(sys_monitor_resume(one), 0);
    wanted_on_all(SENSORS);
    CHECK_IS(sys_monitor_resume(other), 0);
    CHECK_IS(sys_monitor_track(other, 0, 0, 1, SWITCHES | THREADS_TOLD), 0);
    wanted_on_all(SENSORS | THREADS_TOLD);
    CHECK_IS(sys_monitor_suspend(one), 0);
    wanted_on_all(THREADS_TOLD);
    CHECK_IS(sys_monitor_untrack(other, self, 0), 0);
    wanted_on_all(0);
    CHECK_IS(sys_monitor_resume(one), 0);
    wanted_on_all(SENSORS);
    CHECK_IS(sys_monitor_terminate(one), 0);
    wanted_on_all(0);
    sys_cap_drop(one);
    sys_cap_drop(other);
}

// ---- lies ---------------------------------------------------------------------------------------

static void tell_nonsense(void)
{
    const u32 wrong[] = {SYS_MONITOR_SWITCH, 5, SYS_MONITOR_KINDS_MAX, 31, 32, 64, UINT32_MAX};

    for (u32 i = 0; i < ARRAY_SIZE(wrong); i++)
        CHECK_IS(sys_monitor_tell(wrong[i], 0, 0, 0), E_INVAL);
    CHECK_IS(sys_monitor_tell(SYS_MONITOR_THREAD, 256, 0, 0), E_INVAL);
    CHECK_IS(sys_monitor_tell(SYS_MONITOR_SENSOR, UINT32_MAX, 0, 0), E_INVAL);
}

// Says that others' threads ran, asks itself for more than it is asked, and for nothing.
int child_lies(void)
{
    struct dispatcher_page *page = user_page(user_cpu());

    tell_nonsense();
    page->monitored = UINT32_MAX;
    sensor(SENSOR_LIE, UINT64_MAX, 1);
    for (u32 i = 0; i < TURNS; i++)
        CHECK_IS(sys_monitor_tell(SYS_MONITOR_THREAD, 255, UINT64_MAX, 1UL << 63), 0);
    page->monitored = 0;
    sensor(SENSOR_LIE, UINT64_MAX, 2); // nobody hears it
    CHECK_IS(sys_monitor_tell(SYS_MONITOR_SENSOR, SENSOR_LIE, UINT64_MAX, 3), 0);
    return failures != 0;
}

static void track_liar(u32 pid, void *monitor)
{
    CHECK_IS(sys_monitor_track_pid((cap_t)(u64)monitor, pid, 0, 9, SENSORS), 0);
}

static void lies_are_about_the_liar(void)
{
    struct process_spawn how = PROCESS_SPAWN;
    cap_t monitor = make(SYS_MONITOR_BYTES_MIN);
    struct sys_monitor_record records[8] = {0};
    u64 count = 0;

    tell_nonsense();
    CHECK_IS(sys_monitor_tell(SYS_MONITOR_SENSOR, 0, 0, 0), 0); // nobody asks
    CHECK_IS(sys_monitor_track(monitor, 0, 0, 4, SENSORS), 0);
    CHECK_IS(sys_monitor_resume(monitor), 0);
    how.made = track_liar;
    how.made_context = (void *)(u64)monitor;
    CHECK_IS(end_of(spawn("liar", &how)), 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        s64 bytes = sys_monitor_read(monitor, cpu, (u64)&records[count],
                                     (ARRAY_SIZE(records) - count) * sizeof(records[0]));
        count += bytes > 0 ? (u64)bytes / sizeof(records[0]) : 0;
    }
    CHECK_IS(count, 2);
    for (u32 i = 0; i < count; i++) {
        CHECK_IS(records[i].id, 9);
        CHECK_IS(records[i].kind, SYS_MONITOR_SENSOR);
        CHECK_IS(records[i].reason, SENSOR_LIE);
        CHECK_IS(records[i].word[0], UINT64_MAX);
        CHECK_IS(records[i].word[1], 1 + 2 * i);
    }
    sys_cap_drop(monitor);
}

void processes_tell_of_themselves(void)
{
    the_library_knows_what_is_wanted();
    counts_are_the_librarys();
    lies_are_about_the_liar();
}
