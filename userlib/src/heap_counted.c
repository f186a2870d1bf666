// SPDX-License-Identifier: MIT
// Tells the kernel of what malloc and user_alloc take and give back, while it counts that.
#include "heap_counted.h"

#include "scheduler.h"

#include <orrery/sys.h>
#include <string.h>
#include <user/scheduler.h>

#define BELOW_CALLER 1 // return addresses in the allocation function

bool heap_counted_take(void)
{
    u64 callers[BELOW_CALLER + SYS_MEMORY_CALLERS] = {0};
    struct sys_memory_callers told;

    if (thread_current() != NULL)
        user_stack_walk_here(callers, ARRAY_SIZE(callers));
    memcpy(told.callers, callers + BELOW_CALLER, sizeof(told.callers));
    return sys_memory_heap(true, &told) == 1;
}

void heap_counted_give(void)
{
    const struct sys_memory_callers nobody = {{0}};

    sys_memory_heap(false, &nobody);
}
