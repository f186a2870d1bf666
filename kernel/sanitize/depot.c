// SPDX-License-Identifier: MIT
// A hash table that only grows: readers take no lock, since a chain is whole before it is linked.
#include "depot.h"

#include <kernel/console.h>
#include <kernel/frame.h>
#include <kernel/memory.h>
#include <kernel/spinlock.h>
#include <kernel/symbols.h>
#include <string.h>

#define CHAINS_MAX 16384
#define BUCKETS 8192
#define STACK_BYTES (STACK_UNIT / 2)
#define LR_HOME 16

extern const char text_start[], exception_return[];

struct chain {
    u32 next; // in its bucket; 0: the last
    u32 count;
    u32 pcs[DEPOT_FRAMES]; // from text_start
};

static struct chain chains[CHAINS_MAX]; // 0 is none
static u32 buckets[BUCKETS];
static u32 chain_count = 1;
static u64 refused;
static struct spinlock lock = SPINLOCK_INIT("depot", RANK_DEPOT);

static u32 hash(const u32 *pcs, u32 count)
{
    u64 value = count;

    for (u32 i = 0; i < count; i++)
        value = (value ^ pcs[i]) * 0x9e3779b97f4a7c15;
    return (u32)(value >> 40) % BUCKETS;
}

static u32 depot_find(u32 bucket, const u32 *pcs, u32 count)
{
    u32 number = __atomic_load_n(&buckets[bucket], __ATOMIC_ACQUIRE);

    while (number != 0 && (chains[number].count != count ||
                           memcmp(chains[number].pcs, pcs, count * sizeof(*pcs)) != 0))
        number = chains[number].next;
    return number;
}

static u32 depot_add(u32 bucket, const u32 *pcs, u32 count)
{
    spin_lock(&lock);
    u32 number = depot_find(bucket, pcs, count);
    if (number == 0 && chain_count < CHAINS_MAX) {
        number = chain_count++;
        chains[number].next = buckets[bucket];
        chains[number].count = count;
        memcpy(chains[number].pcs, pcs, count * sizeof(*pcs));
        __atomic_store_n(&buckets[bucket], number, __ATOMIC_RELEASE);
    }
    if (number == 0)
        refused++;
    spin_unlock(&lock);
    return number;
}

// Walks the frames on this stack, innermost first. Every function on it is in a call, so its return
// address is where the ABI has it, and the unwind map is not needed. Except for interrupted code,
// whose pc stands in the frame of the exception.
static u32 walk(u64 sp, u32 *pcs)
{
    u64 top = ALIGN_UP(sp, STACK_BYTES);
    u32 count = 0;

    while (count < DEPOT_FRAMES) {
        u64 caller = *(const u64 *)sp;
        if (caller <= sp || caller >= top)
            break;
        u64 pc = *(const u64 *)(caller + LR_HOME);
        pcs[count++] = (u32)(pc - (u64)text_start);
        sp = caller;
        if (pc == (u64)exception_return - 4 && count < DEPOT_FRAMES) {
            pcs[count++] = (u32)(*(const u64 *)(sp + FRAME_PC) - (u64)text_start);
            sp = *(const u64 *)sp;
        }
    }
    return count;
}

__attribute__((noipa)) u32 depot_put(void)
{
    u64 own = *(const u64 *)__builtin_frame_address(0); // of who calls this
    u32 pcs[DEPOT_FRAMES];
    u32 count = walk(*(const u64 *)own, pcs);
    u32 bucket = hash(pcs, count);
    u32 number = depot_find(bucket, pcs, count);

    return number != 0 ? number : depot_add(bucket, pcs, count);
}

void depot_print(u32 number)
{
    if (number == 0)
        kprintf("    (not recorded: %lu chains refused)\n", refused);
    for (u32 i = 0; number != 0 && i < chains[number].count; i++) {
        u64 pc = (u64)text_start + chains[number].pcs[i], offset = 0;
        const char *name = symbol_find(pc, &offset);
        kprintf("    from %016lx %s+%#lx\n", pc, name != NULL ? name : "?", offset);
    }
}
