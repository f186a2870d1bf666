// SPDX-License-Identifier: MIT
// Prints each record of a monitor that tracks one process: when its threads run, and why not.
#include "common.h"

#include <orrery/errors.h>
#include <orrery/monitors.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <trace/reasons.h>
#include <unistd.h>
#include <user/time.h>

#define RING_BYTES 0x40000
#define SECONDS_MAX 86400
#define NAP_US 10000

static const char *const reasons[] = REASON_NAMES;
static const char *const switches[] = {"leaves", "comes", "stays"};

static void print(u32 cpu, u64 begin, const struct sys_monitor_record *record)
{
    u64 us = time_to_us(record->time - begin);

    if (record->lost > 0)
        printf("%u: %u records lost\n", (unsigned)cpu, record->lost);
    printf("%u: %5lu.%06lu %u %s", (unsigned)cpu, us / 1000000, us % 1000000, (unsigned)record->id,
           switches[record->word[0]]);
    if (record->word[0] != SYS_MONITOR_COMES)
        printf(" (%s)", reasons[record->reason]);
    printf("\n");
}

// All that a CPU has. How many, or an error.
static s64 print_cpu(cap_t monitor, u32 cpu, u64 begin)
{
    static struct sys_monitor_record records[512];
    s64 bytes, count = 0;

    while ((bytes = sys_monitor_read(monitor, cpu, (u64)records, sizeof(records))) > 0) {
        u64 got = (u64)bytes / sizeof(records[0]);
        for (u64 i = 0; i < got; i++)
            print(cpu, begin, &records[i]);
        count += (s64)got;
    }
    return bytes < 0 ? bytes : count;
}

static s64 print_all(cap_t monitor, u32 cpus, u64 begin)
{
    s64 count = 0;

    for (u32 cpu = 0; cpu < cpus; cpu++) {
        s64 got = print_cpu(monitor, cpu, begin);
        if (got < 0)
            return got;
        count += got;
    }
    return count;
}

static int report(cap_t monitor, u32 cpus, u64 read)
{
    struct sys_monitor_stat stat;
    u64 fired = 0, lost = 0;

    for (u32 cpu = 0; cpu < cpus; cpu++) {
        if (sys_monitor_stat(monitor, cpu, &stat) != 0)
            continue;
        fired += stat.fired;
        lost += stat.lost;
    }
    printf("%lu records: %lu read, %lu lost\n", fired, read, lost);
    return 0;
}

static int watch(cap_t monitor, u64 seconds)
{
    u64 begin = time_now(), end = begin + time_from_us(seconds * 1000000), read = 0;
    struct sys_info info;
    s64 error = sys_info(&info);

    if (error == 0)
        error = sys_monitor_resume(monitor);
    while (error == 0 && time_now() < end) {
        s64 got = print_all(monitor, info.cpu_count, begin);
        read += got > 0 ? (u64)got : 0;
        error = got < 0 ? got : 0;
        usleep(NAP_US);
    }
    if (error == 0)
        error = sys_monitor_suspend(monitor);
    s64 rest = error == 0 ? print_all(monitor, info.cpu_count, begin) : error;
    if (rest < 0)
        return complain_error("monitor", rest);
    return report(monitor, info.cpu_count, read + (u64)rest);
}

int main(int argc, char **argv)
{
    u64 pid, seconds, bytes = RING_BYTES;

    command_begin(argc, argv,
                  "monitor PID SECONDS\n"
                  "prints when the process gets a CPU and loses it, and why;\n"
                  "PID 0: all threads of the kernel");
    if (argc != 3 || !parse_number(argv[1], UINT32_MAX, &pid) ||
        !parse_number(argv[2], SECONDS_MAX, &seconds))
        return command_usage();
    s64 monitor = sys_monitor_create(&bytes);
    if (monitor < 0)
        return complain_error("monitor", monitor);
    s64 error =
        sys_monitor_track_pid((cap_t)monitor, (u32)pid, 0, (u32)pid, 1 << SYS_MONITOR_SWITCH);
    if (error != 0)
        return complain_error(argv[1], error);
    return watch((cap_t)monitor, seconds);
}
