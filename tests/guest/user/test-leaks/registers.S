// SPDX-License-Identifier: MIT
#include "function.inc"

#include "registers.h"

#define FRAME 0x140
#define KEPT(n) (0x70 + 8 * ((n) - 14)) // r14 ... r31
#define STRUCT 0x100
#define VALUE_3 0x108
#define KEPT_CR 0x110
#define VRSAVE 256
#define PPR 896

    .machine power9

    .macro each how, offset, base, numbers:vararg
    .irp n, \numbers
    \how    \n, \offset + 8*\n(\base)
    .endr
    .endm
    .macro each_fpr how
    each \how, REGISTERS_FPR, 3, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    each \how, REGISTERS_FPR, 3, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    .endm
    .macro each_kept how
    .irp n, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \how    \n, KEPT(\n)(1)
    .endr
    .endm

    .macro around name, instruction:vararg
function \name
    mflr    0
    std     0, 16(1)
    mfcr    0
    stdu    1, -FRAME(1)
    std     0, KEPT_CR(1)
    std     3, STRUCT(1)
    each_kept std
    lfd     0, REGISTERS_FPSCR(3)
    mtfsf   0xff, 0, 1, 0
    each_fpr lfd
    ld      0, REGISTERS_LR(3)
    mtlr    0
    ld      0, REGISTERS_CTR(3)
    mtctr   0
    ld      0, REGISTERS_XER(3)
    mtxer   0
    ld      0, REGISTERS_CR(3)
    mtcr    0
    ld      0, REGISTERS_VRSAVE(3)
    mtspr   VRSAVE, 0
    ld      0, REGISTERS_PPR(3)
    mtspr   PPR, 0
    each ld, 0, 3, 0,4,5,6,7,8,9,10,11,12
    each ld, 0, 3, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld      3, 8*3(3)
    \instruction
    std     3, VALUE_3(1)
    ld      3, STRUCT(1)
    each std, 0, 3, 0,4,5,6,7,8,9,10,11,12
    each std, 0, 3, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld      0, VALUE_3(1)
    std     0, 8*3(3)
    mflr    0
    std     0, REGISTERS_LR(3)
    mfctr   0
    std     0, REGISTERS_CTR(3)
    mfxer   0
    std     0, REGISTERS_XER(3)
    mfcr    0
    std     0, REGISTERS_CR(3)
    mfspr   0, VRSAVE
    std     0, REGISTERS_VRSAVE(3)
    mfspr   0, PPR
    std     0, REGISTERS_PPR(3)
    each_fpr stfd
    mffs    0
    stfd    0, REGISTERS_FPSCR(3)
    each_kept ld
    ld      0, KEPT_CR(1)
    mtcr    0
    addi    1, 1, FRAME
    ld      0, 16(1)
    mtlr    0
    blr
end_function \name
    .endm

    around registers_call, sc
    around registers_load, ld 14, 0(14)
