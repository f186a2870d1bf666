// SPDX-License-Identifier: MIT
// Hypercalls.
#include <kernel/asm.h>

// s64 hcall(u64 number, const u64 arguments[8], u64 out[4])
function hcall
    mr      r12, r5
    std     r12, 64(r1)     // home of the third argument
    mr      r12, r4
    ld      r4, 0(r12)
    ld      r5, 8(r12)
    ld      r6, 16(r12)
    ld      r7, 24(r12)
    ld      r8, 32(r12)
    ld      r9, 40(r12)
    ld      r10, 48(r12)
    ld      r11, 56(r12)
    sc      1
    ld      r12, 64(r1)
    cmpdi   r12, 0
    beqlr
    std     r4, 0(r12)
    std     r5, 8(r12)
    std     r6, 16(r12)
    std     r7, 24(r12)
    blr
end_function hcall
