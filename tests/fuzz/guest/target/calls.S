// SPDX-License-Identifier: MIT
// Calls with all registers as one likes, and ways back from what may go wrong (raw.h).
#include "function.inc"

// void raw_call(u64 registers[11]): r0, r3 ... r12, before and after.
function raw_call
    mflr    r0
    std     r0, 16(r1)
    std     r31, -8(r1)
    stdu    r1, -128(r1)
    mr      r31, r3
    ld      r0, 0(r31)
    ld      r3, 8(r31)
    ld      r4, 16(r31)
    ld      r5, 24(r31)
    ld      r6, 32(r31)
    ld      r7, 40(r31)
    ld      r8, 48(r31)
    ld      r9, 56(r31)
    ld      r10, 64(r31)
    ld      r11, 72(r31)
    ld      r12, 80(r31)
    sc
    std     r3, 8(r31)
    std     r4, 16(r31)
    std     r5, 24(r31)
    std     r6, 32(r31)
    std     r7, 40(r31)
    std     r8, 48(r31)
    std     r9, 56(r31)
    std     r10, 64(r31)
    std     r11, 72(r31)
    std     r12, 80(r31)
    addi    r1, r1, 128
    ld      r31, -8(r1)
    ld      r0, 16(r1)
    mtlr    r0
    blr
    end raw_call

// u64 context_save(u64 context[CONTEXT_WORDS]): 0; and once more, not 0, from `landing`.
function context_save
    mflr    r0
    mfcr    r4
    std     r1, 0(r3)
    std     r2, 8(r3)
    std     r0, 16(r3)
    std     r4, 24(r3)
    std     r13, 32(r3)
    .irp    n, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    std     \n, (40 + (\n - 14) * 8)(r3)
    .endr
    li      r3, 0
    blr
    end context_save

// r3 is the context. Where a resumed state goes on, and a fault's.
function landing
    ld      r1, 0(r3)
    ld      r2, 8(r3)
    ld      r0, 16(r3)
    ld      r4, 24(r3)
    ld      r13, 32(r3)
    mtlr    r0
    mtcrf   0xff, r4
    .irp    n, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld      \n, (40 + (\n - 14) * 8)(r3)
    .endr
    li      r3, 1
    blr
    end landing

// void execute_at(u64 address)
function execute_at
    mflr    r0
    std     r0, 16(r1)
    stdu    r1, -112(r1)
    mtctr   r3
    bctrl
    addi    r1, r1, 112
    ld      r0, 16(r1)
    mtlr    r0
    blr
    end execute_at
