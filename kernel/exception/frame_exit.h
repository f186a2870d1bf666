// SPDX-License-Identifier: MIT
// The way out of a frame (kernel/frame.h), for assembly.
#ifndef KERNEL_EXCEPTION_FRAME_EXIT_H
#define KERNEL_EXCEPTION_FRAME_EXIT_H

#include <kernel/frame.h>

// clang-format off
// What rfid needs, and LR, CTR, XER and CR, from the frame at r1. Changes r3 ... r8. EE off.
    .macro load_state
    ld      r3, FRAME_PC(r1)
    ld      r4, FRAME_MSR(r1)
    ld      r5, FRAME_LR(r1)
    ld      r6, FRAME_CTR(r1)
    ld      r7, FRAME_XER(r1)
    ld      r8, FRAME_CR(r1)
    mtsrr0  r3
    mtsrr1  r4
    mtlr    r5
    mtctr   r6
    mtxer   r7
    mtcr    r8
    .endm

#endif
