// SPDX-License-Identifier: MIT
// The account of the pages of memory files and pipes.
#include "pages.h"

#include <orrery/process.h>
#include <user/process.h>
#include <user/thread.h>

static u64 used, limit = UINT64_MAX;
static u32 slot; // of each thread: the process for which it works

s64 pages_start(void)
{
    s64 own = thread_slot();
    if (own < 0)
        return own;
    slot = (u32)own;
    return 0;
}

void pages_work_for(u32 pid)
{
    thread_set(slot, (void *)(uintptr_t)pid);
}

// May the process for which this thread works take from the last pages? The server itself may.
static bool may_take_the_last(void)
{
    u32 pid = (u32)(uintptr_t)thread_get(slot);
    return pid == 0 || process_has_right(pid, RIGHT_ALL);
}

bool pages_take(u64 count)
{
    u64 now = __atomic_add_fetch(&used, count, __ATOMIC_RELAXED);
    if (now <= limit - limit / PAGES_KEPT || (now <= limit && may_take_the_last()))
        return true;
    pages_return(count);
    return false;
}

void pages_return(u64 count)
{
    __atomic_sub_fetch(&used, count, __ATOMIC_RELAXED);
}

u64 memory_files_bytes(void)
{
    return __atomic_load_n(&used, __ATOMIC_RELAXED) * PAGE;
}

void memory_files_limit(u64 bytes)
{
    limit = bytes / PAGE;
}

u64 memory_files_limit_get(void)
{
    return limit > UINT64_MAX / PAGE ? UINT64_MAX : limit * PAGE;
}
