// SPDX-License-Identifier: MIT
// What the kernel gives its threads and a process has itself.
#include <orrery/sys.h>
#include <stdlib.h>
#include <user/time.h>

u64 sys_time(void)
{
    return time_now();
}

void *sys_memory_alloc(u64 bytes)
{
    return calloc(1, bytes);
}

void sys_memory_free(void *memory)
{
    free(memory);
}
