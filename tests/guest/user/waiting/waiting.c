// SPDX-License-Identifier: MIT
// Waiting for what must come.
#include "waiting.h"

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
