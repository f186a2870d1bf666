// SPDX-License-Identifier: MIT
// Patching the program's own text (sys_text_patch), in batches that exclude each other.
#include <orrery/memory.h>
#include <user/lock.h>
#include <user/objects.h>

#define PPC_NOP 0x60000000u
#define PPC_BRANCH 0x48000000u
#define PPC_BRANCH_RANGE 0x03fffffcu

static struct mutex batch;
static u64 failures;

void user_patch_begin(void)
{
    mutex_lock(&batch);
}

void user_patch_end(void)
{
    mutex_unlock(&batch);
}

// Programs are far smaller than the reach of a branch, ±32 MB.
static u32 branch(const u32 *from, const void *to)
{
    return PPC_BRANCH | ((u32)((u64)to - (u64)from) & PPC_BRANCH_RANGE);
}

void user_patch(u32 *instruction, const void *target)
{
    u32 old = __atomic_load_n(instruction, __ATOMIC_RELAXED);
    u32 new = target != NULL ? branch(instruction, target) : PPC_NOP;
    if (old != new &&sys_text_patch((u64)instruction, old, new) != 0)
        __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

u64 user_patch_failures(void)
{
    return __atomic_load_n(&failures, __ATOMIC_RELAXED);
}
