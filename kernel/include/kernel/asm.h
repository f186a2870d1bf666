// SPDX-License-Identifier: MIT
// Macros for assembly: functions that C can call (descriptor and entry of the ELFv1 ABI), and rows
// of registers.
#ifndef KERNEL_ASM_H
#define KERNEL_ASM_H

// clang-format off
    .macro function name
    .globl \name
    .section .opd, "aw"
\name:
    .quad   .\name, .TOC.@tocbase, 0
    .text
    .type   .\name, @function
.\name:
    .endm

    .macro end_function name
    .size   .\name, . - .\name
    .endm

// instruction n, base + 8 * n(at), for the registers from first to last.
    .macro each_register instruction, base, first, last, at=1
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    .if \n >= \first && \n <= \last
    \instruction \n, (\base)+8*\n(\at)
    .endif
    .endr
    .endm

#endif
