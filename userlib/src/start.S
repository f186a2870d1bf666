// SPDX-License-Identifier: MIT
// A process's first instruction. r1 is its stack, r2 its table of contents, r3 the argument block,
// r13 the window.

    .globl  _start
    .section .opd, "aw"
_start:
    .quad   ._start, .TOC.@tocbase, 0
    .section .text.start, "ax", @progbits
    .type   ._start, @function
._start:
    mr      r4, r1
    clrrdi  r1, r1, 4
    li      r0, 0
    stdu    r0, -112(r1)
    bl      user_start
    nop
    trap
    .size   ._start, . - ._start
