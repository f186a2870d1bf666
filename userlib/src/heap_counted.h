// SPDX-License-Identifier: MIT
// malloc and user_alloc are counted, and made to fail, by the kernel for tests (sys_memory_fail).
// Else this costs a look at the dispatcher's page. Also inside the scheduler.
#ifndef USERLIB_HEAP_COUNTED_H
#define USERLIB_HEAP_COUNTED_H

#include <orrery/types.h>
#include <orrery/user.h>

// Tell the kernel. The first returns whether malloc must fail.
bool heap_counted_take(void);
void heap_counted_give(void);

static inline bool heap_is_counted(void)
{
    u32 counted;

    __asm__ volatile("lwz %0,%1(13)" : "=r"(counted) : "i"(DISPATCHER_HEAP_COUNTED));
    return __builtin_expect(counted != 0, 0);
}

// An allocation: returns whether it must fail.
static inline bool heap_refuses(void)
{
    return heap_is_counted() && heap_counted_take();
}

static inline void heap_gives(const void *memory)
{
    if (heap_is_counted() && memory != NULL)
        heap_counted_give();
}

// Another size of a block: as an allocation, after which there are no more blocks than before.
// newlib itself allocates for the first block, and when it has to move one.
static inline bool heap_refuses_more(const void *memory)
{
    if (!heap_is_counted() || memory == NULL)
        return false;
    if (heap_counted_take())
        return true;
    heap_counted_give();
    return false;
}

#endif
