// SPDX-License-Identifier: MIT
// For handlers of the fast paths' points (kernel/points_asm.h) that call C: they are in the middle
// of the path's registers.
#ifndef KERNEL_POINTS_FAST_IN_C_H
#define KERNEL_POINTS_FAST_IN_C_H

#include <kernel/asm.h>
#include <kernel/asm_offsets.h>

#include "exception/user.h"

// A frame below that of the user code: 0x80 for the callee, r5 ... r12.
#define IN_C_FRAME (USER_FRAME + 0xc0)
#define IN_C_KEPT (0x80 - 8 * 5) // r5 ... r12, above 0x80 for the callee

// clang-format off
// Around a call of C: keep r5 ... r12 and LR, which is in r28 meanwhile. begin_c changes r2, too.
    .macro begin_c
    mflr    r28
    std     r28, 16(r1)             // where the stack is walked
    stdu    r1, -IN_C_FRAME(r1)
    each_register std, IN_C_KEPT, 5, 12
    ld      r2, PERCPU_TOC(r13)
    .endm
    .macro end_c
    nop
    mtlr    r28
    each_register ld, IN_C_KEPT, 5, 12
    addi    r1, r1, IN_C_FRAME
    .endm
// clang-format on

#endif
