// SPDX-License-Identifier: MIT
// The programs of S003, figures 12 and 13: two processes exchange messages, a number of rounds a
// loop, and each loop is timed. In figure 12 one of the two is monitored in every other loop, and
// how often its sensors fired is read. scripts/eval-s003 makes tables of what is printed.
//
//   figure12|figure13 LOOPS ROUNDS BYTES WORK
//
// BYTES: of each message. WORK: microseconds of work before each round.
#include "bench.h"

#include <orrery/monitors.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/time.h>

#define RING_BYTES 0x100000
#define CALIBRATION 100000 // turns

struct experiment {
    u32 loops, rounds, bytes;
    u64 turns; // of work before each round
    struct peer peer;
    cap_t monitor; // 0: none
};

static void work(u64 turns)
{
    for (u64 i = 0; i < turns; i++)
        __asm__ volatile("" : "+r"(i));
}

// Turns that take so long.
static u64 turns_of(u64 us)
{
    u64 start = time_now();

    work(CALIBRATION);
    return us * CALIBRATION * (time_hz() / 1000000) / (time_now() - start);
}

static double seconds(u64 ticks)
{
    return (double)ticks / (double)time_hz();
}

// send_receive_messages_and_time_them()
static double exchange(const struct experiment *experiment)
{
    u32 before = user_disable();
    u64 start = time_now();
    s64 failed = 0;

    if (experiment->turns == 0) {
        failed = pingpong(experiment->peer.cap, experiment->rounds, experiment->bytes);
    } else {
        for (u32 i = 0; i < experiment->rounds && failed == 0; i++) {
            work(experiment->turns);
            failed = pingpong(experiment->peer.cap, 1, experiment->bytes);
        }
    }
    u64 ticks = time_now() - start;
    user_enable(before);
    if (failed != 0)
        printf("EVAL failed %ld\n", (long)failed);
    return seconds(ticks);
}

// get_and_count_context_switches(): takes all records there are.
static u64 count_switches(cap_t monitor)
{
    static struct sys_monitor_record records[512];
    s64 bytes;
    u64 count = 0;

    do {
        u64 start = time_now();
        bytes = sys_monitor_read(monitor, user_cpu(), (u64)records, sizeof(records));
        u64 ticks = time_now() - start;
        u64 got = bytes > 0 ? (u64)bytes / sizeof(records[0]) : 0;
        if (got > 0)
            printf("EVAL read %.9f %lu\n", seconds(ticks), got);
        count += got;
    } while (bytes > 0);
    return count;
}

static void monitored_loop(const struct experiment *experiment)
{
    struct sys_monitor_stat stat;

    sys_monitor_track(experiment->monitor, 0, 0, 1, 1u << SYS_MONITOR_SWITCH);
    double time = exchange(experiment);
    sys_monitor_untrack(experiment->monitor, (u32)getpid(), 0);
    u64 switches = count_switches(experiment->monitor);
    if (sys_monitor_stat(experiment->monitor, user_cpu(), &stat) != 0 || stat.lost != 0)
        printf("EVAL failed: records were lost\n");
    printf("EVAL on %.9f %lu\n", time, switches);
}

static bool begin(struct experiment *experiment, bool monitored)
{
    u64 bytes = RING_BYTES;

    if (!peer_start(&experiment->peer, "raw", PROCESS_HERE))
        return false;
    exchange(experiment); // what is done once has been done then
    if (!monitored)
        return true;
    s64 monitor = sys_monitor_create(&bytes);
    experiment->monitor = (cap_t)monitor;
    return monitor > 0 && sys_monitor_resume((cap_t)monitor) == 0;
}

int figure(int argc, char **argv)
{
    if (argc != 6)
        return 1;
    struct experiment experiment = {
        .loops = (u32)atoi(argv[2]), .rounds = (u32)atoi(argv[3]), .bytes = (u32)atoi(argv[4])};
    u32 us = (u32)atoi(argv[5]);
    experiment.turns = us > 0 ? turns_of(us) : 0;
    bool monitored = strcmp(argv[1], "figure12") == 0;
    if (!begin(&experiment, monitored))
        return 1;
    for (u32 i = 0; i < experiment.loops; i++) {
        if (monitored)
            monitored_loop(&experiment);
        printf("EVAL off %.9f\n", exchange(&experiment));
    }
    printf("EVAL done\n");
    return 0;
}
