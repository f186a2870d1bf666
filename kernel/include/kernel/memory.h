// SPDX-License-Identifier: MIT
// Kernel memory: physical pages, small objects, address translation.
#ifndef KERNEL_MEMORY_H
#define KERNEL_MEMORY_H

#include <orrery/types.h>

#define PAGE_SHIFT 12
#define PAGE_SIZE 4096UL
#ifndef LINEAR_BASE                      // host tests have their own
#define LINEAR_BASE 0xC000000000000000UL // physical 0 in the kernel's linear map
#endif

static inline u64 virt_to_phys(const void *linear)
{
    return (u64)linear - LINEAR_BASE;
}

static inline void *phys_to_virt(u64 physical)
{
    return (void *)(physical + LINEAR_BASE);
}

// Allocates 2^order contiguous pages, naturally aligned. Returns a linear-map address, or NULL.
// Contents undefined. order <= 12. Thread or interrupt context, not PMI.
void *pages_alloc(u32 order);
void *pages_alloc_zeroed(u32 order);
// Frees exactly what pages_alloc returned.
void pages_free(void *pages, u32 order);
// Does as pages_alloc for the allocator of small objects, whose own callers can fail (failing.h).
void *pages_alloc_for_heap(u32 order);
// Returns the smallest order whose block holds bytes.
u32 pages_order(u64 bytes);

struct pages_stat {
    u64 total, free; // pages
    u64 allocations, frees, failures;
};
void pages_stat(struct pages_stat *stat);

// Makes [first_free, memory_bytes) available, less the allocator's page table at its start. Set-up,
// on the boot CPU.
void pages_init(u64 memory_bytes, u64 first_free);

// Allocates a small object of any size up to 16 MB (large ones come from pages). It is aligned to
// 16 bytes, and to the largest power of two that divides bytes, up to KMALLOC_ALIGNMENT_MAX: enough
// for any type of that size. Returns NULL if out of memory. Thread or interrupt context, not PMI.
// With the boot option `poison` freed memory is filled with junk, which panics know again in an
// address: these bytes.
#define JUNK_OBJECTS 0xdd
#define JUNK_PAGES 0xdb
#define KMALLOC_ALIGNMENT_MAX 128
void *kmalloc(u64 bytes);
void *kzalloc(u64 bytes);
void kfree(void *object);               // NULL is ignored
u64 kmalloc_usable(const void *object); // bytes of room in it

struct heap_stat {
    u64 objects, bytes; // allocated, with their rooms
    u64 pages;          // of them and of what is kept for the next ones
};
// Counts what there is: takes milliseconds. Exact while nobody else allocates. Thread context.
void heap_stat(struct heap_stat *stat);

// Returns whether the calling process may have another kernel object. False if little memory is
// left, and that is kept for processes with a right: then the call must fail with E_NOMEM. Thread
// context, no lock held: may reclaim.
bool memory_for_caller(void);
// Returns whether the kernel may allocate for the calling process. That goes on a little longer
// than the process gets pages of its own, but never into what processes of the next class may have
// (kernel/mem/pm.c). Any context but PMI. For kmalloc.
bool memory_for_kernel(void);
// Allocates zeroed pages that the kernel needs for the calling process, if memory_for_kernel().
// Returns NULL if not. The caller gives them back with pages_free.
void *pages_alloc_for_caller(u32 order);

// Page protection for mmu_map.
enum mmu_prot { MMU_READ = 1, MMU_WRITE = 2, MMU_EXEC = 4 };

// Maps 4 KB pages at a kernel virtual address outside of the linear map; all CPUs see it. Returns
// 0, E_NOMEM or E_EXIST. Replaces an existing mapping only with MMU_REPLACE.
#define MMU_REPLACE 8
int mmu_map(u64 virtual, u64 physical, u64 pages, u32 prot);
// Removes mappings (ignores pages that are not mapped) and the TLB entries of all CPUs.
void mmu_unmap(u64 virtual, u64 pages);
// Returns the physical address behind a kernel virtual one, or 0.
u64 mmu_lookup(u64 virtual);

#define STACKS_BASE 0xC000300000000000UL
#define LOG_WINDOWS_BASE 0xC000400000000000UL // kernel/observe/log/areas.c
#define STACK_UNIT 0x10000UL
#define STACK_UNITS 4096 // stacks that can exist at once

// Allocates a stack of 32 KB in the upper half of a 64 KB-aligned unit of its own, with nothing
// mapped below. Returns its top, or 0 if out of memory. Thread context.
u64 stack_alloc(void);
void stack_free(u64 top);

// Builds the kernel's tables: the linear map of memory_bytes with text read-only and executable,
// all else no-execute. Real mode, boot CPU.
void mmu_build(u64 memory_bytes);
// Makes this CPU translate no user addresses. With translation on.
void mmu_init_cpu(void);
// Turns translation on for this CPU, with r13 and the stack moved (boot/src/start.S).
void mmu_enter(u64 r13, u64 stack, void (*continue_at)(void)) __attribute__((noreturn));
// Maps a writable, non-executable view of the kernel's text until it is closed (patch.c). Returns
// the offset to add to an address in the text.
u64 mmu_open_text_alias(void);
void mmu_close_text_alias(void);

// Reads memory that may be missing. Returns 0 or E_FAULT. Any context, PMI included.
int safe_read(void *to, const void *from, u64 bytes);
int safe_read_u64(u64 *to, const u64 *from);

#endif
