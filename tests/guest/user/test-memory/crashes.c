// SPDX-License-Identifier: MIT
// What must end a process, and only it: each in a child of its own.
#include "tests.h"

#include <orrery/user.h>
#include <string.h>

#define DATA_STORAGE 0x300
#define DATA_SEGMENT 0x380
#define INSTRUCTION_STORAGE 0x400
#define SURVIVED 77

// Not inlined, or the compiler sees where they lead.
static __attribute__((noipa)) void store(u64 address)
{
    *(volatile u32 *)address = 1;
}

static __attribute__((noipa)) void load(u64 address)
{
    (void)*(volatile u32 *)address;
}

static __attribute__((noipa)) void jump(u64 address)
{
    u64 descriptor[3] = {address, 0, 0};
    void (*function)(void);

    memcpy(&function, &(u64 *){descriptor}, sizeof(function));
    function();
}

static u64 region(u32 kind, u32 prot)
{
    return make_region(kind, 4 * PAGE, prot, 0, 0);
}

static const char constant[] = "read-only";

static void no_execute(void)
{
    u64 address = region(REGION_ANONYMOUS, PROT_R | PROT_W);
    *(volatile u32 *)address = 0x4e800020; // blr
    jump(address);
}
static void text_write(void)
{
    store((u64)region & ~3UL);
}
static void constant_write(void)
{
    store((u64)constant & ~3UL);
}
static void guard(void)
{
    store(region(REGION_STACK, PROT_R | PROT_W) - 8);
}
static void null_read(void)
{
    load(8);
}
static void null_jump(void)
{
    jump(0);
}
static void uncommitted(void)
{
    load(region(REGION_COMMIT, PROT_R | PROT_W));
}
static void read_only(void)
{
    store(region(REGION_ANONYMOUS, PROT_R));
}
static void no_access(void)
{
    load(region(REGION_ANONYMOUS, 0));
}
static void kernel_read(void)
{
    load(0xc000000000400000);
}
static void kernel_write(void)
{
    store(0xc000000000c00000);
}
static void kernel_jump(void)
{
    jump(0xc000000000400000);
}
static void beyond_end(void)
{
    load(USER_END + 0x1000);
}

static const struct {
    const char *name;
    void (*act)(void);
    s32 vector;
} crashes[] = {
    {"no-execute", no_execute, INSTRUCTION_STORAGE},
    {"text-write", text_write, DATA_STORAGE},
    {"constant-write", constant_write, DATA_STORAGE},
    {"guard", guard, DATA_STORAGE},
    {"null-read", null_read, DATA_STORAGE},
    {"null-jump", null_jump, INSTRUCTION_STORAGE},
    {"uncommitted", uncommitted, DATA_STORAGE},
    {"read-only", read_only, DATA_STORAGE},
    {"no-access", no_access, DATA_STORAGE},
    {"kernel-read", kernel_read, DATA_STORAGE},
    {"kernel-write", kernel_write, DATA_STORAGE},
    {"kernel-jump", kernel_jump, INSTRUCTION_STORAGE},
    {"beyond-end", beyond_end, DATA_STORAGE},
};

int child_scenario(const char *name)
{
    for (u32 i = 0; i < ARRAY_SIZE(crashes); i++) {
        if (strcmp(name, crashes[i].name) == 0)
            crashes[i].act();
    }
    int status = child_sharing(name);
    if (status < 0)
        status = child_files(name);
    if (status < 0)
        status = child_chaos(name);
    return status >= 0 ? status : SURVIVED;
}

void test_crashes(void)
{
    for (u32 i = 0; i < ARRAY_SIZE(crashes); i++)
        CHECK_IS(run_child(crashes[i].name, 0, 0), STATUS_KILLED(crashes[i].vector));
}
