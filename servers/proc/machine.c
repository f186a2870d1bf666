// SPDX-License-Identifier: MIT
// Files about the machine.
#include "contents.h"

#include <orrery/sys.h>
#include <string.h>
#include <user/time.h>

static s64 fill_meminfo(u32 pid, struct text *text)
{
    struct sys_info info;
    (void)pid;
    s64 status = sys_info(&info);
    if (status < 0)
        return status;
    text_add(text, "MemTotal: %10lu kB\n", (unsigned long)(info.memory_bytes >> 10));
    text_add(text, "MemFree:  %10lu kB\n", (unsigned long)(info.free_bytes >> 10));
    return 0;
}

static s64 add_ticks(const struct sys_process_info *info, void *context)
{
    *(u64 *)context += info->cpu_ticks;
    return 0;
}

// Adds the seconds since the start, and the seconds that no process used, summed over all CPUs.
static s64 fill_uptime(u32 pid, struct text *text)
{
    struct sys_info info;
    u64 used = 0;
    (void)pid;
    s64 status = sys_info(&info);
    if (status >= 0)
        status = processes_each(add_ticks, &used);
    if (status < 0)
        return status;
    u64 since = time_now() - info.boot_timebase, all = since * info.cpu_count;
    text_add(text, "%.2f %.2f\n", (double)since / (double)info.timebase_hz,
             (double)(all > used ? all - used : 0) / (double)info.timebase_hz);
    return 0;
}

static s64 fill_cpuinfo(u32 pid, struct text *text)
{
    struct sys_info info;
    (void)pid;
    s64 status = sys_info(&info);
    if (status < 0)
        return status;
    for (u32 cpu = 0; cpu < info.cpu_count; cpu++)
        text_add(text, "processor: %u\ncpu:       POWER9\ntimebase:  %lu\n\n", cpu,
                 (unsigned long)info.timebase_hz);
    return 0;
}

static s64 fill_version(u32 pid, struct text *text)
{
    struct sys_info info;
    (void)pid;
    s64 status = sys_info(&info);
    if (status < 0)
        return status;
    text_add(text, "Orrery %.*s, build ", (int)strnlen(info.version, sizeof(info.version)),
             info.version);
    for (u32 i = 0; i < SYS_BUILD_ID_SIZE; i++)
        text_add(text, "%02x", info.build_id[i]);
    text_add(text, "\n");
    return 0;
}

const struct proc_file machine_files[] = {
    {"cpuinfo", "the processors", fill_cpuinfo},
    {"meminfo", "memory, all and free", fill_meminfo},
    {"uptime", "seconds since the start, and idle seconds of all CPUs", fill_uptime},
    {"version", "version of the kernel", fill_version},
};
const u32 machine_file_count = ARRAY_SIZE(machine_files);
