// SPDX-License-Identifier: MIT
// Reference counts.
#ifndef KERNEL_MEM_REFS_H
#define KERNEL_MEM_REFS_H

#include <kernel/spinlock.h>

static inline void refs_get(u64 *refs)
{
    atomic_add(refs, 1);
}

// The number of references that are left. What was done with the object before is seen by whoever gets 0.
static inline u64 refs_put(u64 *refs)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    u64 left = atomic_add(refs, UINT64_MAX) - 1;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return left;
}

#endif
