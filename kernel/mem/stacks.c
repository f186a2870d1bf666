// SPDX-License-Identifier: MIT
// Kernel stacks: each the upper half of a 64 KB-aligned unit of address space; the lower half is
// the guard, so exception entry can tell by one bit whether a stack has room left. A few stay
// mapped for the next threads.
#include <kernel/memory.h>
#include <kernel/sanitize.h>
#include <kernel/spinlock.h>

#include "fcm.h"

#define KEPT_MAX 4

static struct spinlock lock = SPINLOCK_INIT("stacks", RANK_MMU);
static u64 stack_units[STACK_UNITS / 64]; // bit set: in use, or kept
// Zeroed, and mapped at the upper half of their units.
static struct kept {
    u64 bottom;
    void *memory;
} kept[KEPT_MAX];
static u32 kept_count;

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

static struct kept take_kept(void)
{
    struct kept stack = {0};

    spin_lock(&lock);
    if (kept_count > 0)
        stack = kept[--kept_count];
    spin_unlock(&lock);
    return stack;
}

static bool keep(struct kept stack)
{
    for (u64 at = 0; at < STACK_UNIT / 2; at += PAGE_SIZE)
        frame_zero(virt_to_phys(stack.memory) + at);
    spin_lock(&lock);
    bool room = kept_count < KEPT_MAX;
    if (room)
        kept[kept_count++] = stack;
    spin_unlock(&lock);
    return room;
}

// Nothing of the stack is left.
static void release(struct kept stack)
{
    u32 order = pages_order(STACK_UNIT / 2);

    mmu_unmap(stack.bottom, 1UL << order);
    pages_free(stack.memory, order);
    give_stack_unit((stack.bottom - STACKS_BASE) / STACK_UNIT);
}

static struct kept make_stack(void)
{
    u32 order = pages_order(STACK_UNIT / 2);
    u64 unit = take_stack_unit();

    if (unit == STACK_UNITS)
        return (struct kept){0};
    struct kept stack = {STACKS_BASE + unit * STACK_UNIT + STACK_UNIT / 2,
                         pages_alloc_for_caller(order)};
    if (stack.memory == NULL) {
        give_stack_unit(unit);
        return (struct kept){0};
    }
    if (mmu_map(stack.bottom, virt_to_phys(stack.memory), 1UL << order, MMU_READ | MMU_WRITE) == 0)
        return stack;
    release(stack);
    return (struct kept){0};
}

u64 stack_alloc(void)
{
    struct kept stack = take_kept();

    if (stack.memory == NULL)
        stack = make_stack();
    if (stack.memory == NULL)
        return 0;
    if (sanitize_stack_map(stack.bottom, stack.memory) == 0)
        return stack.bottom + STACK_UNIT / 2;
    release(stack);
    return 0;
}

void stack_free(u64 top)
{
    u64 bottom = top - STACK_UNIT / 2;
    struct kept stack = {bottom, phys_to_virt(mmu_lookup(bottom))};

    sanitize_stack_unmap(bottom);
    if (!keep(stack))
        release(stack);
}
