// SPDX-License-Identifier: MIT
// First instructions: of the process, and of upcalls.
#include <syscalls/numbers.h>

#include "function.inc"

// The process begins: r1 is its stack, r3 the argument that process_start was given.
    .globl  _start
    .section .opd, "aw"
_start:
    .quad   ._start, .TOC.@tocbase, 0
    .section .text.start, "ax", @progbits
    .type   ._start, @function
._start:
    clrrdi  r1, r1, 4
    li      r0, 0
    stdu    r0, -112(r1)
    bl      target_main
    nop
    trap
    .size   ._start, . - ._start

// The kernel comes here with an event in r3 ... r12, on the upcall stack, disabled.
    .set    EVENT, 112
function upcall_entry
    li      r0, 0
    stdu    r0, -(EVENT + 80)(r1)
    std     r3, (EVENT + 0)(r1)
    std     r4, (EVENT + 8)(r1)
    std     r5, (EVENT + 16)(r1)
    std     r6, (EVENT + 24)(r1)
    std     r7, (EVENT + 32)(r1)
    std     r8, (EVENT + 40)(r1)
    std     r9, (EVENT + 48)(r1)
    std     r10, (EVENT + 56)(r1)
    std     r11, (EVENT + 64)(r1)
    std     r12, (EVENT + 72)(r1)
    addi    r3, r1, EVENT
    bl      event_upcall
    nop
    trap
    end upcall_entry
