// SPDX-License-Identifier: MIT
// setjmp and longjmp for 64 bits: r1, r2, lr, cr, r14 … r31, f14 … f31.
#include "function.inc"

#include <machine/setjmp.h>

    .if     176 + 18 * 8 != SETJMP_BYTES
    .error  "a jmp_buf is not what setjmp saves"
    .endif

    .macro  registers gpr, fpr
    .irp    n, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \gpr    \n, (32 + (\n - 14) * 8)(r3)
    \fpr    \n, (176 + (\n - 14) * 8)(r3)
    .endr
    .endm

// int setjmp(jmp_buf buffer)
function setjmp
    mflr    r4
    mfcr    r5
    std     r1, 0(r3)
    std     r2, 8(r3)
    std     r4, 16(r3)
    std     r5, 24(r3)
    registers std, stfd
    li      r3, 0
    blr
    end setjmp

// void longjmp(jmp_buf buffer, int value)
function longjmp
    ld      r6, 0(r3)
    ld      r2, 8(r3)
    ld      r0, 16(r3)
    ld      r5, 24(r3)
    registers ld, lfd
    mtlr    r0
    mtcrf   0xff, r5
    mr      r1, r6
    cmpwi   r4, 0
    li      r3, 1
    beqlr
    extsw   r3, r4
    blr
    end longjmp
