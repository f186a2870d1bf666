// SPDX-License-Identifier: MIT
// Floating-point registers of user code. They stay in the CPU until another dispatcher of that CPU
// uses them; the kernel itself uses none.
#ifndef KERNEL_EXCEPTION_FPU_H
#define KERNEL_EXCEPTION_FPU_H

#include <orrery/types.h>

#define MSR_FP 0x2000UL

struct fpu_state {
    u64 fpr[32];
    u64 fpscr;
};

struct dispatcher;

// Move all registers to or from memory. Assembly; soft-masked.
void fpu_save(struct fpu_state *state);
void fpu_load(const struct fpu_state *state);

// MSR[FP] in a dispatcher's frame says that it has its CPU's registers. Both go together: another
// one that preempts it takes both away.
//
// Gives the current dispatcher the registers, with its own contents. Thread context.
void fpu_take(struct dispatcher *dispatcher);
// Lets the current dispatcher, whose frame has been written anew, use the registers again if they
// still are its own. Thread context.
void fpu_resume(struct dispatcher *dispatcher);
// Forgets a dispatcher that ends. On its CPU, thread context.
void fpu_discard(const struct dispatcher *dispatcher);

#endif
