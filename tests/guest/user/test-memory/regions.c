// SPDX-License-Identifier: MIT
// Regions of a process of its own: zero-fill, protection, growing, committing, what is refused.
#include "tests.h"

#include <orrery/ipc.h>
#include <orrery/user.h>
#include <string.h>

#define RW (PROT_R | PROT_W)

extern u32 patch_here[]; // an instruction of the text

static void anonymous(u32 flags)
{
    u64 before = resident();
    u64 address = make_region(REGION_ANONYMOUS, 64 * PAGE, RW, 0, flags);
    volatile u64 *words = (volatile u64 *)address;
    u64 sum = 0;

    for (u64 i = 0; i < 64 * PAGE / 8; i += 7)
        sum += words[i];
    CHECK_IS(sum, 0);
    CHECK_IS(resident(), before); // reading makes no page
    for (u64 i = 0; i < 64; i++)
        words[i * PAGE / 8] = i + 1;
    CHECK_IS(resident(), before + 64);
    for (u64 i = 0; i < 64; i++)
        sum += words[i * PAGE / 8] + words[i * PAGE / 8 + 1];
    CHECK_IS(sum, 64 * 65 / 2);
    CHECK_IS(sys_region_destroy(address + PAGE), E_NOENT);
    CHECK_IS(sys_region_destroy(address), 0);
    CHECK_IS(resident(), before);
    CHECK_IS(can_read(address), E_FAULT);
    CHECK_IS(sys_region_destroy(address), E_NOENT);
}

static void protection(void)
{
    u64 address = make_region(REGION_ANONYMOUS, 4 * PAGE, RW, 0, 0);

    memset((void *)address, 0, 4 * PAGE);
    CHECK_IS(sys_region_protect(address + PAGE, PAGE, PROT_R), 0);
    CHECK_IS(can_write(address), 0);
    CHECK_IS(can_write(address + PAGE), E_FAULT);
    CHECK_IS(can_read(address + PAGE), 0);
    CHECK_IS(can_write(address + 2 * PAGE), 0);
    CHECK_IS(sys_region_protect(address + PAGE, PAGE, 0), 0);
    CHECK_IS(can_read(address + PAGE), E_FAULT);
    CHECK_IS(sys_region_protect(address, 4 * PAGE, PROT_R), 0); // of all, single pages included
    CHECK_IS(can_read(address + PAGE), 0);
    CHECK_IS(can_write(address + 3 * PAGE), E_FAULT);
    CHECK_IS(sys_region_protect(address, 4 * PAGE, PROT_W | PROT_X), E_INVAL);
    CHECK_IS(sys_region_protect(address, 4 * PAGE, 8), E_INVAL);
    CHECK_IS(sys_region_protect(address, 5 * PAGE, RW), E_NOENT);
    CHECK_IS(sys_region_protect(address + 1, PAGE, RW), E_INVAL);
    CHECK_IS(sys_region_protect(address, 0, RW), E_INVAL);
    CHECK_IS(sys_region_destroy(address), 0);
}

static void resizing(void)
{
    u64 before = resident();
    u64 address = make_region(REGION_ANONYMOUS, 2 * PAGE, RW, 0, 0);

    CHECK_IS(sys_region_resize(address, 100 * PAGE), 0);
    memset((void *)address, 1, 100 * PAGE);
    CHECK_IS(resident(), before + 100);
    CHECK_IS(sys_region_resize(address, PAGE), 0);
    CHECK_IS(resident(), before + 1);
    CHECK_IS(can_read(address + PAGE), E_FAULT);
    CHECK_IS(sys_region_resize(address, 3 * PAGE), 0);
    CHECK_IS(*(volatile u64 *)(address + PAGE), 0); // not what was there before
    CHECK_IS(*(volatile u64 *)address, 0x0101010101010101);
    CHECK_IS(sys_region_resize(address, 0), E_INVAL);
    struct sys_region next = {
        .address = address + 4 * PAGE, .bytes = PAGE, .kind = REGION_ANONYMOUS, .prot = RW};
    CHECK_IS(sys_region_create(0, &next), 0);
    CHECK_IS(sys_region_resize(address, 5 * PAGE), E_EXIST);
    CHECK_IS(sys_region_resize(address, 4 * PAGE), 0);
    CHECK_IS(sys_region_destroy(next.address), 0);
    CHECK_IS(sys_region_destroy(address), 0);
    CHECK_IS(resident(), before);
}

static void committing(void)
{
    u64 before = resident();
    u64 address = make_region(REGION_COMMIT, 1UL << 28, RW, 0, 0);

    CHECK_IS(can_read(address), E_FAULT);
    CHECK_IS(sys_region_commit(address + 7 * PAGE, 2 * PAGE, RW), 0);
    CHECK_IS(resident(), before + 2);
    CHECK_IS(can_read(address + 6 * PAGE), E_FAULT);
    *(volatile u64 *)(address + 7 * PAGE) = 5;
    CHECK_IS(sys_region_commit(address + 7 * PAGE, PAGE, PROT_R), 0);
    CHECK_IS(*(volatile u64 *)(address + 7 * PAGE), 5);
    CHECK_IS(can_write(address + 7 * PAGE), E_FAULT);
    CHECK_IS(sys_region_decommit(address, 16 * PAGE), 0);
    CHECK_IS(resident(), before);
    CHECK_IS(can_read(address + 7 * PAGE), E_FAULT);
    CHECK_IS(sys_region_destroy(address), 0);
    address = make_region(REGION_ANONYMOUS, PAGE, RW, 0, 0);
    CHECK_IS(sys_region_commit(address, PAGE, RW), E_INVAL);
    CHECK_IS(sys_region_destroy(address), 0);
}

// Another mapping of the memory shows what pages there are.
static void committing_what_is_shared(void)
{
    u64 before = resident();
    s64 memory = sys_memory_new("committed", 4 * PAGE), large = sys_memory_new("large", 1UL << 37);
    u64 address = make_region(REGION_SHARED, 8 * PAGE, RW, (cap_t)memory, 0);

    CHECK_IS(sys_region_commit(address, 4 * PAGE, PROT_R), E_INVAL); // not the region's protection
    CHECK_IS(sys_region_commit(address, 5 * PAGE, RW), E_INVAL);     // behind the memory's end
    CHECK_IS(resident(), before);
    CHECK_IS(sys_region_commit(address + PAGE, 3 * PAGE, RW), 0);
    CHECK_IS(resident(), before + 3);
    *(volatile u64 *)(address + PAGE) = 5;
    CHECK_IS(sys_region_commit(address, 4 * PAGE, RW), 0);
    CHECK_IS(*(volatile u64 *)(address + PAGE), 5);
    CHECK_IS(*(volatile u64 *)address, 0);
    CHECK_IS(sys_region_decommit(address, PAGE), E_INVAL);
    u64 all = make_region(REGION_SHARED, 1UL << 37, RW, (cap_t)large, 0);
    CHECK_IS(sys_region_commit(all, 1UL << 37, RW), E_NOMEM);
    CHECK_IS(resident(), before + 4);
    CHECK_IS(sys_region_destroy(all), 0);
    CHECK_IS(sys_region_destroy(address), 0);
    CHECK_IS(sys_cap_drop((cap_t)memory), 0);
    CHECK_IS(sys_cap_drop((cap_t)large), 0);
    CHECK_IS(resident(), before);
}

static void stacks(void)
{
    u64 address = make_region(REGION_STACK, 4 * PAGE, RW, 0, 0);
    struct sys_region guard = {
        .address = address - PAGE, .bytes = PAGE, .kind = REGION_ANONYMOUS, .prot = RW};

    CHECK_IS(can_write(address), 0);
    CHECK_IS(can_read(address - 8), E_FAULT);
    CHECK_IS(sys_region_create(0, &guard), E_EXIST);
    CHECK_IS(sys_region_destroy(address), 0);
    CHECK_IS(sys_region_create(0, &guard), 0);
    CHECK_IS(sys_region_destroy(guard.address), 0);
}

static s64 attempt(u64 address, u64 bytes, u32 kind, u32 prot, cap_t memory, u64 offset)
{
    struct sys_region region = {.address = address,
                                .bytes = bytes,
                                .kind = kind,
                                .prot = prot,
                                .memory = memory,
                                .offset = offset};
    return sys_region_create(0, &region);
}

// Where the kernel puts pages of its own, now or later, nobody comes first: not by a region,
// its guard, or its growing.
static void kernel_addresses(void)
{
    u64 window =
        USER_WINDOW + (ORRERY_MAX_CPUS - 1) * R13_WINDOW_SIZE; // of a CPU that is not there
    u64 below = USER_INSPECT - 2 * PAGE;

    CHECK_IS(attempt(USER_INSPECT, PAGE, REGION_ANONYMOUS, RW, 0, 0), E_EXIST);
    CHECK_IS(attempt(USER_INSPECT + INSPECT_BYTES - PAGE, 2 * PAGE, REGION_COMMIT, RW, 0, 0),
             E_EXIST);
    CHECK_IS(attempt(USER_INSPECT + INSPECT_BYTES, PAGE, REGION_STACK, RW, 0, 0), E_EXIST);
    CHECK_IS(attempt(window, PAGE, REGION_ANONYMOUS, RW, 0, 0), E_EXIST);
    CHECK_IS(attempt(window - PAGE, 2 * PAGE, REGION_ANONYMOUS, RW, 0, 0), E_EXIST);
    CHECK_IS(attempt(below, 2 * PAGE, REGION_ANONYMOUS, RW, 0, 0), 0);
    CHECK_IS(sys_region_resize(below, 3 * PAGE), E_EXIST);
    CHECK_IS(sys_region_destroy(below), 0);
    CHECK_IS(attempt(window + WINDOW_LIBRARY, PAGE, REGION_ANONYMOUS, RW, 0, 0), 0);
    CHECK_IS(sys_region_destroy(window + WINDOW_LIBRARY), 0);
}

static void refusals(void)
{
    u64 there = (u64)patch_here & ~(PAGE - 1);

    CHECK_IS(attempt(0, 0, REGION_ANONYMOUS, RW, 0, 0), E_INVAL);
    CHECK_IS(attempt(0, 100, REGION_ANONYMOUS, RW, 0, 0), E_INVAL);
    CHECK_IS(attempt(1, PAGE, REGION_ANONYMOUS, RW, 0, 0), E_INVAL);
    CHECK_IS(attempt(0, PAGE, 0, RW, 0, 0), E_INVAL);
    CHECK_IS(attempt(0, PAGE, 9, RW, 0, 0), E_INVAL);
    CHECK_IS(attempt(0, PAGE, REGION_ANONYMOUS, PROT_W | PROT_X, 0, 0), E_INVAL);
    CHECK_IS(attempt(USER_START - PAGE, PAGE, REGION_ANONYMOUS, RW, 0, 0), E_INVAL);
    CHECK_IS(attempt(USER_END - PAGE, 2 * PAGE, REGION_ANONYMOUS, RW, 0, 0), E_INVAL);
    CHECK_IS(attempt(USER_END, PAGE, REGION_ANONYMOUS, RW, 0, 0), E_INVAL);
    CHECK_IS(attempt(0xc000000000000000, PAGE, REGION_ANONYMOUS, RW, 0, 0), E_INVAL);
    CHECK_IS(attempt(USER_START, -PAGE, REGION_ANONYMOUS, RW, 0, 0), E_INVAL);
    CHECK_IS(attempt(there, PAGE, REGION_ANONYMOUS, RW, 0, 0), E_EXIST);
    // Nor is what is there touched: without its page the dispatcher would end here.
    CHECK_IS(attempt(USER_WINDOW, PAGE, REGION_ANONYMOUS, RW, 0, 0), E_EXIST);
    kernel_addresses();
    CHECK_IS(attempt(0, PAGE, REGION_SHARED, RW, 0, 0), E_NOENT);
    CHECK_IS(attempt(0, PAGE, REGION_SHARED, RW, 4000, 0), E_NOENT);
    CHECK_IS(sys_memory_new("none", 0), E_INVAL);
    CHECK_IS(sys_memory_new("odd", 100), E_INVAL);
    CHECK_IS(can_read(0), E_FAULT);
    CHECK_IS(can_read(0xc000000000000000), E_FAULT);
    CHECK_IS(can_write(0xc000000000c00000), E_FAULT);
    CHECK_IS(can_read(USER_END - 1), E_FAULT);
    CHECK_IS(can_write((u64)patch_here), E_FAULT);
    CHECK_IS(can_write((u64) "a text"), E_FAULT);
    CHECK_IS(sys_region_destroy(USER_WINDOW), E_NOENT);
    CHECK_IS(sys_region_protect(USER_WINDOW, PAGE, PROT_R), E_NOENT);
}

// The list names what we made, once, with what is resident of it.
static void listing(void)
{
    static struct sys_region_info infos[64];
    u64 address = make_region(REGION_ANONYMOUS, 9 * PAGE, RW, 0, 0);
    u64 cursor = 0, found = 0, last = 0;
    s64 bytes;

    memset((void *)address, 1, 3 * PAGE);
    while ((bytes = sys_region_list(0, &cursor, infos, sizeof(infos))) > 0) {
        for (u64 i = 0; i < (u64)bytes / sizeof(infos[0]); i++) {
            CHECK_IS(infos[i].address >= last, 1);
            last = infos[i].address + infos[i].bytes;
            if (infos[i].address != address)
                continue;
            found++;
            CHECK_IS(infos[i].bytes, 9 * PAGE);
            CHECK_IS(infos[i].kind, REGION_ANONYMOUS);
            CHECK_IS(infos[i].resident_pages, 3);
            CHECK_IS(names_child(own_object(), infos[i].region), true);
            CHECK_IS(names_child(infos[i].region, infos[i].memory), true);
        }
    }
    CHECK_IS(bytes, 0);
    CHECK_IS(found, 1);
    CHECK_IS(sys_region_destroy(address), 0);
}

// Code that is written and then made executable runs as written.
static void made_code(void)
{
    u64 address = make_region(REGION_ANONYMOUS, PAGE, RW, 0, 0);
    u64 descriptor[3] = {address, 0, 0};
    s64 (*function)(void);

    memcpy(&function, &(u64 *){descriptor}, sizeof(function));
    for (u32 round = 0; round < 3; round++) {
        u32 code[2] = {0x38600000u + round, 0x4e800020u}; // li r3,round; blr
        memcpy((void *)address, code, sizeof(code));
        CHECK_IS(sys_region_protect(address, PAGE, PROT_R | PROT_X), 0);
        CHECK_IS(function(), round);
        CHECK_IS(sys_text_patch(address, code[0], code[0] + 7), 0);
        CHECK_IS(function(), round + 7);
        CHECK_IS(sys_region_protect(address, PAGE, RW), 0);
        CHECK_IS(sys_text_patch(address, code[0] + 7, code[0]), E_INVAL);
    }
    CHECK_IS(sys_region_destroy(address), 0);
}

static __attribute__((noipa)) s64 patched(void)
{
    s64 result;

    __asm__ volatile(".globl patch_here\npatch_here: li %0,1" : "=r"(result));
    return result;
}

static void patching(void)
{
    u32 old = patch_here[0];
    u64 before = resident();

    CHECK_IS(patched(), 1);
    CHECK_IS(sys_text_patch((u64)patch_here, old + 1, old), E_AGAIN);
    CHECK_IS(sys_text_patch((u64)patch_here, old, old + 1), 0);
    CHECK_IS(patched(), 2);
    CHECK_IS(sys_text_patch((u64)patch_here, old + 1, old), 0);
    CHECK_IS(patched(), 1);
    CHECK_IS(resident() <= before + 1, 1);
    CHECK_IS(sys_text_patch((u64)patch_here + 1, old, old), E_INVAL);
    CHECK_IS(sys_text_patch((u64)&before, 0, 0), E_INVAL);
    CHECK_IS(sys_text_patch(0xc000000000400000, 0, 0), E_INVAL);
}

void test_regions(void)
{
    CHECK_IS(sys_region_destroy(make_region(REGION_ANONYMOUS, PAGE, RW, 0, 0)), 0);
    CHECK_IS(resident() > 0, 1); // what these checks need has become resident
    anonymous(0);
    anonymous(REGION_DISTRIBUTED);
    protection();
    resizing();
    committing();
    committing_what_is_shared();
    stacks();
    refusals();
    listing();
    made_code();
    patching();
}
