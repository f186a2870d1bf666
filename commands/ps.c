// SPDX-License-Identifier: MIT
#include "common.h"

#include <orrery/process.h>
#include <stdio.h>
#include <user/time.h>

#define PAGE_KB 4

static const char *state_name(u32 state)
{
    static const char *const names[] = {"new", "live", "ending"};
    return state < ARRAY_SIZE(names) ? names[state] : "?";
}

static void show_cpus(u32 mask)
{
    char text[ORRERY_MAX_CPUS + 1];

    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        text[cpu] = mask & 1u << cpu ? (char)('0' + cpu) : '.';
    text[ORRERY_MAX_CPUS] = 0;
    printf(" %s", text);
}

static void show(const struct sys_process_info *info)
{
    u64 ms = time_to_us(info->cpu_ticks) / 1000;

    printf("%5u %5u %-6s", info->pid, info->parent, state_name(info->state));
    show_cpus(info->dispatchers);
    printf(" %6lu.%03lu %7lu %8lu %8lu  %.*s\n", ms / 1000, ms % 1000, info->memory_pages * PAGE_KB,
           info->faults, info->calls, PROCESS_NAME_MAX, info->name);
}

int main(int argc, char **argv)
{
    struct sys_process_info infos[32];
    u64 cursor = 0;
    s64 got;

    command_begin(argc, argv,
                  "ps\nlists processes: number, parent, state, CPUs, seconds at work, resident "
                  "memory, page faults, calls");
    if (argc > 1)
        return command_usage();
    printf("%5s %5s %-6s %-8s %10s %7s %8s %8s  %s\n", "PID", "PPID", "STATE", "CPUS", "TIME", "KB",
           "FAULTS", "CALLS", "NAME");
    while ((got = sys_process_list(&cursor, infos, sizeof(infos))) > 0)
        for (u64 i = 0; i < (u64)got / sizeof(infos[0]); i++)
            show(&infos[i]);
    return got < 0 ? complain_error("processes", got) : 0;
}
