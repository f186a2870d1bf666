// SPDX-License-Identifier: MIT
// Address spaces from within the kernel: regions of all kinds, faults, copy-on-write, protection,
// limits; seen through the MMU as a process would see them; and every page is back afterwards.
#include <co/manager.h>
#include <kernel/address_space.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/user.h>
#include <string.h>
#include <workloads/work.h>

#include "bench.h"
#include "benches.h"

#define BASE 0x10000000UL
#define PAGES 300
#define COST_PAGES 800
#define ROUNDS 10
#define SETTLE_US 1000
#define LEFT 64 // pages that caches may keep

static void region(struct bench_tally *tally, struct address_space *space, u64 address, u64 pages,
                   u32 kind, u32 prot, struct fcm *memory)
{
    struct sys_region wanted = {
        .address = address, .bytes = pages * PAGE_SIZE, .kind = kind, .prot = prot};

    bench_compare(tally, 0, (u64)space_region_create(space, &wanted, memory, false));
}

// What user code would load there, or E_FAULT when it would fault.
static s64 space_look(struct address_space *space, u64 address)
{
    u64 word = 0;
    u8 masked = soft_mask();
    space_switch(space);
    int error = safe_read_u64(&word, (const u64 *)address);
    space_switch(NULL);
    soft_mask_restore(masked);
    return error != 0 ? error : (s64)word;
}

static u64 touch(struct address_space *space, u64 address, u32 access)
{
    return space_fault(space, address, access, NULL);
}

static void put(struct bench_tally *tally, struct address_space *space, u64 address, u64 word)
{
    bench_compare(tally, 0, (u64)space_write(space, address, &word, sizeof(word)));
}

static void anonymous(struct bench_tally *tally, struct address_space *space)
{
    region(tally, space, BASE, PAGES, REGION_ANONYMOUS, PROT_R | PROT_W, NULL);
    bench_compare(tally, (u64)E_FAULT, (u64)space_look(space, BASE));
    bench_compare(tally, FAULT_RESOLVED, touch(space, BASE, PROT_R));
    bench_compare(tally, 0, (u64)space_look(space, BASE)); // the zero page
    bench_compare(tally, 0, space_resident_pages(space));
    for (u64 i = 0; i < PAGES; i++) {
        bench_compare(tally, FAULT_RESOLVED, touch(space, BASE + i * PAGE_SIZE, PROT_W));
        put(tally, space, BASE + i * PAGE_SIZE, i + 1);
    }
    for (u64 i = 0; i < PAGES; i++)
        bench_compare(tally, i + 1, (u64)space_look(space, BASE + i * PAGE_SIZE));
    bench_compare(tally, PAGES, space_resident_pages(space));
    bench_compare(tally, FAULT_BAD, touch(space, BASE, PROT_X));
    bench_compare(tally, FAULT_BAD, touch(space, BASE - 1, PROT_R));
    bench_compare(tally, FAULT_BAD, touch(space, BASE + PAGES * PAGE_SIZE, PROT_R));
}

static void protection(struct bench_tally *tally, struct address_space *space)
{
    u64 second = BASE + PAGE_SIZE;

    bench_compare(tally, 0, (u64)space_region_protect(space, second, PAGE_SIZE, 0));
    bench_compare(tally, (u64)E_FAULT, (u64)space_look(space, second));
    bench_compare(tally, FAULT_BAD, touch(space, second, PROT_R));
    bench_compare(tally, 0, (u64)space_region_protect(space, second, PAGE_SIZE, PROT_R));
    bench_compare(tally, FAULT_BAD, touch(space, second, PROT_W));
    bench_compare(tally, FAULT_RESOLVED, touch(space, second, PROT_R));
    bench_compare(tally, 2, (u64)space_look(space, second));
    bench_compare(tally, (u64)E_INVAL,
                  (u64)space_region_protect(space, second, PAGE_SIZE, PROT_W | PROT_X));
    bench_compare(tally, (u64)E_NOENT,
                  (u64)space_region_protect(space, second, PAGES * PAGE_SIZE, PROT_R));
    bench_compare(tally, 0, (u64)space_region_resize(space, BASE, 2 * PAGE_SIZE));
    bench_compare(tally, 2, space_resident_pages(space));
    bench_compare(tally, FAULT_BAD, touch(space, BASE + 2 * PAGE_SIZE, PROT_R));
    bench_compare(tally, 0, (u64)space_region_resize(space, BASE, 4 * PAGE_SIZE));
    bench_compare(tally, FAULT_RESOLVED, touch(space, BASE + 2 * PAGE_SIZE, PROT_W));
    bench_compare(tally, 0, (u64)space_look(space, BASE + 2 * PAGE_SIZE));
}

static void stack_and_commit(struct bench_tally *tally, struct address_space *space)
{
    u64 stack = 2 * BASE, commit = 3 * BASE;

    region(tally, space, stack, 4, REGION_STACK, PROT_R | PROT_W, NULL);
    bench_compare(tally, FAULT_BAD, touch(space, stack - 8, PROT_W));
    struct sys_region below = {
        .address = stack - PAGE_SIZE, .bytes = PAGE_SIZE, .kind = REGION_ANONYMOUS, .prot = PROT_R};
    bench_compare(tally, (u64)E_EXIST, (u64)space_region_create(space, &below, NULL, false));
    region(tally, space, commit, 64, REGION_COMMIT, PROT_R | PROT_W, NULL);
    bench_compare(tally, FAULT_BAD, touch(space, commit, PROT_R));
    u64 before = space_resident_pages(space);
    bench_compare(tally, 0,
                  (u64)space_region_commit(space, commit, 8 * PAGE_SIZE, PROT_R | PROT_W));
    bench_compare(tally, before + 8, space_resident_pages(space));
    bench_compare(tally, 0, (u64)space_look(space, commit)); // mapped at once
    bench_compare(tally, 0, (u64)space_region_commit(space, commit, PAGE_SIZE, PROT_R));
    bench_compare(tally, FAULT_BAD, touch(space, commit, PROT_W));
    bench_compare(tally, 0, (u64)space_region_decommit(space, commit, 8 * PAGE_SIZE));
    bench_compare(tally, (u64)E_FAULT, (u64)space_look(space, commit));
    bench_compare(tally, FAULT_BAD, touch(space, commit, PROT_R));
    bench_compare(tally, before, space_resident_pages(space));
}

static void sharing(struct bench_tally *tally, struct address_space *space,
                    struct address_space *other)
{
    struct fcm *memory = fcm_create_anonymous("shared", 4 * PAGE_SIZE, true);
    u64 shared = 4 * BASE, own = 5 * BASE;

    region(tally, space, shared, 4, REGION_SHARED, PROT_R | PROT_W, memory);
    region(tally, other, shared, 4, REGION_SHARED, PROT_R, memory);
    region(tally, other, own, 4, REGION_PRIVATE, PROT_R | PROT_W, memory);
    fcm_put(memory);
    put(tally, space, shared, 77);
    bench_compare(tally, FAULT_RESOLVED, touch(other, shared, PROT_R));
    bench_compare(tally, 77, (u64)space_look(other, shared));
    bench_compare(tally, FAULT_BAD, touch(other, shared, PROT_W));
    bench_compare(tally, FAULT_RESOLVED, touch(other, own, PROT_R));
    bench_compare(tally, 77, (u64)space_look(other, own));
    bench_compare(tally, FAULT_RESOLVED, touch(other, own, PROT_W));
    put(tally, other, own, 78);
    bench_compare(tally, 78, (u64)space_look(other, own));
    bench_compare(tally, 77, (u64)space_look(other, shared));
    bench_compare(tally, FAULT_BAD, touch(other, own + 4 * PAGE_SIZE, PROT_R));
}

static void limits(struct bench_tally *tally)
{
    struct address_space *space = space_create(NULL, 40 * PAGE_SIZE, MEMORY_RIGHTS);
    u64 got = 0;

    region(tally, space, BASE, PAGES, REGION_ANONYMOUS, PROT_R | PROT_W, NULL);
    while (got < PAGES && touch(space, BASE + got * PAGE_SIZE, PROT_W) == FAULT_RESOLVED)
        got++;
    bench_compare(tally, 40 - 5, got); // three are tables, two the list of pages
    bench_compare(tally, FAULT_NO_MEMORY, touch(space, BASE + got * PAGE_SIZE, PROT_W));
    bench_compare(tally, 0, (u64)space_region_resize(space, BASE, PAGE_SIZE));
    bench_compare(tally, 1, space_resident_pages(space));
    space_destroy(space);
}

static void all(struct bench_tally *tally)
{
    struct address_space *space = space_create(NULL, 0, MEMORY_RIGHTS),
                         *other = space_create(NULL, 0, MEMORY_RIGHTS);

    void *wired = NULL;

    bench_compare(tally, 0, (u64)space_wire(space, USER_WINDOW, 2 * PAGE_SIZE, &wired));
    bench_compare(tally, (u64)E_EXIST, (u64)space_wire(space, USER_WINDOW, PAGE_SIZE, &wired));
    ((char *)wired)[8] = 1;
    bench_compare(tally, 1UL << 56, (u64)space_look(space, USER_WINDOW + 8));
    anonymous(tally, space);
    protection(tally, space);
    stack_and_commit(tally, space);
    sharing(tally, space, other);
    limits(tally);
    bench_compare(tally, 0, (u64)space_region_destroy(space, BASE));
    bench_compare(tally, (u64)E_FAULT, (u64)space_look(space, BASE));
    space_destroy(space);
    space_destroy(other);
}

// Instructions (or nanoseconds) of one fault as space_fault sees it, over many pages.
static void cost(const char *what, u32 kind, u32 flags, u32 access, struct fcm *memory)
{
    struct address_space *space = space_create(NULL, 0, MEMORY_RIGHTS);
    struct sys_region wanted = {.address = BASE,
                                .bytes = COST_PAGES * PAGE_SIZE,
                                .kind = kind,
                                .prot = PROT_R | PROT_W,
                                .flags = flags};

    space_region_create(space, &wanted, memory, false);
    for (u64 i = 0; i < COST_PAGES / 2; i++) // tables, stocks, representatives
        touch(space, BASE + i * PAGE_SIZE, access);
    u64 start = timebase();
    for (u64 i = COST_PAGES / 2; i < COST_PAGES; i++)
        touch(space, BASE + i * PAGE_SIZE, access);
    u64 ns = work_ticks_to_ns(timebase() - start);
    bench_note("%s: %lu ns a page", what, ns / (COST_PAGES / 2));
    space_destroy(space);
}

static void costs(void)
{
    struct fcm *memory = fcm_create_anonymous("source", COST_PAGES * PAGE_SIZE, true);

    cost("zero-fill, shared FCM", REGION_ANONYMOUS, 0, PROT_W, NULL);
    cost("zero-fill, distributed FCM", REGION_ANONYMOUS, REGION_DISTRIBUTED, PROT_W, NULL);
    cost("first read", REGION_ANONYMOUS, 0, PROT_R, NULL);
    cost("copy-on-write", REGION_PRIVATE, 0, PROT_W, memory);
    cost("shared memory", REGION_SHARED, 0, PROT_W, memory);
    fcm_put(memory);
}

static u64 free_pages(void)
{
    struct pages_stat stat;

    pages_stat(&stat);
    return stat.free;
}

// Objects go after quiescence: until all that were destroyed have gone,
// and at least so many pages are free.
static u64 free_pages_settled(u64 wanted)
{
    u64 begin = timebase();
    struct co_stat stat;

    do {
        thread_sleep(microseconds_to_ticks(SETTLE_US));
        co_stat(&stat);
    } while ((stat.reclaimed < stat.destroyed || free_pages() < wanted) && bench_waits(begin));
    return free_pages();
}

void bench_space(void)
{
    struct bench_tally tally = {0}, again = {0};

    all(&tally); // fills caches
    u64 before = free_pages_settled(0);
    for (u32 i = 0; i < ROUNDS; i++)
        all(&again);
    u64 after = free_pages_settled(before - LEFT);
    bench_tally_row(&tally, "regions, faults, protection, limits");
    bench_tally_row(&again, "  ten times more");
    bench_range(0, LEFT, before > after ? before - after : 0, "  pages not back");
    costs();
}
