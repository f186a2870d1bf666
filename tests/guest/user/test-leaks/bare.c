// SPDX-License-Identifier: MIT
// What a process finds in its registers when it begins, and when upcalls come: nothing of who ran
// before, and no address of the kernel's. Its starter has its own word in all registers.
#include "bare.h"

#include "leaks.h"

#include <orrery/memory.h>
#include <stdio.h>
#include <string.h>
#include <syscalls/numbers.h>
#include <waiting.h>

#define CODE USER_IMAGE
#define TOC 0x70c070c0
#define KERNEL 0xc // what addresses of the kernel begin with

extern const u8 bare_begin[], bare_end[];

struct bare {
    cap_t process, memory;
    u8 *pages; // what it stores, mapped here
};

static s64 map(cap_t process, u64 *address, cap_t memory)
{
    struct sys_region region = {.address = *address,
                                .bytes = BARE_PAGES * BARE_PAGE,
                                .kind = REGION_SHARED,
                                .prot = PROT_R | PROT_W,
                                .memory = memory};
    s64 error = sys_region_create(process, &region);

    *address = region.address;
    return error;
}

static s64 load_code(cap_t process)
{
    struct sys_region region = {
        .address = CODE, .bytes = BARE_PAGE, .kind = REGION_ANONYMOUS, .prot = PROT_R | PROT_X};
    s64 error = sys_region_create(process, &region);

    return error != 0 ? error
                      : sys_process_write(process, CODE, bare_begin, (u64)(bare_end - bare_begin));
}

static s64 make(struct bare *bare)
{
    const struct sys_process_new wanted = {.name = "bare", .priority = PROCESS_NORMAL};
    const struct sys_process_image image = {.upcall_entry = CODE + BARE_UPCALL, .upcall_toc = TOC};
    s64 process = sys_process_create(&wanted), memory = -1;
    u64 here = 0, there = USER_MAP;

    if (process < 0)
        return process;
    bare->process = (cap_t)process;
    memory = sys_memory_new("bare", BARE_PAGES * BARE_PAGE);
    if (memory < 0)
        return memory;
    bare->memory = (cap_t)memory;
    s64 error = map(0, &here, bare->memory);
    error = error != 0 ? error : map(bare->process, &there, bare->memory);
    bare->pages = (u8 *)here;
    if (error == 0)
        memcpy(bare->pages + BARE_IMAGE, &image, sizeof(image));
    return error != 0 ? error : load_code(bare->process);
}

static s64 start(const struct bare *bare)
{
    const struct sys_process_start how = {
        .pc = CODE, .toc = TOC, .sp = USER_MAP, .argument = user_cpu(), .cpu = user_cpu()};
    struct registers registers = registers_of(CLIENT);

    registers.gpr[0] = SYS_PROCESS_START;
    registers.gpr[3] = bare->process;
    registers.gpr[4] = (u64)&how;
    registers_call(&registers);
    return (s64)registers.gpr[3];
}

static bool is_gone(u32 pid)
{
    struct sys_process_info info;
    return sys_process_info(pid, &info) < 0;
}

static u32 look(const char *when, const struct registers *registers)
{
    const u64 *words = (const u64 *)registers;
    u32 wrong = 0;

    for (u32 i = 0; i < sizeof(*registers) / sizeof(u64); i++) {
        u32 upper = (u32)(words[i] >> 32), lower = (u32)words[i];
        bool other = upper == CLIENT || upper == SERVER || lower == CLIENT || lower == SERVER;
        if (!other && words[i] >> 60 != KERNEL)
            continue;
        tell("FAIL %s: word %u of all registers is %#lx\n", when, i, words[i]);
        wrong++;
    }
    return wrong;
}

u32 bare_wrong(void)
{
    static const char *const whens[BARE_PAGES] = {"at the start", "in an upcall",
                                                  "in the upcall of an exception"};
    struct bare bare = {.process = 0};
    s64 error = make(&bare);
    u32 pid = error == 0 ? (u32)sys_process_pid(bare.process) : 0, wrong = 0;

    error = error != 0 ? error : start(&bare);
    if (error != 0 || !WAIT_FOR(is_gone(pid))) {
        tell("FAIL the bare process: %ld\n", error);
        return 1;
    }
    for (u32 i = 0; i < BARE_PAGES; i++) {
        const struct registers *registers = (const void *)(bare.pages + i * BARE_PAGE);
        bool been = registers->gpr[1] == (u64)USER_MAP + i * BARE_PAGE && registers->gpr[2] == TOC;
        wrong += look(whens[i], registers) + !been;
    }
    sys_region_destroy((u64)bare.pages);
    sys_cap_drop(bare.memory);
    sys_cap_drop(bare.process);
    return wrong;
}
