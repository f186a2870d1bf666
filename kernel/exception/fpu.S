// SPDX-License-Identifier: MIT
// The floating-point registers, to and from memory (struct fpu_state).
#include <kernel/asm.h>

#define FPSCR 256
#define MSR_FP 0x2000

    .macro fpu_on
    mfmsr   r5
    ori     r6, r5, MSR_FP
    mtmsrd  r6
    isync
    .endm

    .macro each_fpr instruction
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \instruction \n, 8*\n(3)
    .endr
    .endm

// void fpu_save(struct fpu_state *state): soft-masked. Changes r5, r6, FPR 0.
function fpu_save
    fpu_on
    each_fpr stfd
    mffs    0
    stfd    0, FPSCR(r3)
    lfd     0, 0(r3)
    mtmsrd  r5
    blr
end_function fpu_save

// void fpu_load(const struct fpu_state *state): soft-masked.
function fpu_load
    fpu_on
    lfd     0, FPSCR(r3)
    mtfsf   0xff, 0, 1, 0           // all 64 bits
    each_fpr lfd
    mtmsrd  r5
    blr
end_function fpu_load
