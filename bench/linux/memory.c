// SPDX-License-Identifier: MIT
// Page faults.
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "bench.h"

#define PAGES 256UL

// Stores to, or loads from, each page once. Returns the time it took.
static u64 touch(volatile u8 *memory, int store)
{
    u64 begin = now();
    for (u64 i = 0; i < PAGES; i++) {
        if (store)
            memory[i * PAGE] = 1;
        else
            (void)memory[i * PAGE];
    }
    return now() - begin;
}

static void first_touch(const char *name, int store)
{
    u64 least = ~0UL;

    for (u32 batch = 0; batch < BATCHES; batch++) {
        void *memory = pages(PAGES * PAGE, 0);
        SYS(madvise, memory, PAGES * PAGE, MADV_NOHUGEPAGE);
        u64 ns = touch(memory, store);
        least = ns < least ? ns : least;
        SYS(munmap, memory, PAGES * PAGE);
    }
    tell(name, least, PAGES);
}

static void *copied;
static u64 *copied_ns; // shared with the children

static void copy_pages(void *unused)
{
    (void)unused;
    u64 ns = touch(copied, 1);
    *copied_ns = ns < *copied_ns ? ns : *copied_ns;
}

static void copy_on_write(void)
{
    copied = pages(PAGES * PAGE, 0);
    SYS(madvise, copied, PAGES * PAGE, MADV_NOHUGEPAGE);
    touch(copied, 1);
    copied_ns = pages(PAGE, 1);
    *copied_ns = ~0UL;
    for (u32 batch = 0; batch < BATCHES; batch++)
        process_wait(process(copy_pages, NULL));
    tell("memory.copy_on_write", *copied_ns, PAGES);
}

// Linux maps 16 pages of a file at a fault.
static void file_faults(void)
{
    static const u8 page[PAGE];
    int fd = (int)need("open", SYS(open, "/tmp/mapped", O_RDWR | O_CREAT, 0644));
    u64 least = ~0UL;

    for (u64 i = 0; i < PAGES; i++)
        need("write", SYS(write, fd, page, PAGE));
    for (u32 batch = 0; batch < BATCHES; batch++) {
        void *memory =
            (void *)need("mmap", SYS(mmap, 0, PAGES * PAGE, PROT_READ, MAP_PRIVATE, fd, 0));
        u64 ns = touch(memory, 0);
        least = ns < least ? ns : least;
        SYS(munmap, memory, PAGES * PAGE);
    }
    SYS(close, fd);
    tell("memory.file_cached", least, PAGES);
}

static void map_touch_unmap(void)
{
    volatile u8 *memory = pages(PAGE, 0);

    memory[0] = 1;
    SYS(munmap, memory, PAGE);
}

void bench_memory(void)
{
    first_touch("memory.zero_fill", 1);
    first_touch("memory.first_read", 0);
    copy_on_write();
    file_faults();
    measure("memory.map_touch_unmap", 100, map_touch_unmap);
}
