// SPDX-License-Identifier: MIT
// Time and memory for the server, supplied by its process.
#include "queue.h"

#include <orrery/sys.h>
#include <stdlib.h>
#include <user/time.h>

u64 sys_time(void)
{
    return time_now();
}

void *queue_memory_alloc(u64 bytes)
{
    return calloc(1, bytes);
}

void queue_memory_free(void *memory)
{
    free(memory);
}
