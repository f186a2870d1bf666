// SPDX-License-Identifier: MIT
// Reads the run queues' files. The kernel tells a length at each tick of 10 ms, and once when a CPU
// goes idle.
#include "queues.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <user/log.h>
#include <user/time.h>

#define REGISTER 0x4010 // behind the descriptors
#define FILE_BASE 0x5000
#define FILE_SIZE 9 // 2^n entries
#define ROW_ENTRIES 2
#define ROW_FLAGS (LOG_WITH_COUNTER | LOG_STAMP_HARDWARE)
#define TICKS_IN_STAMP 64

static struct {
    u8 *area; // NULL: none
    struct log_reader reader;
} areas[SCHED_CPUS];
static u32 cpu_count;

static s64 lay_out(u32 cpu)
{
    u8 *area = areas[cpu].area;
    u32 since = (u32)(time_now() / TICKS_IN_STAMP);
    s64 error = log_file_lay_out(area, REGISTER, FILE_BASE, LOG_SIZE(FILE_SIZE) | ROW_FLAGS, since);

    if (error == 0)
        error = log_reader_begin(&areas[cpu].reader, area, cpu, REGISTER, since);
    if (error == 0)
        ((struct log_head *)area)->run_queue = LOG_SELECTOR(0, REGISTER);
    return error;
}

s64 queues_open(u32 cpus)
{
    s64 error = 0;

    cpu_count = cpus;
    for (u32 cpu = 0; cpu < cpus && error == 0; cpu++) {
        error = log_area_map(cpu, &areas[cpu].area);
        if (error == 0)
            error = lay_out(cpu);
    }
    if (error == 0)
        error = sys_log_enable(LOG_OF_RUN_QUEUE, true);
    if (error != 0)
        queues_close();
    return error;
}

void queues_close(void)
{
    sys_log_close(); // nothing, if another process owns them
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (areas[cpu].area != NULL)
            sys_region_destroy((u64)areas[cpu].area);
        areas[cpu].area = NULL;
    }
}

s64 queues_read(u8 lengths[SCHED_CPUS])
{
    u32 rows[1u << FILE_SIZE];
    s64 result = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        s64 count = log_read(&areas[cpu].reader, rows);
        if (count < 0)
            result = count;
        if (count <= 0)
            continue;
        u32 length = rows[(count - 1) * ROW_ENTRIES];
        lengths[cpu] = length < UINT8_MAX ? (u8)length : UINT8_MAX;
    }
    return result;
}
