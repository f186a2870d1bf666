// SPDX-License-Identifier: MIT
// The example of docs/monitors.md, word for word.
#include "tests.h"

#include <user/thread.h>

static struct sys_monitor_record records[128];

s64 example(void)
{
    u64 bytes = SYS_MONITOR_BYTES_MIN;
    s64 monitor = sys_monitor_create(&bytes);

    sys_monitor_track((cap_t)monitor, 0, 0, 1, 1 << SYS_MONITOR_SWITCH); // oneself, as "1"
    sys_monitor_resume((cap_t)monitor);
    thread_sleep_us(1000); // what is to be seen
    sys_monitor_suspend((cap_t)monitor);
    s64 got = sys_monitor_read((cap_t)monitor, 0, (u64)records, sizeof(records));
    sys_cap_drop((cap_t)monitor); // the last one: it ends
    return got;
}
