// SPDX-License-Identifier: MIT
// Memory objects: shared between processes, copied on writing, and under a limit.
#include "tests.h"

#include <orrery/ipc.h>
#include <string.h>

#define RW (PROT_R | PROT_W)
#define WORDS (PAGE / 8)
#define LIMIT_PAGES 600

static void own_mappings(void)
{
    s64 memory = sys_memory_new("test", 4 * PAGE);
    u64 before = resident();

    CHECK_IS(memory > 0, 1);
    CHECK_IS(sys_memory_bytes((cap_t)memory), 4 * PAGE);
    u64 a = make_region(REGION_SHARED, 4 * PAGE, RW, (cap_t)memory, 0);
    u64 b = make_region(REGION_SHARED, 4 * PAGE, PROT_R, (cap_t)memory, 0);
    u64 c = make_region(REGION_PRIVATE, 4 * PAGE, RW, (cap_t)memory, 0);
    volatile u64 *first = (u64 *)a, *second = (u64 *)b, *copy = (u64 *)c;

    first[0] = 1;
    CHECK_IS(second[0], 1);
    CHECK_IS(copy[0], 1);
    CHECK_IS(resident(), before + 1);
    copy[0] = 2;
    CHECK_IS(first[0], 1);
    CHECK_IS(copy[0], 2);
    CHECK_IS(resident(), before + 2);
    first[0] = 3;
    CHECK_IS(second[0], 3);
    CHECK_IS(copy[0], 2);
    copy[WORDS] = 4; // never read before
    CHECK_IS(first[WORDS], 0);
    CHECK_IS(can_write(b), E_FAULT);
    CHECK_IS(sys_region_protect(b + PAGE, PAGE, RW), 0);
    second[WORDS] = 5;
    CHECK_IS(first[WORDS], 5);
    CHECK_IS(can_write(b), E_FAULT);
    CHECK_IS(sys_region_destroy(a), 0);
    CHECK_IS(second[0], 3);
    CHECK_IS(sys_region_destroy(c), 0);
    CHECK_IS(sys_cap_drop((cap_t)memory), 0);
    CHECK_IS(second[0], 3); // the mapping keeps it
    CHECK_IS(sys_region_destroy(b), 0);
    CHECK_IS(resident(), before);
}

static void with_a_child(void)
{
    s64 memory = sys_memory_new("both", 16 * PAGE);
    u64 address = make_region(REGION_SHARED, 16 * PAGE, RW, (cap_t)memory, 0);
    volatile u64 *words = (u64 *)address;

    for (u64 i = 0; i < 16; i++)
        words[i * WORDS] = 100 + i;
    CHECK_IS(run_child("shared", 0, (cap_t)memory), 16);
    for (u64 i = 0; i < 16; i++)
        CHECK_IS(words[i * WORDS + 1], 200 + i);
    CHECK_IS(words[2], 0); // what it wrote to its private mapping
    CHECK_IS(sys_region_destroy(address), 0);
    CHECK_IS(sys_cap_drop((cap_t)memory), 0);
}

// In the child: answers in the pages that it was given, and spoils its own copy.
static int shared_child(void)
{
    u64 address = make_region(REGION_SHARED, 16 * PAGE, RW, GRANTED, 0);
    u64 own = make_region(REGION_PRIVATE, 16 * PAGE, RW, GRANTED, 0);
    volatile u64 *words = (u64 *)address, *copy = (u64 *)own;
    int right = 0;

    for (u64 i = 0; i < 16; i++) {
        right += words[i * WORDS] == 100 + i && copy[i * WORDS] == 100 + i;
        words[i * WORDS + 1] = 200 + i;
        copy[i * WORDS + 2] = 1;
    }
    return right;
}

// In a child with a limit: pages can be had up to it, an error comes after it,
// and giving some back helps.
static int limited_child(void)
{
    u64 used = resident();
    u64 address = make_region(REGION_ANONYMOUS, 2 * LIMIT_PAGES * PAGE, RW, 0, 0);
    u64 got = 0;

    while (got < 2 * LIMIT_PAGES && can_write(address + got * PAGE) == 0)
        got++;
    if (got + used > LIMIT_PAGES || got + used < LIMIT_PAGES / 2)
        return 1;
    if (sys_region_commit(make_region(REGION_COMMIT, LIMIT_PAGES * PAGE, RW, 0, 0),
                          LIMIT_PAGES * PAGE, RW) >= 0)
        return 2;
    if (resident() > LIMIT_PAGES || sys_region_resize(address, PAGE) != 0)
        return 3;
    return can_write(make_region(REGION_ANONYMOUS, PAGE, RW, 0, 0)) == 0 ? 0 : 4;
}

// What a process with a limit makes others hold for it counts, too: a child without a limit of its
// own has the same, and pages of files that it serves are the server's.
static int ways_around(void)
{
    static const u8 page[PAGE];
    const struct sys_process_new wanted = {.name = "heir", .priority = PROCESS_NORMAL};
    struct sys_region region = {.address = USER_IMAGE,
                                .bytes = 2 * LIMIT_PAGES * PAGE,
                                .kind = REGION_ANONYMOUS,
                                .prot = RW};
    s64 child = sys_process_create(&wanted), endpoint = sys_endpoint_create(1);
    s64 file = sys_file_create((cap_t)endpoint, 0, "heir", 2 * LIMIT_PAGES * PAGE);
    u64 written = 0, supplied = 0;

    if (child < 0 || file < 0 || sys_region_create((cap_t)child, &region) != 0)
        return 5;
    while (sys_process_write((cap_t)child, region.address + written * PAGE, page, PAGE) == 0)
        written++;
    while (sys_file_supply((cap_t)file, supplied * PAGE, page, 0) == 0)
        supplied++;
    if (written < LIMIT_PAGES / 2 || written > LIMIT_PAGES)
        return 6;
    return supplied < LIMIT_PAGES ? 0 : 7;
}

int child_sharing(const char *name)
{
    if (strcmp(name, "shared") == 0)
        return shared_child();
    if (strcmp(name, "limited") == 0)
        return limited_child();
    if (strcmp(name, "ways-around") == 0)
        return ways_around();
    return -1;
}

void test_sharing(void)
{
    own_mappings();
    with_a_child();
    CHECK_IS(run_child("limited", LIMIT_PAGES * PAGE, 0), 0);
    CHECK_IS(run_child("ways-around", LIMIT_PAGES * PAGE, 0), 0);
}
