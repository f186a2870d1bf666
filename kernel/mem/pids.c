// SPDX-License-Identifier: MIT
// PIDs of the MMU, handed out round robin, and the stock of top-level tables. A table has 64 KB, of
// which a user space uses 512 bytes. So it is much cheaper to clear those and keep the table than
// to take a fresh one.
#include "pids.h"

#include "radix.h"

#include <kernel/spinlock.h>
#include <orrery/errors.h>
#include <orrery/user.h>
#include <string.h>

#define STOCK_MAX 8
#define WORDS (MMU_PIDS / 64)

_Static_assert(USER_END >> 39 == USER_PGD_ENTRIES, "entries that user addresses reach");

static struct spinlock lock = SPINLOCK_INIT("MMU PIDs", RANK_HAT);
static u64 used[WORDS] = {1UL << MMU_PID_KERNEL | 1UL << MMU_PID_NO_USER};
static u32 next_word;
static u64 *stock[STOCK_MAX];
static u32 stocked;

s64 mmu_pid_take(void)
{
    s64 pid = E_LIMIT;

    spin_lock(&lock);
    for (u32 i = 0; i < WORDS && pid < 0; i++) {
        u32 word = (next_word + i) % WORDS;
        if (~used[word] == 0)
            continue;
        u32 bit = (u32)__builtin_ctzl(~used[word]);
        used[word] |= 1UL << bit;
        pid = word * 64 + bit;
        next_word = (word + 1) % WORDS;
    }
    spin_unlock(&lock);
    return pid;
}

void mmu_pid_give(u32 pid)
{
    mmu_flush_pid(pid, false);
    spin_lock(&lock);
    used[pid / 64] &= ~(1UL << pid % 64);
    spin_unlock(&lock);
}

u64 *pgd_take(void)
{
    u64 *pgd = NULL;

    spin_lock(&lock);
    if (stocked > 0)
        pgd = stock[--stocked];
    spin_unlock(&lock);
    return pgd != NULL ? pgd : pages_alloc_for_caller(PGD_ORDER);
}

void pgd_give(u64 *pgd)
{
    memset(pgd, 0, USER_PGD_ENTRIES * sizeof(*pgd));
    spin_lock(&lock);
    if (stocked < STOCK_MAX) {
        stock[stocked++] = pgd;
        pgd = NULL;
    }
    spin_unlock(&lock);
    if (pgd != NULL)
        pages_free(pgd, PGD_ORDER);
}
