// SPDX-License-Identifier: MIT
// All commands of the model unit, and what would be one,
// each a routine of two words: MODEL_COMMAND | 0 … 255.
#include "function.inc"

    .text
    .balign 8
first:
    .set number, 0
    .rept 256
    twi     0, r4, 0x4f00 + number
    blr
    .set number, number + 1
    .endr

// void command(u64 number, u64 word)
function command
    lis     r5, first@highest
    ori     r5, r5, first@higher
    sldi    r5, r5, 32
    oris    r5, r5, first@high
    ori     r5, r5, first@l
    sldi    r3, r3, 3
    add     r5, r5, r3
    mtctr   r5
    bctr
end_function command
