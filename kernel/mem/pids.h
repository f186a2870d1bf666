// SPDX-License-Identifier: MIT
// PIDs of the MMU, and top-level tables for them.
#ifndef KERNEL_MEM_PIDS_H
#define KERNEL_MEM_PIDS_H

#include <orrery/types.h>

// Takes a PID that nobody uses, with nothing of it in any TLB. Returns it, or E_LIMIT if there is
// none. Any context but PMI, locks of rank < RANK_HAT held.
s64 mmu_pid_take(void);
// Flushes all TLBs; its tables have been taken away.
void mmu_pid_give(u32 pid);

#define USER_PGD_ENTRIES 64
// Returns a zeroed PGD (64 KB), from a small stock if it has one, or NULL if out of memory.
u64 *pgd_take(void);
// Gives a PGD back. The first USER_PGD_ENTRIES may be in any state, the rest is zero.
void pgd_give(u64 *pgd);

#endif
