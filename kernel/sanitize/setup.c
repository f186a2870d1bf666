// SPDX-License-Identifier: MIT
// The shadow's first contents: of the image, of memory that nobody has, and of what is mapped
// elsewhere.
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/sanitize.h>

#include "globals.h"
#include "mem/radix.h"
#include "shadow.h"

#define VECTORS_END 0x10000 // below: the vectors; above, up to the image: firmware's

extern char text_start[], image_end[];

static u64 linear(u64 physical)
{
    return (u64)phys_to_virt(physical);
}

// The shadow of the image is clear already (boot/src/start.S).
void sanitize_init(u64 memory_bytes, u64 first_free, u64 *hole, u64 *hole_end)
{
    *hole = SANITIZE_SHADOW_START;
    *hole_end = SANITIZE_SHADOW_START + (memory_bytes >> SHADOW_SHIFT);
    KASSERT(*hole_end < memory_bytes); // 256 MB are the least that an emulated machine has
    if (first_free > *hole)
        panic("image and initial file system reach into the address sanitizer's shadow at %#lx",
              *hole);
    shadow_begin(memory_bytes);
    u64 after_image = virt_to_phys(image_end);
    shadow_unpoison(linear(after_image), first_free - after_image);
    shadow_poison(linear(first_free), memory_bytes - first_free, SHADOW_PAGE_FREE);
    shadow_poison(linear(*hole), *hole_end - *hole, SHADOW_NOBODY);
    shadow_poison(linear(VECTORS_END), virt_to_phys(text_start) - VECTORS_END, SHADOW_NOBODY);
    globals_register();
}

void sanitize_reserve(u64 start, u64 end)
{
    shadow_unpoison(linear(start), end - start);
}

// ---- what is mapped elsewhere -------------------------------------------------------------------

// Windows, and what is mapped twice, have a shadow of zeroes, one page for all: what is not there
// faults by itself. Stacks have the shadow of their memory (stacks.c). All other addresses, those
// of users among them, have no shadow: to look at it is a fault (fault.c).
static u8 zeroes[PAGE_SIZE] __attribute__((aligned(4096)));
static u64 zero_tables[3][TABLE_ENTRIES] __attribute__((aligned(4096)));

static void fill(u64 *table, u64 entry)
{
    for (u32 i = 0; i < TABLE_ENTRIES; i++)
        table[i] = entry;
}

// Maps zeroes for the 512 GB of shadow around that of an address.
static void map_zeroes(u64 *pgd, u64 address)
{
    pgd[pgd_index((u64)shadow_of(address))] = table_entry(zero_tables[2]);
}

void sanitize_map(u64 *pgd)
{
    fill(zero_tables[0], PTE_PAGE | PTE_PRIVILEGED | PTE_READ | virt_to_phys(zeroes));
    fill(zero_tables[1], table_entry(zero_tables[0]));
    fill(zero_tables[2], table_entry(zero_tables[1]));
    map_zeroes(pgd, PERCPU_WINDOW_BASE);
    map_zeroes(pgd, LOG_WINDOWS_BASE);
    map_zeroes(pgd, (u64)text_start + TEXT_ALIAS_OFFSET);
}
