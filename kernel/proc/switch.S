// SPDX-License-Identifier: MIT
// Thread switch: saves what the ABI asks a callee to keep. 46 instructions.
#include <kernel/asm.h>

// void thread_switch(u64 *save_stack, u64 stack): soft-masked. Stores this thread's stack pointer
// and goes on with the other's.
function thread_switch
    mflr    r0
    mfcr    r6
    std     r0, 16(r1)
    stdu    r1, -0x100(r1)
    std     r6, 0x108(r1)
    std     r14, 0x70(r1)
    std     r15, 0x78(r1)
    std     r16, 0x80(r1)
    std     r17, 0x88(r1)
    std     r18, 0x90(r1)
    std     r19, 0x98(r1)
    std     r20, 0xa0(r1)
    std     r21, 0xa8(r1)
    std     r22, 0xb0(r1)
    std     r23, 0xb8(r1)
    std     r24, 0xc0(r1)
    std     r25, 0xc8(r1)
    std     r26, 0xd0(r1)
    std     r27, 0xd8(r1)
    std     r28, 0xe0(r1)
    std     r29, 0xe8(r1)
    std     r30, 0xf0(r1)
    std     r31, 0xf8(r1)
    std     r1, 0(r3)
    mr      r1, r4
    ld      r14, 0x70(r1)
    ld      r15, 0x78(r1)
    ld      r16, 0x80(r1)
    ld      r17, 0x88(r1)
    ld      r18, 0x90(r1)
    ld      r19, 0x98(r1)
    ld      r20, 0xa0(r1)
    ld      r21, 0xa8(r1)
    ld      r22, 0xb0(r1)
    ld      r23, 0xb8(r1)
    ld      r24, 0xc0(r1)
    ld      r25, 0xc8(r1)
    ld      r26, 0xd0(r1)
    ld      r27, 0xd8(r1)
    ld      r28, 0xe0(r1)
    ld      r29, 0xe8(r1)
    ld      r30, 0xf0(r1)
    ld      r31, 0xf8(r1)
    addi    r1, r1, 0x100
    ld      r6, 8(r1)
    ld      r0, 16(r1)
    mtcrf   0x38, r6
    mtlr    r0
    blr
end_function thread_switch

// First return of a new thread: its switch frame names this as return address; r14 = entry
// function's descriptor, r15 = argument.
function thread_begin
    mr      r3, r14
    mr      r4, r15
    bl      thread_main
    nop
    trap
end_function thread_begin
