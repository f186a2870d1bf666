// SPDX-License-Identifier: MIT
// The Default Object's methods. Each slot of its interface is a trampoline: keep the arguments, let
// co_miss (miss.c) supply this CPU's rep, and restart the call on the same slot of the rep. The
// method called returns straight to the caller; stack arguments stay where the caller put them.
//
// In: r3 = self, the address of word 1 of the empty LTT entry; r4-r10 arguments; LR the caller.
// Out: as the method; or r3 = error when there is no rep. 14 instructions
// besides saving and restoring.

#define FRAME 0xc0
#include "slots.inc"

        .machine power8
        .section .text
        .balign 16
trampoline_common:
        keep_call
        bl      co_miss
        nop
        bring_call
        drop_frame
        li      12, LOWEST_ERROR
        cmpld   3, 12
        bgelr
        ld      12, 0(3)        // interface table
        ldx     12, 12, 11      // function descriptor {entry, TOC}
        ld      0, 0(12)
        ld      2, 8(12)
        mtctr   0
        bctr
        .size   trampoline_common, . - trampoline_common

        interface_of co_default_ops, trampoline

        .section .note.GNU-stack, "", @progbits
