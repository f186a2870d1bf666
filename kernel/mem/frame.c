// SPDX-License-Identifier: MIT
// Work on the contents of page frames.
#include "fcm.h"

#include <orrery/errors.h>
#include <string.h>

#define CACHE_BLOCK 128

u64 zero_frame;

// dcbz clears a cache block without reading it: 32 of them a page, eight a round.
void frame_zero(u64 frame)
{
    char *page = phys_to_virt(frame);

    for (u32 round = 0; round < PAGE_SIZE / (8 * CACHE_BLOCK); round++, page += 8 * CACHE_BLOCK)
        __asm__ volatile("dcbz 0,%0\n dcbz %1,%0\n dcbz %2,%0\n dcbz %3,%0\n"
                         "dcbz %4,%0\n dcbz %5,%0\n dcbz %6,%0\n dcbz %7,%0" ::"b"(page),
                         "r"(CACHE_BLOCK), "r"(2 * CACHE_BLOCK), "r"(3 * CACHE_BLOCK),
                         "r"(4 * CACHE_BLOCK), "r"(5 * CACHE_BLOCK), "r"(6 * CACHE_BLOCK),
                         "r"(7 * CACHE_BLOCK)
                         : "memory");
}

// Quadwords, 256 bytes a round. The kernel has no vector registers to copy through.
void frame_copy(void *to, const void *from)
{
    __asm__ volatile("mtctr %2\n"
                     "1:\n"
                     ".irp at, 0,64,128,192\n"
                     "lq 4,\\at(%1)\n"
                     "lq 6,\\at+16(%1)\n"
                     "lq 8,\\at+32(%1)\n"
                     "lq 10,\\at+48(%1)\n"
                     "stq 4,\\at(%0)\n"
                     "stq 6,\\at+16(%0)\n"
                     "stq 8,\\at+32(%0)\n"
                     "stq 10,\\at+48(%0)\n"
                     ".endr\n"
                     "addi %1,%1,256\n"
                     "addi %0,%0,256\n"
                     "bdnz 1b"
                     : "+b"(to), "+b"(from)
                     : "r"(PAGE_SIZE / 256)
                     : "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "ctr", "memory");
}

void make_coherent(const void *from, u64 bytes)
{
    u64 start = ALIGN_DOWN((u64)from, (u64)CACHE_BLOCK);
    u64 end = (u64)from + bytes;

    for (u64 at = start; at < end; at += CACHE_BLOCK)
        __asm__ volatile("dcbst 0,%0" ::"r"(at) : "memory");
    __asm__ volatile("sync" ::: "memory");
    for (u64 at = start; at < end; at += CACHE_BLOCK)
        __asm__ volatile("icbi 0,%0" ::"r"(at) : "memory");
    __asm__ volatile("sync\nisync" ::: "memory");
}

void frame_make_coherent(u64 frame)
{
    make_coherent(phys_to_virt(frame), PAGE_SIZE);
}

// What is written to a page that is mapped executable must reach the instruction cache too.
s64 transfer_frame(const struct transfer *transfer, u64 entry)
{
    char *at = (char *)phys_to_virt(entry & ENTRY_PAGE) + transfer->offset;

    if (transfer->to != NULL) {
        memcpy(transfer->to, at, transfer->bytes);
        return 0;
    }
    u64 prot = entry & ENTRY_PROT_SET ? entry & ENTRY_PROT : transfer->region_prot;
    if (transfer->expected != NULL && !(prot & PROT_X))
        return E_INVAL;
    if (transfer->expected != NULL) {
        // Whole: other CPUs may be executing it.
        if (*(u32 *)at != *transfer->expected)
            return E_EXIST;
        __atomic_store_n((u32 *)at, *(const u32 *)transfer->from, __ATOMIC_RELAXED);
    } else {
        memcpy(at, transfer->from, transfer->bytes);
    }
    if (entry & ENTRY_COHERENT)
        make_coherent(at, transfer->bytes);
    return 0;
}
