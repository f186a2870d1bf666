# SPDX-License-Identifier: MIT
# Where the program begins, and clone. ELFv2: r12 is the address of a function that is entered from
# outside, and the kernel starts a program so.
#include <asm/unistd.h>

    .abiversion 2
    .text

    .globl  _start
_start:
    addis   2, 12, .TOC. - _start@ha
    addi    2, 2, .TOC. - _start@l
    ld      3, 0(1)                     # argc
    addi    4, 1, 8                     # argv
    clrrdi  1, 1, 4
    li      0, 0
    stdu    0, -32(1)
    bl      begin
    trap

# s64 clone_call(flags, top, ctid, function, argument)
    .globl  clone_call
clone_call:
    std     30, -16(1)
    std     31, -8(1)
    mr      30, 6
    mr      31, 7
    clrrdi  4, 4, 4
    addi    4, 4, -32
    mr      7, 5                        # ctid is the fifth
    li      5, 0
    li      6, 0
    li      0, __NR_clone
    sc
    bns+    1f
    neg     3, 3
1:  cmpdi   3, 0
    beq     2f
    ld      30, -16(1)
    ld      31, -8(1)
    blr
2:  li      0, 0                        # the child
    std     0, 0(1)
    mr      3, 31
    mr      12, 30
    mtctr   12
    bctrl
    li      3, 0
    li      0, __NR_exit
    sc
    trap
