// SPDX-License-Identifier: MIT
// A routine for each of the 1,024 special purpose registers to read it, and one to write it: two
// words each.
#include "function.inc"

    .macro table name, opcode
    .text
    .balign 8
\name:
    .set    spr, 0
    .rept   1024
    .long   \opcode | 3 << 21 | (spr & 31) << 16 | (spr >> 5) << 11
    blr
    .set    spr, spr + 1
    .endr
    .endm

    table readers, 0x7c0002a6
    table writers, 0x7c0003a6

    .macro enter table, number
    lis     11, \table@highest
    ori     11, 11, \table@higher
    sldi    11, 11, 32
    oris    11, 11, \table@high
    ori     11, 11, \table@l
    sldi    \number, \number, 3
    add     11, 11, \number
    mtctr   11
    bctr
    .endm

// u64 spr_read(u64 number, u64 otherwise): what r3 then has. 9, CTR, is no good: it is used.
function spr_read
    mr      12, 3
    mr      3, 4
    enter   readers, 12
end_function spr_read

// void spr_write(u64 number, u64 value). Not 8, LR.
function spr_write
    mr      12, 3
    mr      3, 4
    enter   writers, 12
end_function spr_write
