// SPDX-License-Identifier: MIT
// Lays out and reads the files. The kernel tells a length at each tick of 10 ms, and once when a
// CPU goes idle; and each call twice, on the CPU of its client and on that of its server.
#include "logs.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <user/log.h>
#include <user/time.h>

#define TICKS_IN_STAMP 64
// Offsets in a CPU's area, behind the descriptors.
#define QUEUE_REGISTER 0x4010
#define CALLS_REGISTER 0x4018
#define QUEUE_FILE 0x5000
#define CALLS_FILE 0x8000
#define QUEUE_SIZE 9  // 2^n entries
#define CALLS_SIZE 13 // 2,048 rows: what a CPU says in 20 ms of 50,000 calls a second, both sides
#define QUEUE_ENTRIES 2
#define QUEUE_ROW (LOG_WITH_COUNTER | LOG_STAMP_HARDWARE)
#define CALLS_ROW (LOG_WITH_EVENT | LOG_WITH_CURRENT | LOG_WITH_CORRESPONDENT | LOG_STAMP_HARDWARE)

static struct {
    u8 *area; // NULL: none
    struct log_reader queue, calls;
} areas[SCHED_CPUS];
static u32 cpu_count;

static s64 lay_file(u32 cpu, struct log_reader *reader, u32 place, u32 base, u32 control)
{
    u32 since = (u32)(time_now() / TICKS_IN_STAMP);
    s64 error = log_file_lay_out(areas[cpu].area, place, base, control, since);

    return error != 0 ? error : log_reader_begin(reader, areas[cpu].area, cpu, place, since);
}

static s64 lay_out(u32 cpu)
{
    struct log_head *head = (struct log_head *)areas[cpu].area;
    s64 error = lay_file(cpu, &areas[cpu].queue, QUEUE_REGISTER, QUEUE_FILE,
                         LOG_SIZE(QUEUE_SIZE) | QUEUE_ROW);

    if (error == 0)
        error = lay_file(cpu, &areas[cpu].calls, CALLS_REGISTER, CALLS_FILE,
                         LOG_SIZE(CALLS_SIZE) | CALLS_ROW);
    if (error != 0)
        return error;
    head->run_queue = LOG_SELECTOR(0, QUEUE_REGISTER);
    for (u32 domain = 1; domain < LOG_DOMAINS; domain++) {
        head->domains[domain].selectors[LOG_CALL_SENT] = LOG_SELECTOR(0, CALLS_REGISTER);
        head->domains[domain].selectors[LOG_CALL_TAKEN] = LOG_SELECTOR(0, CALLS_REGISTER);
    }
    return 0;
}

s64 logs_open(u32 cpus)
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
        logs_close();
    return error;
}

void logs_close(void)
{
    sys_log_close(); // nothing, if another process owns them
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (areas[cpu].area != NULL)
            sys_region_destroy((u64)areas[cpu].area);
        areas[cpu].area = NULL;
    }
}

s64 logs_calls(bool on)
{
    return sys_log_enable(LOG_OF_CALLS, on);
}

s64 logs_read_queues(u8 lengths[SCHED_CPUS])
{
    u32 rows[1u << QUEUE_SIZE];
    s64 result = 0;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        s64 count = log_read(&areas[cpu].queue, rows);
        if (count < 0)
            result = count;
        if (count <= 0)
            continue;
        u32 length = rows[(count - 1) * QUEUE_ENTRIES];
        lengths[cpu] = length < UINT8_MAX ? (u8)length : UINT8_MAX;
    }
    return result;
}

s64 logs_read_calls(u32 cpu, const struct logs_call **rows, bool *lost)
{
    static struct logs_call copies[(1u << CALLS_SIZE) * sizeof(u32) / sizeof(struct logs_call)];
    u64 before = areas[cpu].calls.lost;
    s64 count = log_read(&areas[cpu].calls, (u32 *)copies);

    *rows = copies;
    *lost = areas[cpu].calls.lost != before;
    return count;
}

u64 logs_time(u32 stamp, u64 now)
{
    s32 ago = (s32)((u32)(now / TICKS_IN_STAMP) - stamp);

    return ago > 0 ? now - (u64)ago * TICKS_IN_STAMP : now;
}
