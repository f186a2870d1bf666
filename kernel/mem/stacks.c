// SPDX-License-Identifier: MIT
// Kernel stacks: each the upper half of a 64 KB-aligned unit of address space; the lower half is
// the guard, so exception entry can tell by one bit whether a stack has room left.
#include <kernel/memory.h>
#include <kernel/sanitize.h>
#include <kernel/spinlock.h>

static struct spinlock lock = SPINLOCK_INIT("stacks", RANK_MMU);
static u64 stack_units[STACK_UNITS / 64]; // bit set: in use

static u64 take_stack_unit(void)
{
    u64 unit = 0;

    spin_lock(&lock);
    while (unit < STACK_UNITS && (stack_units[unit / 64] >> (unit % 64) & 1))
        unit++;
    if (unit < STACK_UNITS)
        stack_units[unit / 64] |= 1UL << (unit % 64);
    spin_unlock(&lock);
    return unit;
}

static void give_stack_unit(u64 unit)
{
    spin_lock(&lock);
    stack_units[unit / 64] &= ~(1UL << (unit % 64));
    spin_unlock(&lock);
}

u64 stack_alloc(void)
{
    u32 order = pages_order(STACK_UNIT / 2);
    u64 unit = take_stack_unit();

    if (unit == STACK_UNITS)
        return 0;
    void *memory = pages_alloc_zeroed(order);
    u64 bottom = STACKS_BASE + unit * STACK_UNIT + STACK_UNIT / 2;
    if (memory == NULL) {
        give_stack_unit(unit);
        return 0;
    }
    if (mmu_map(bottom, virt_to_phys(memory), 1UL << order, MMU_READ | MMU_WRITE) != 0 ||
        sanitize_stack_map(bottom, memory) != 0) {
        mmu_unmap(bottom, 1UL << order);
        pages_free(memory, order);
        give_stack_unit(unit);
        return 0;
    }
    return STACKS_BASE + (unit + 1) * STACK_UNIT;
}

void stack_free(u64 top)
{
    u32 order = pages_order(STACK_UNIT / 2);
    u64 bottom = top - STACK_UNIT / 2;
    void *memory = phys_to_virt(mmu_lookup(bottom));

    sanitize_stack_unmap(bottom);
    mmu_unmap(bottom, 1UL << order);
    pages_free(memory, order);
    give_stack_unit((top - STACKS_BASE) / STACK_UNIT - 1);
}
