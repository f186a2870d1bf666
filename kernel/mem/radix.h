// SPDX-License-Identifier: MIT
// Radix translation as the hardware defines it: levels of 13, 9, 9 and 9 bits over 4 KB pages,
// entries, and the instructions that make TLBs forget.
#ifndef KERNEL_MEM_RADIX_H
#define KERNEL_MEM_RADIX_H

#include <kernel/memory.h>

#define PGD_BITS 13
#define PGD_ORDER 4 // 64 KB
#define TABLE_BITS 9
#define TABLE_ENTRIES (1u << TABLE_BITS)
#define HUGE_SIZE 0x200000UL

#define TEXT_ALIAS_OFFSET 0x0000200000000000UL // from text to its writable view

#define PTE_VALID 0x8000000000000000UL
#define PTE_LEAF 0x4000000000000000UL
#define PTE_REFERENCED 0x100UL
#define PTE_CHANGED 0x080UL
#define PTE_PRIVILEGED 0x008UL
#define PTE_READ 0x004UL
#define PTE_WRITE 0x002UL
#define PTE_EXEC 0x001UL
#define PTE_ADDRESS 0x01fffffffffff000UL
// R and C are set beforehand: the hardware then never has to write an entry.
#define PTE_PAGE (PTE_VALID | PTE_LEAF | PTE_REFERENCED | PTE_CHANGED)

#define MMU_PIDS 4096
#define MMU_PID_KERNEL 0
#define MMU_PID_NO_USER 1

static inline u32 pgd_index(u64 virtual)
{
    return (u32)(virtual >> 39) & ((1 << PGD_BITS) - 1);
}

static inline u32 table_index(u64 virtual, u32 level)
{
    return (u32)(virtual >> (12 + level * TABLE_BITS)) & (TABLE_ENTRIES - 1);
}

static inline u64 table_entry(const void *table)
{
    return PTE_VALID | virt_to_phys(table) | TABLE_BITS;
}

// Sets the tables of an MMU PID. Without any (NULL) every access faults.
void mmu_set_tables(u32 pid, const u64 *pgd);

// Make TLBs forget one user page, or a PID with all that is cached of its tables, or all PIDs.
// local: in this CPU's TLB only, else in all CPUs'. Stores to tables before the call are ordered
// before the flush. Any context.
void mmu_flush_page(u32 pid, u64 virtual, bool local);
void mmu_flush_pid(u32 pid, bool local);
void mmu_flush_all(void);
// Get and set this CPU's PIDR.
u32 mmu_current_pid(void);
void mmu_set_pid(u32 pid);

#endif
