// SPDX-License-Identifier: MIT
// Reads of memory that may not be there: the load that may fault is named in .fixups, and the data
// storage handler continues at its fixup (kernel/exception/fixup.c).
#include <kernel/asm.h>

// int safe_read_u64(u64 *to, const u64 *from): 0 or E_FAULT. Any context.
function safe_read_u64
1:  ld      r5, 0(r4)
    std     r5, 0(r3)
    li      r3, 0
    blr
2:  li      r3, -8
    blr
end_function safe_read_u64
    .section .fixups, "a"
    .quad   1b, 2b
    .text

// int safe_read_bytes(void *to, const void *from, u64 bytes): 0 or E_FAULT; bytes > 0.
function safe_read_bytes
    mtctr   r5
    li      r6, 0
1:  lbzx    r7, r4, r6
    stbx    r7, r3, r6
    addi    r6, r6, 1
    bdnz    1b
    li      r3, 0
    blr
2:  li      r3, -8
    blr
end_function safe_read_bytes
    .section .fixups, "a"
    .quad   1b, 2b
