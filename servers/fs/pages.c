// SPDX-License-Identifier: MIT
// The account of the pages of memory files and pipes.
#include "pages.h"

static u64 used, limit = UINT64_MAX;

bool pages_take(u64 count)
{
    if (__atomic_add_fetch(&used, count, __ATOMIC_RELAXED) <= limit)
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
