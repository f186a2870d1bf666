// SPDX-License-Identifier: MIT
// Assembly functions that C can call: descriptor and entry of the ELFv1 ABI.
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

#endif
