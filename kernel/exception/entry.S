// SPDX-License-Identifier: MIT
// Common exception entry and exit: a full register frame (kernel/frame.h) on the interrupted stack,
// then exception_handle in C.
//
// Every kernel stack is the upper half of a 64 KB-aligned unit whose lower half is unmapped, so one
// bit of the stack pointer tells whether the frame still fits; if not, the emergency stack is used.
#include <kernel/asm_offsets.h>
#include <kernel/frame.h>
#include <kernel/percpu.h>

#include "user.h"

    .text
    .globl exception_entry
    .balign 64
// Comes from the vectors, see their convention.
exception_entry:
    mr      r10, r1
    mfsrr1  r12
    andi.   r12, r12, MSR_PR
    bne     from_user
    addi    r1, r1, -FRAME_SIZE
    rldicl. r12, r1, 49, 63         // bit 0x8000
    beq-    stack_overflow
1:  std     r10, 0(r1)
2:  std     r10, FRAME_GPR+8(r1)
    std     r0, FRAME_GPR+0(r1)
    std     r2, FRAME_GPR+16(r1)
    std     r3, FRAME_GPR+24(r1)
    std     r4, FRAME_GPR+32(r1)
    std     r5, FRAME_GPR+40(r1)
    std     r6, FRAME_GPR+48(r1)
    std     r7, FRAME_GPR+56(r1)
    std     r8, FRAME_GPR+64(r1)
    ld      r3, PERCPU_SCRATCH+16(r13)
    ld      r4, PERCPU_SCRATCH+0(r13)
    ld      r5, PERCPU_SCRATCH+8(r13)
    ld      r6, PERCPU_SCRATCH+24(r13)
    std     r3, FRAME_GPR+72(r1)    // r9
    std     r4, FRAME_GPR+80(r1)    // r10
    std     r5, FRAME_GPR+88(r1)    // r11
    std     r6, FRAME_GPR+96(r1)    // r12
    mfspr   r3, 274
    std     r3, FRAME_GPR+104(r1)   // r13
    std     r14, FRAME_GPR+112(r1)
    std     r15, FRAME_GPR+120(r1)
    std     r16, FRAME_GPR+128(r1)
    std     r17, FRAME_GPR+136(r1)
    std     r18, FRAME_GPR+144(r1)
    std     r19, FRAME_GPR+152(r1)
    std     r20, FRAME_GPR+160(r1)
    std     r21, FRAME_GPR+168(r1)
    std     r22, FRAME_GPR+176(r1)
    std     r23, FRAME_GPR+184(r1)
    std     r24, FRAME_GPR+192(r1)
    std     r25, FRAME_GPR+200(r1)
    std     r26, FRAME_GPR+208(r1)
    std     r27, FRAME_GPR+216(r1)
    std     r28, FRAME_GPR+224(r1)
    std     r29, FRAME_GPR+232(r1)
    std     r30, FRAME_GPR+240(r1)
    std     r31, FRAME_GPR+248(r1)
    mfsrr0  r3
    mfsrr1  r4
    mflr    r5
    mfctr   r6
    mfxer   r7
    std     r3, FRAME_PC(r1)
    std     r4, FRAME_MSR(r1)
    std     r5, FRAME_LR(r1)
    std     r6, FRAME_CTR(r1)
    std     r7, FRAME_XER(r1)
    std     r9, FRAME_CR(r1)
    std     r11, FRAME_VECTOR(r1)
    mfdar   r3
    mfdsisr r4
    lbz     r5, PERCPU_SOFT_MASKED(r13)
    std     r3, FRAME_DAR(r1)
    std     r4, FRAME_DSISR(r1)
    std     r5, FRAME_MASKED(r1)
    lis     r6, FRAME_MAGIC_VALUE@highest
    ori     r6, r6, FRAME_MAGIC_VALUE@higher
    sldi    r6, r6, 32
    oris    r6, r6, FRAME_MAGIC_VALUE@high
    ori     r6, r6, FRAME_MAGIC_VALUE@l
    std     r6, FRAME_MAGIC(r1)
    ld      r2, PERCPU_TOC(r13)
    addi    r3, r1, FRAME_GPR
    ld      r4, FRAME_MSR(r1)
    andi.   r4, r4, MSR_PR
    bne     handle_user
    bl      exception_handle        // returns with MSR[EE] off
    nop

    .globl exception_return
exception_return:
    ld      r3, FRAME_PC(r1)
    ld      r4, FRAME_MSR(r1)
    ld      r5, FRAME_LR(r1)
    ld      r6, FRAME_CTR(r1)
    ld      r7, FRAME_XER(r1)
    ld      r8, FRAME_CR(r1)
    mtsrr0  r3
    mtsrr1  r4
    mtlr    r5
    mtctr   r6
    mtxer   r7
    mtcr    r8
    // A frame whose magic is gone marks itself as dead for the stack walk.
    li      r0, 0
    std     r0, FRAME_MAGIC(r1)
    ld      r0, FRAME_GPR+0(r1)
    ld      r2, FRAME_GPR+16(r1)
    ld      r3, FRAME_GPR+24(r1)
    ld      r4, FRAME_GPR+32(r1)
    ld      r5, FRAME_GPR+40(r1)
    ld      r6, FRAME_GPR+48(r1)
    ld      r7, FRAME_GPR+56(r1)
    ld      r8, FRAME_GPR+64(r1)
    ld      r9, FRAME_GPR+72(r1)
    ld      r10, FRAME_GPR+80(r1)
    ld      r11, FRAME_GPR+88(r1)
    ld      r12, FRAME_GPR+96(r1)
    ld      r14, FRAME_GPR+112(r1)
    ld      r15, FRAME_GPR+120(r1)
    ld      r16, FRAME_GPR+128(r1)
    ld      r17, FRAME_GPR+136(r1)
    ld      r18, FRAME_GPR+144(r1)
    ld      r19, FRAME_GPR+152(r1)
    ld      r20, FRAME_GPR+160(r1)
    ld      r21, FRAME_GPR+168(r1)
    ld      r22, FRAME_GPR+176(r1)
    ld      r23, FRAME_GPR+184(r1)
    ld      r24, FRAME_GPR+192(r1)
    ld      r25, FRAME_GPR+200(r1)
    ld      r26, FRAME_GPR+208(r1)
    ld      r27, FRAME_GPR+216(r1)
    ld      r28, FRAME_GPR+224(r1)
    ld      r29, FRAME_GPR+232(r1)
    ld      r30, FRAME_GPR+240(r1)
    ld      r31, FRAME_GPR+248(r1)
    ld      r1, FRAME_GPR+8(r1)
    rfid

// The user's stack pointer is of no use here: the frame of user code has its place (user.h).
from_user:
    ld      r12, PERCPU_KERNEL_STACK(r13)
    addi    r1, r12, -USER_FRAME
    std     r12, 0(r1)
    b       2b

handle_user:
    bl      user_exception          // the same
    nop
    b       user_return

// The frame would reach into the guard: go on with the emergency stack; C sees it and panics.
stack_overflow:
    ld      r1, PERCPU_EMERGENCY_STACK(r13)
    addi    r1, r1, -FRAME_SIZE
    b       1b
