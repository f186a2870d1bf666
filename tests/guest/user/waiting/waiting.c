// SPDX-License-Identifier: MIT
// Waiting for what must come.
#include "waiting.h"

#include <orrery/sys.h>
#include <string.h>
#include <user/thread.h>
#include <user/time.h>

#define PATIENCE_US 300000000
#define STEP_US 1000

u64 patience(void)
{
    return time_after_us(PATIENCE_US);
}

bool wait_more(u64 deadline)
{
    if (time_now() >= deadline)
        return false;
    thread_sleep_us(STEP_US);
    return true;
}

u32 live_objects(const char *class_name)
{
    struct sys_class class_info;
    u32 count = 0;

    for (u32 index = 0; sys_class_get(index, &class_info) == 0; index++) {
        if (strcmp(class_info.name, class_name) == 0)
            count += class_info.live;
    }
    return count;
}
