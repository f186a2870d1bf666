// SPDX-License-Identifier: MIT
// Registers before and after an entry into the kernel.
#include "registers.h"

#include "leaks.h"

#include <stdio.h>

#include <syscalls/numbers.h>

#define XER_BITS 0xe00c007fu             // those that are there
#define CR_KEPT 0x00fff000u              // fields 2, 3 and 4
#define PPR_PRIORITY 0x001c000000000000u // the kernel's own waiting changes it
#define CR_OWN 0x5a5a5a5au
// All of FPSCR that says how to round, and no exception that is enabled.
#define FPSCR_OWN 0x0000000700000003u

struct registers registers_of(u32 owner)
{
    struct registers registers = {.lr = 0};
    u64 *word = (u64 *)&registers;

    for (u32 i = 0; i < sizeof(registers) / sizeof(u64); i++)
        word[i] = (u64)owner << 32 | 0x1000 | i;
    registers.xer &= XER_BITS;
    registers.xer |= 0xa0000000u | (owner & 0x7f);
    registers.cr = CR_OWN ^ owner;
    registers.cr &= 0xffffffffu;
    registers.vrsave &= 0xffffffffu;
    registers.vrsave |= owner << 16;
    registers.fpscr = FPSCR_OWN & ((u64)owner << 32 | owner);
    return registers;
}

static bool is_number(u64 value)
{
    return value >= SYSCALL_SPECIAL_FIRST && value < SYSCALL_SPECIAL_FIRST + SYSCALL_SPECIAL_COUNT;
}

static u32 check(const char *where, const char *name, u32 number, u64 before, u64 after, bool good)
{
    if (!good)
        printf("FAIL %s: %s%u was %016llx, is %016llx\n", where, name, number,
               (unsigned long long)before, (unsigned long long)after);
    return !good;
}

static u32 check_cleared(const char *where, const char *name, u32 number, u64 before, u64 after)
{
    return check(where, name, number, before, after, after == before || after == 0);
}

u32 registers_wrong(const char *where, const struct registers *before,
                    const struct registers *after)
{
    u64 window = USER_WINDOW + (u64)user_cpu() * R13_WINDOW_SIZE; // r13, where CTR waits for it
    u32 wrong = 0;

    wrong +=
        check(where, "r", 0, before->gpr[0], after->gpr[0],
              after->gpr[0] == before->gpr[0] || after->gpr[0] == 0 || is_number(after->gpr[0]));
    for (u32 i = 14; i < 32; i++)
        wrong +=
            check(where, "r", i, before->gpr[i], after->gpr[i], after->gpr[i] == before->gpr[i]);
    wrong += check(where, "lr", 0, before->lr, after->lr, after->lr == before->lr);
    wrong += check(where, "ctr", 0, before->ctr, after->ctr,
                   after->ctr == before->ctr || after->ctr == 0 || after->ctr == window);
    wrong += check_cleared(where, "xer", 0, before->xer, after->xer);
    wrong +=
        check(where, "cr", 0, before->cr, after->cr, ((before->cr ^ after->cr) & CR_KEPT) == 0);
    wrong += check_cleared(where, "vrsave", 0, before->vrsave, after->vrsave);
    wrong +=
        check_cleared(where, "ppr", 0, before->ppr & ~PPR_PRIORITY, after->ppr & ~PPR_PRIORITY);
    wrong += check(where, "fpscr", 0, before->fpscr, after->fpscr, after->fpscr == before->fpscr);
    for (u32 i = 0; i < 32; i++)
        wrong +=
            check(where, "f", i, before->fpr[i], after->fpr[i], after->fpr[i] == before->fpr[i]);
    return wrong;
}
