// SPDX-License-Identifier: MIT
// All registers of user code around one instruction that enters the kernel. Shared by C and
// assembly.
#ifndef TEST_LEAKS_REGISTERS_H
#define TEST_LEAKS_REGISTERS_H

#define REGISTERS_LR 256
#define REGISTERS_CTR 264
#define REGISTERS_XER 272
#define REGISTERS_CR 280
#define REGISTERS_VRSAVE 288
#define REGISTERS_PPR 296
#define REGISTERS_FPSCR 304
#define REGISTERS_FPR 312

#ifndef __ASSEMBLER__
#include <orrery/user.h>

struct registers {
    u64 gpr[32]; // r1, r2 and r13 stay as they are
    u64 lr, ctr, xer, cr;
    u64 vrsave, ppr;
    u64 fpscr, fpr[32];
};

// Loads all registers, makes a system call, and stores what they are afterwards.
void registers_call(struct registers *registers);
// The same around a load from the address in r14.
void registers_load(struct registers *registers);

// Each register has the word `owner` and its own number.
struct registers registers_of(u32 owner);

// Compares the registers after an entry with those before. What may have changed: r3 to r12, which
// an event or a result is in, are up to the caller, who says which ones changed; r0, CTR and XER
// can be cleared, and VRSAVE and PPR, as somebody else may have run. r0 can have the number of a
// special system call. Fields of CR that a system call changes are not looked at. Everything else
// is as it was. Prints what is not, and returns how many registers that are.
u32 registers_wrong(const char *where, const struct registers *before,
                    const struct registers *after);
#endif
#endif
