// SPDX-License-Identifier: MIT
// Run-time patching of instructions in read-only text.
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/patch.h>
#include <kernel/spinlock.h>

#define BRANCH_REACH 0x2000000

#define PENDING_MAX 1024 // several times all points and sites of the kernel

static struct spinlock lock = SPINLOCK_INIT("patch", RANK_PATCH);
static u64 alias; // offset from text to its writable view, while a batch is open
static u64 batch; // the open one, or the last

// Words that were stored once. An emulator takes translations of a word back just before the store
// (docs/design/platform.md).
// Another CPU that translates it in between goes on with the old instruction, for good. Once every
// CPU has let go of what it was translating, a second store of the same value takes such
// translations back.
static struct {
    u32 *instruction;
    u64 batch;
} pending[PENDING_MAX];
static u32 pending_count;

u32 ppc_branch(const void *from, const void *to)
{
    s64 distance = (s64)((u64)to - (u64)from);

    if (distance < -BRANCH_REACH || distance >= BRANCH_REACH)
        panic("a branch from %p does not reach %p", from, to);
    return 0x48000000u | ((u32)distance & 0x03fffffcu);
}

// A function's descriptor begins with the address of its code.
u32 ppc_branch_to(const void *from, void (*function)(void))
{
    return ppc_branch(from, *(const void *const *)function);
}

static void open_view(void)
{
    spin_lock(&lock);
    alias = mmu_open_text_alias();
}

static void store(u32 *instruction, u32 value)
{
    *(volatile u32 *)((u64)instruction + alias) = value;
    __asm__ volatile("dcbst 0,%0\n"
                     "sync\n"
                     "icbi 0,%0\n" ::"r"(instruction)
                     : "memory");
}

static void patch_synchronise(void *unused)
{
    (void)unused;
    __asm__ volatile("isync" ::: "memory");
}

static void close_view(void)
{
    __asm__ volatile("sync\nisync" ::: "memory");
    mmu_close_text_alias();
    spin_unlock(&lock);
    cpus_call(UINT64_MAX, patch_synchronise, NULL);
}

void patch_begin(void)
{
    open_view();
    batch++;
}

void patch_word(u32 *instruction, u32 value)
{
    KASSERT(spin_held(&lock));
    KASSERT(pending_count < PENDING_MAX);
    store(instruction, value);
    pending[pending_count].instruction = instruction;
    pending[pending_count++].batch = batch;
}

// Stores the batch's words once more. Another batch may have begun meanwhile: its words are not
// ours to settle, and their values not ours to choose.
static void resolve(u64 of_batch)
{
    u32 kept = 0;

    for (u32 i = 0; i < pending_count; i++) {
        if (pending[i].batch != of_batch)
            pending[kept++] = pending[i];
        else
            store(pending[i].instruction, *(volatile u32 *)pending[i].instruction);
    }
    pending_count = kept;
}

void patch_end(void)
{
    u64 of_batch = batch;

    close_view();
    open_view();
    resolve(of_batch);
    close_view();
}
