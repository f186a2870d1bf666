// SPDX-License-Identifier: MIT
// Common exception entry and exit: a full register frame (kernel/frame.h) on the interrupted stack,
// then exception_handle in C.
//
// Every kernel stack is the upper half of a 64 KB-aligned unit whose lower half is unmapped. So one
// bit of the stack pointer tells whether the frame still fits; if not, the emergency stack is used.
#include <kernel/asm.h>
#include <kernel/asm_offsets.h>
#include <kernel/frame.h>
#include <kernel/percpu.h>

#include "frame_exit.h"
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
    each_register std, FRAME_GPR, 3, 8
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
    each_register std, FRAME_GPR, 14, 31
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
    load_state
    // A frame whose magic is gone marks itself as dead for the stack walk.
    li      r0, 0
    std     r0, FRAME_MAGIC(r1)
    ld      r0, FRAME_GPR+0(r1)
    each_register ld, FRAME_GPR, 2, 12
    each_register ld, FRAME_GPR, 14, 31
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
