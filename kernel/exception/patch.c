// SPDX-License-Identifier: MIT
// Run-time patching of instructions in read-only text.
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/patch.h>
#include <kernel/spinlock.h>

#define BRANCH_REACH 0x2000000

static struct spinlock lock = SPINLOCK_INIT("patch", RANK_PATCH);
static u64 alias; // offset from text to its writable view, while a batch is open

u32 ppc_branch(const void *from, const void *to)
{
    s64 distance = (s64)((u64)to - (u64)from);

    if (distance < -BRANCH_REACH || distance >= BRANCH_REACH)
        panic("a branch from %p does not reach %p", from, to);
    return 0x48000000u | ((u32)distance & 0x03fffffcu);
}

void patch_begin(void)
{
    spin_lock(&lock);
    alias = mmu_open_text_alias();
}

void patch_word(u32 *instruction, u32 value)
{
    KASSERT(spin_held(&lock));
    *(volatile u32 *)((u64)instruction + alias) = value;
    __asm__ volatile("dcbst 0,%0\n"
                     "sync\n"
                     "icbi 0,%0\n" ::"r"(instruction)
                     : "memory");
}

static void synchronise(void *unused)
{
    (void)unused;
    __asm__ volatile("isync" ::: "memory");
}

void patch_end(void)
{
    __asm__ volatile("sync\nisync" ::: "memory");
    mmu_close_text_alias();
    spin_unlock(&lock);
    cpus_call(UINT64_MAX, synchronise, NULL);
}
