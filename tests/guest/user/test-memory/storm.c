// SPDX-License-Identifier: MIT
// All CPUs at once in one space: faults, protection, resizing, copying and destruction of regions
// that the others use too. Each thread checks its own words; what must fail may
// fail, and nothing else.
#include "tests.h"

#include <orrery/ipc.h>
#include <string.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define RW (PROT_R | PROT_W)
#define ROUNDS 300
#define SHARED_PAGES 64
#define WORDS (PAGE / 8)

struct storm {
    u64 shared; // one region for all, each CPU has a word of every page
    cap_t memory;
};

static u64 next(u64 *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

// A region of one's own, in and out of existence.
static void own_region(u64 *random, u32 cpu)
{
    u64 pages = 1 + next(random) % 20;
    u32 flags = next(random) % 2 ? REGION_DISTRIBUTED : 0;
    u64 address = make_region(REGION_ANONYMOUS, pages * PAGE, RW, 0, flags);
    volatile u64 *words = (u64 *)address;

    if (address == 0)
        return;
    for (u64 i = 0; i < pages; i++)
        words[i * WORDS + 5] = cpu * 1000 + i;
    CHECK_IS(sys_region_protect(address, PAGE, PROT_R), 0);
    s64 error = sys_region_resize(address, (pages + 3) * PAGE);
    CHECK_IS(error == 0 || error == E_EXIST, true); // somebody may have come right behind it
    for (u64 i = 0; i < pages; i++)
        CHECK_IS(words[i * WORDS + 5], cpu * 1000 + i);
    CHECK_IS(sys_region_destroy(address), 0);
}

// A private copy of memory that the others write to.
static void own_copy(const struct storm *storm, u32 cpu)
{
    u64 address = make_region(REGION_PRIVATE, SHARED_PAGES * PAGE, RW, storm->memory, 0);
    volatile u64 *words = (u64 *)address;

    for (u64 i = 0; i < SHARED_PAGES; i += 9)
        words[i * WORDS + 300] = cpu + i;
    for (u64 i = 0; i < SHARED_PAGES; i += 9)
        CHECK_IS(words[i * WORDS + 300], cpu + i);
    CHECK_IS(sys_region_destroy(address), 0);
}

static s64 work(void *argument)
{
    const struct storm *storm = argument;
    u32 cpu = user_cpu();
    u64 random = 88172645463325252 + cpu;
    volatile u64 *words = (u64 *)storm->shared;

    for (u64 round = 1; round <= ROUNDS; round++) {
        u64 page = next(&random) % SHARED_PAGES;
        u64 slot = page * WORDS + cpu;
        u64 before = words[slot];
        words[slot] = before + 1;
        CHECK_IS(words[slot], before + 1);
        if (round % 8 == 0) // the others' mappings go away under them, and come back
            CHECK_IS(sys_region_protect(storm->shared + page * PAGE, PAGE, RW), 0);
        if (round % 3 == 0)
            own_region(&random, cpu);
        if (round % 16 == 0)
            own_copy(storm, cpu);
    }
    return 0;
}

static u64 sum(const volatile u64 *words)
{
    u64 total = 0;

    for (u64 page = 0; page < SHARED_PAGES; page++) {
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
            total += words[page * WORDS + cpu];
    }
    return total;
}

void test_storm(void)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    struct storm storm = {.memory = (cap_t)sys_memory_new("storm", SHARED_PAGES * PAGE)};

    storm.shared = make_region(REGION_SHARED, SHARED_PAGES * PAGE, RW, storm.memory, 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        CHECK_IS(thread_create(&threads[cpu], &attributes, work, &storm), 0);
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        CHECK_IS(thread_join(threads[cpu], NULL), 0);
    CHECK_IS(sum((u64 *)storm.shared), (u64)ROUNDS * user_cpu_count());
    CHECK_IS(sys_region_destroy(storm.shared), 0);
    CHECK_IS(sys_cap_drop(storm.memory), 0);
}
