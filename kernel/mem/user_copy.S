// SPDX-License-Identifier: MIT
// Copies where one side is user memory: eight bytes a step, aligned or not, 32 a round. Every
// access that may fault is named in .fixups; the fault handler goes there when the
// page cannot be had.
#include <kernel/asm.h>

    .macro fixup address
    .pushsection .fixups, "a"
    .quad   \address, user_copy_failed
    .popsection
    .endm

    .macro may_fault instruction:vararg
9:  \instruction
    fixup   9b
    .endm

// s64 user_copy(void *to, const void *from, u64 bytes): 0 or E_FAULT.
function user_copy
    srdi.   r6, r5, 5
    beq     2f
    mtctr   r6
1:  may_fault ld r7, 0(r4)
    may_fault ld r8, 8(r4)
    may_fault ld r9, 16(r4)
    may_fault ld r10, 24(r4)
    may_fault std r7, 0(r3)
    may_fault std r8, 8(r3)
    may_fault std r9, 16(r3)
    may_fault std r10, 24(r3)
    addi    r4, r4, 32
    addi    r3, r3, 32
    bdnz    1b
2:  rldicl. r6, r5, 61, 62          // doublewords left: 0 to 3
    beq     4f
    mtctr   r6
3:  may_fault ld r7, 0(r4)
    may_fault std r7, 0(r3)
    addi    r4, r4, 8
    addi    r3, r3, 8
    bdnz    3b
4:  clrldi. r6, r5, 61              // bytes left: 0 to 7
    beq     6f
    mtctr   r6
5:  may_fault lbz r7, 0(r4)
    may_fault stb r7, 0(r3)
    addi    r4, r4, 1
    addi    r3, r3, 1
    bdnz    5b
6:  li      r3, 0
    blr
user_copy_failed:
    li      r3, -8
    blr
end_function user_copy

// s64 user_copy_string(char *to, const char *from, u64 max): length without the NUL; E_FAULT;
// E_INVAL when no NUL is among the first max bytes.
function user_copy_string
    cmpdi   r5, 0
    beq     3f
    mtctr   r5
    li      r6, 0
1:  may_fault lbzx r7, r4, r6
    stbx    r7, r3, r6
    cmpwi   r7, 0
    beq     2f
    addi    r6, r6, 1
    bdnz    1b
3:  li      r3, -1
    blr
2:  mr      r3, r6
    blr
end_function user_copy_string
