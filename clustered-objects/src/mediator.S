// SPDX-License-Identifier: MIT
// The mediator's methods. Each slot of its interface keeps the arguments, has co_mediator_enter
// (mediator.c) count the call in and find what to call, calls that, and counts out. A call that was
// not counted, because the swap is over, goes on like one behind a miss.
//
// In: r3 = self, the mediator's rep; r4-r10 arguments; LR the caller. Out: as the method; or r3 =
// error when there is no rep. Arguments on the stack are not passed on.

#define FRAME 0xd0
#include "slots.inc"

#define MEDIATION 0xb8 // struct co_mediation; co_mediator_recurs knows where
#define TOC_HOME 40

        .machine power8
        .section .text
        .balign 16
mediator_common:
        keep_call
        srdi    4, 11, 3
        addi    5, 1, MEDIATION
        bl      co_mediator_enter
        nop
        li      12, LOWEST_ERROR
        cmpld   3, 12
        bge     .Lreturn
        bring_call
        ld      12, 0(3)        // interface table
        ldx     12, 12, 11      // function descriptor {entry, TOC}
        ld      0, 0(12)
        mtctr   0
        ld      11, MEDIATION(1)
        cmpdi   11, 0
        beq     .Lrestart
        std     2, TOC_HOME(1)
        ld      2, 8(12)
        bctrl
        .globl  co_mediator_return
co_mediator_return:
        ld      2, TOC_HOME(1)
        std     3, SLOT(1)
        addi    3, 1, MEDIATION
        bl      co_mediator_leave
        nop
        ld      3, SLOT(1)
.Lreturn:
        drop_frame
        blr
.Lrestart:
        drop_frame
        ld      2, 8(12)
        bctr
        .size   mediator_common, . - mediator_common

        interface_of co_mediator_ops, mediator

        .section .note.GNU-stack, "", @progbits
