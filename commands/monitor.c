// SPDX-License-Identifier: MIT
// Prints each record of a monitor that tracks one process: when its threads run, why not, and what
// else happens to them.
#include "common.h"

#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/monitors.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <trace/reasons.h>
#include <unistd.h>
#include <user/time.h>

#define RING_BYTES 0x40000
#define SECONDS_MAX 86400
#define NAP_US 10000

static const char *const reasons[] = REASON_NAMES;
static const char *const switches[] = {"leaves", "comes", "stays"};

static void print_switch(const struct sys_monitor_record *record)
{
    printf("%s", switches[record->word[0]]);
    if (record->word[0] != SYS_MONITOR_COMES)
        printf(" (%s)", reasons[record->reason]);
}

static void print_fault(const struct sys_monitor_record *record)
{
    printf("faults at %#lx (%s)", record->word[0],
           record->word[1] == PROT_X   ? "code"
           : record->word[1] == PROT_W ? "store"
                                       : "load");
}

static void print_block(const struct sys_monitor_record *record)
{
    u64 what = record->word[0];

    printf("%s %s (%ld)", (what & SYS_MONITOR_BLOCK_ENDS) != 0 ? "ends to" : "begins to",
           (what & SYS_MONITOR_BLOCK_WRITE) != 0   ? "write"
           : (what & SYS_MONITOR_BLOCK_FLUSH) != 0 ? "flush"
                                                   : "read",
           (s64)record->word[1]);
}

static void print_what(const struct sys_monitor_record *record)
{
    switch (record->kind) {
    case SYS_MONITOR_SWITCH:
        print_switch(record);
        break;
    case SYS_MONITOR_WAKE:
        printf("wakes (%s)", reasons[record->reason]);
        break;
    case SYS_MONITOR_FAULT:
        print_fault(record);
        break;
    case SYS_MONITOR_SYSCALL:
        printf("calls %lu (%ld)", record->word[0], (s64)record->word[1]);
        break;
    case SYS_MONITOR_BLOCK:
        print_block(record);
        break;
    }
}

static void print(u32 cpu, u64 begin, const struct sys_monitor_record *record)
{
    u64 us = time_to_us(record->time - begin);

    if (record->lost > 0)
        printf("%u: %u records lost\n", (unsigned)cpu, record->lost);
    printf("%u: %5lu.%06lu %u ", (unsigned)cpu, us / 1000000, us % 1000000, (unsigned)record->id);
    print_what(record);
    printf("\n");
}

// Prints all records of a CPU. Returns how many, or an error.
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

// Parses "switch,fault". Returns 1 << kind of each; 0: one of them is no kind.
static u64 parse_kinds(const char *text)
{
    static const char *const names[SYS_MONITOR_KINDS_MAX] = SYS_MONITOR_KIND_NAMES;
    u64 kinds = 0;

    for (;; text++) {
        size_t length = strcspn(text, ",");
        u32 kind = 0;
        while (kind < SYS_MONITOR_KINDS_MAX &&
               (names[kind] == NULL || strlen(names[kind]) != length ||
                strncmp(text, names[kind], length) != 0))
            kind++;
        if (kind == SYS_MONITOR_KINDS_MAX)
            return 0;
        kinds |= 1UL << kind;
        text += length;
        if (*text == '\0')
            return kinds;
    }
}

int main(int argc, char **argv)
{
    u64 pid, seconds, bytes = RING_BYTES, kinds = 1UL << SYS_MONITOR_SWITCH;

    command_begin(argc, argv,
                  "monitor PID SECONDS [KIND,…]\n"
                  "prints when the process gets a CPU and loses it, and why;\n"
                  "PID 0: all threads of the kernel\n"
                  "KIND: switch (if none is given), wake, fault, syscall, block");
    if (argc == 4)
        kinds = parse_kinds(argv[3]);
    if (argc < 3 || argc > 4 || kinds == 0 || !parse_number(argv[1], UINT32_MAX, &pid) ||
        !parse_number(argv[2], SECONDS_MAX, &seconds))
        return command_usage();
    s64 monitor = sys_monitor_create(&bytes);
    if (monitor < 0)
        return complain_error("monitor", monitor);
    s64 error = sys_monitor_track_pid((cap_t)monitor, (u32)pid, 0, (u32)pid, kinds);
    if (error != 0)
        return complain_error(argv[1], error);
    return watch((cap_t)monitor, seconds);
}
