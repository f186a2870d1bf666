// SPDX-License-Identifier: MIT
// Questions to libraries, and about what the kernel knows.
#include "monitor.h"

#include <orrery/memory.h>
#include <orrery/inspect.h>
#include <orrery/sys.h>
#include <orrery/user.h>

#define ROUNDS 64 // of one list, however long it says that it is

static u64 some_argument(void)
{
    switch (next_random() % 4) {
    case 0:
        return 0;
    case 1:
        return next_random() % 8;
    case 2:
        return BUFFER_BYTES;
    default:
        return next_random();
    }
}

void ask_library(void)
{
    struct sys_inspect_request request = {
        .pid = some_pid(),
        .operation = 1 + (u32)(next_random() % INSPECT_LOG_DOMAIN),
        .arguments = {0, INSPECT_BYTES},
    };

    if (request.operation != INSPECT_SCAN && request.operation != INSPECT_BLOCKED_READ) {
        request.arguments[0] = some_argument();
        request.arguments[1] = some_argument();
    }
    for (u32 i = 0; i < ROUNDS; i++) {
        s64 bytes = sys_process_inspect(&request, some_buffer(), BUFFER_BYTES);
        if (bytes <= 0)
            break;
        request.arguments[0] = request.results[0];
    }
}

void list_regions(void)
{
    u32 pid = some_pid();
    u64 cursor = 0;

    for (u32 i = 0; i < ROUNDS && sys_region_list(pid, &cursor, some_buffer(), 4096) > 0; i++)
        ;
}

void scan_objects(void)
{
    struct sys_class class_info;
    u64 cursor = 0;

    while (sys_object_scan(&cursor, some_buffer(), BUFFER_BYTES) > 0)
        ;
    sys_class_get((u32)(next_random() % 64), &class_info);
}

void read_drefs(void)
{
    u64 cursor = 0;

    sys_dref_set_processes(next_random() % 2 != 0);
    if (sys_dref_enable(true) != 0)
        return;
    while (sys_dref_read(&cursor, some_buffer(), BUFFER_BYTES) > 0)
        ;
    sys_dref_enable(false);
}

void read_traces(void)
{
    struct sys_trace_process *list = some_buffer();
    u64 cursor = 0;
    s64 bytes = sys_trace_process_list(&cursor, list, 4096);

    if (bytes <= 0)
        return;
    u32 pid = list[next_random() % ((u64)bytes / sizeof(list[0]))].pid;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        for (u32 i = 0; i < ROUNDS; i++) {
            if (sys_trace_read_process(pid, cpu, true, some_buffer(), BUFFER_BYTES) <= 0)
                break;
        }
        sys_trace_read(cpu, next_random() % 2 != 0, some_buffer(), BUFFER_BYTES);
    }
}

void change_masks(void)
{
    u64 mask = next_random() % 2 != 0 ? next_random() & 0xffffffff : 0;

    if (sys_trace_set_process_mask(mask) != 0)
        sys_trace_set_process_mask(sys_trace_mask());
    sys_trace_set_mask(next_random() % 2 != 0 ? 0 : sys_trace_mask());
}
