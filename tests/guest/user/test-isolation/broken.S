// SPDX-License-Identifier: MIT
// Code that goes on without what everything else relies on: system calls, page faults and
// interrupts must do without it too.
#include "function.inc"
#include <syscalls/numbers.h>

// void without_r13(u64 rounds): r13 is 0, then a kernel address, and so on.
function without_r13
    mr      r11, r13
    std     r31, -8(r1)
    std     r30, -16(r1)
    std     r29, -24(r1)
    mr      r31, r3
    mr      r30, r11
    li      r29, 0xC
    sldi    r29, r29, 60
1:  li      r13, 0
    li      r0, SYS_PROCESS_PID
    li      r3, 0
    sc
    mr      r13, r29
    li      r0, SYS_PROCESS_PID
    li      r3, 0
    sc
    addi    r29, r29, 0x1000
    addi    r31, r31, -1
    cmpdi   r31, 0
    bne     1b
    mr      r13, r30
    ld      r31, -8(r1)
    ld      r30, -16(r1)
    ld      r29, -24(r1)
    blr
end_function without_r13

// void without_stack(u64 address)
function without_stack
    mr      r1, r3
    li      r2, -1
    lis     r31, 0x100
1:  addi    r31, r31, -1
    cmpdi   r31, 0
    bne     1b
    li      r0, SYS_PROCESS_PID
    li      r3, 0
    sc
    li      r0, SYS_EXIT
    li      r3, 0
    sc
    trap
end_function without_stack

// void jump_to(u64 address)
function jump_to
    mtctr   r3
    bctr
end_function jump_to
