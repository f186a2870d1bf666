// SPDX-License-Identifier: MIT
// Radix translation: one kernel map for all CPUs (quadrant 3 always uses process table entry 0).
// The linear map uses 2 MB leaves; everything else 4 KB ones.
#include "radix.h"

#include <kernel/hcall.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/sanitize.h>
#include <kernel/spinlock.h>
#include <orrery/errors.h>
#include <string.h>

#define LEAF (PTE_PAGE | PTE_PRIVILEGED)

// Radix tree size 52 bits, as the tables' geometry asks.
#define TREE_SIZE_FIELD 0x40000000000000a0UL
#define PROC_TBL_RADIX_NEW 0x1d
#define PROC_TBL_SIZE 4 // 2^(12 + 4) bytes

extern char text_start[], text_end[], rodata_start[], data_start[];

static u64 pgd[1 << PGD_BITS] __attribute__((aligned(0x10000)));
// Low addresses belong to the process named by PIDR; without one, nothing is there: a NULL
// pointer faults. (With PID 0 they would show the kernel's own map: docs/design/platform.md.)
static u64 no_user_pgd[1 << PGD_BITS] __attribute__((aligned(0x10000)));
static u64 process_table[2 * MMU_PIDS] __attribute__((aligned(0x10000)));
_Static_assert(sizeof(process_table) == 1UL << (12 + PROC_TBL_SIZE), "size field");
static struct spinlock lock = SPINLOCK_INIT("mmu", RANK_MMU);

// Returns the table that entry points to. A missing one is made if create is set, else NULL.
static u64 *next_table(u64 *entry, bool create)
{
    if (*entry & PTE_VALID)
        return phys_to_virt(*entry & PTE_ADDRESS);
    if (!create)
        return NULL;
    u64 *table = pages_alloc_zeroed(0);
    if (table == NULL)
        return NULL;
    __asm__ volatile("ptesync" ::: "memory");
    *entry = table_entry(table);
    return table;
}

// Returns the entry for virtual at a level (0: 4 KB page, 1: 2 MB), or NULL.
static u64 *find_entry(u64 virtual, u32 level, bool create)
{
    u64 *entry = &pgd[pgd_index(virtual)];

    for (u32 step = 2;; step--) {
        u64 *table = next_table(entry, create);
        if (table == NULL)
            return NULL;
        entry = &table[table_index(virtual, step)];
        if (step == level)
            return entry;
        if (*entry & PTE_LEAF)
            return NULL;
    }
}

static u64 leaf_bits(u32 prot)
{
    return LEAF | (prot & MMU_READ ? PTE_READ : 0) | (prot & MMU_WRITE ? PTE_WRITE : 0) |
           (prot & MMU_EXEC ? PTE_EXEC : 0);
}

// tlbie of one page of all CPUs: process-scoped (PRS), radix (R), page size 4 KB or 2 MB.
static void flush(u64 virtual, u32 actual_page)
{
    u64 rb = (virtual & ~0xfffUL) | (u64)actual_page << 5;

    __asm__ volatile("ptesync\n"
                     ".machine push\n"
                     ".machine power9\n"
                     "tlbie %0,%1,0,1,1\n"
                     ".machine pop\n"
                     "eieio\n"
                     "tlbsync\n"
                     "ptesync" ::"r"(rb),
                     "r"(0UL)
                     : "memory");
}

int mmu_map(u64 virtual, u64 physical, u64 pages, u32 prot)
{
    int result = 0;

    spin_lock(&lock);
    for (u64 i = 0; i < pages && result == 0; i++) {
        u64 address = virtual + i * PAGE_SIZE;
        u64 *entry = find_entry(address, 0, true);
        if (entry == NULL) {
            result = E_NOMEM;
        } else if ((*entry & PTE_VALID) && !(prot & MMU_REPLACE)) {
            result = E_EXIST;
        } else {
            bool present = *entry & PTE_VALID;
            *entry = leaf_bits(prot) | (physical + i * PAGE_SIZE);
            if (present)
                flush(address, 0);
        }
    }
    __asm__ volatile("ptesync" ::: "memory");
    spin_unlock(&lock);
    return result;
}

void mmu_unmap(u64 virtual, u64 pages)
{
    spin_lock(&lock);
    for (u64 i = 0; i < pages; i++) {
        u64 address = virtual + i * PAGE_SIZE;
        u64 *entry = find_entry(address, 0, false);
        if (entry != NULL && (*entry & PTE_VALID)) {
            *entry = 0;
            flush(address, 0);
        }
    }
    spin_unlock(&lock);
}

u64 mmu_lookup(u64 virtual)
{
    u64 *entry = find_entry(virtual, 1, false);

    if (entry == NULL || !(*entry & PTE_VALID))
        return 0;
    if (*entry & PTE_LEAF)
        return (*entry & PTE_ADDRESS) + (virtual & (HUGE_SIZE - 1));
    entry = find_entry(virtual, 0, false);
    if (entry == NULL || !(*entry & PTE_VALID))
        return 0;
    return (*entry & PTE_ADDRESS) + (virtual & (PAGE_SIZE - 1));
}

// Text (with the vectors below 2 MB) may be executed, read-only data only read.
static u32 linear_protection(u64 physical)
{
    u64 address = (u64)phys_to_virt(physical);

    if (physical < HUGE_SIZE)
        return MMU_READ | MMU_EXEC;
    if (address >= (u64)text_start && address < (u64)rodata_start)
        return MMU_READ | MMU_EXEC;
    if (address >= (u64)rodata_start && address < (u64)data_start)
        return MMU_READ;
    return MMU_READ | MMU_WRITE;
}

void mmu_set_tables(u32 pid, const u64 *tables)
{
    process_table[2 * pid] = tables == NULL ? 0 : TREE_SIZE_FIELD | virt_to_phys(tables) | PGD_BITS;
}

void mmu_build(u64 memory_bytes)
{
    for (u64 physical = 0; physical < memory_bytes; physical += HUGE_SIZE) {
        u64 *entry = find_entry((u64)phys_to_virt(physical), 1, true);
        KASSERT(entry != NULL);
        *entry = leaf_bits(linear_protection(physical)) | physical;
    }
    sanitize_map(pgd);
    mmu_set_tables(MMU_PID_KERNEL, pgd);
    mmu_set_tables(MMU_PID_NO_USER, no_user_pgd);
    __asm__ volatile("ptesync" ::: "memory");
    s64 status = HCALL(H_REGISTER_PROC_TBL, PROC_TBL_RADIX_NEW, virt_to_phys(process_table), 0,
                       PROC_TBL_SIZE);
    if (status != H_SUCCESS)
        panic("no radix translation: H_REGISTER_PROC_TBL returns %ld", status);
}

void mmu_init_cpu(void)
{
    mmu_set_pid(MMU_PID_NO_USER);
}

u64 mmu_open_text_alias(void)
{
    for (char *text = text_start; text < text_end; text += HUGE_SIZE) {
        u64 *entry = find_entry((u64)text + TEXT_ALIAS_OFFSET, 1, true);
        if (entry == NULL)
            panic("out of memory for the view of the text that patching needs");
        *entry = leaf_bits(MMU_READ | MMU_WRITE) | virt_to_phys(text);
    }
    __asm__ volatile("ptesync" ::: "memory");
    return TEXT_ALIAS_OFFSET;
}

void mmu_close_text_alias(void)
{
    for (char *text = text_start; text < text_end; text += HUGE_SIZE) {
        u64 *entry = find_entry((u64)text + TEXT_ALIAS_OFFSET, 1, false);
        *entry = 0;
        flush((u64)text + TEXT_ALIAS_OFFSET, 1);
    }
}
