// SPDX-License-Identifier: MIT
// The machine's data, its time, and room for its records.
#include "system.h"

struct sys_info server_system;
u64 server_started;
u8 server_records[RECORDS_BYTES_MAX] __attribute__((aligned(8)));

s64 system_know(void)
{
    server_started = sys_time();
    return sys_info(&server_system);
}

u64 server_ticks(u64 milliseconds)
{
    return milliseconds * (server_system.timebase_hz / 1000);
}
