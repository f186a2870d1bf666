// SPDX-License-Identifier: MIT
// The Default Object's methods. Each slot of its interface is a trampoline: keep the arguments, let
// co_miss (miss.c) supply this CPU's rep, and restart the call on the same slot of the rep. The
// method called returns straight to the caller; stack arguments stay where the caller put them.
//
// In: r3 = self, the address of word 1 of the empty LTT entry; r4-r10 arguments; LR the caller.
// Out: as the method; or r3 = error when there is no rep. 14 instructions
// besides saving and restoring.

#define SLOTS 64 // CO_METHOD_SLOTS
#define FRAME 0xc0
#define ARGUMENTS 0x70 // behind the header and co_miss's parameter save area
#define SLOT 0xb0
#define LR_HOME 16
#define LOWEST_ERROR -4096 // addresses, as unsigned, are below it

        .machine power8
        .section .text
        .balign 16
trampoline_common:
        mflr    0
        std     0, LR_HOME(1)
        stdu    1, -FRAME(1)
        std     11, SLOT(1)
        std     4, ARGUMENTS+8(1)
        std     5, ARGUMENTS+16(1)
        std     6, ARGUMENTS+24(1)
        std     7, ARGUMENTS+32(1)
        std     8, ARGUMENTS+40(1)
        std     9, ARGUMENTS+48(1)
        std     10, ARGUMENTS+56(1)
        bl      co_miss
        nop
        ld      11, SLOT(1)
        ld      4, ARGUMENTS+8(1)
        ld      5, ARGUMENTS+16(1)
        ld      6, ARGUMENTS+24(1)
        ld      7, ARGUMENTS+32(1)
        ld      8, ARGUMENTS+40(1)
        ld      9, ARGUMENTS+48(1)
        ld      10, ARGUMENTS+56(1)
        addi    1, 1, FRAME
        ld      0, LR_HOME(1)
        mtlr    0
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

        .macro  trampoline slot
        .text
trampoline_\slot:
        li      11, 8 * \slot
        b       trampoline_common
        .size   trampoline_\slot, . - trampoline_\slot
        .section .opd, "aw"
        .balign 8
descriptor_\slot:
        .quad   trampoline_\slot, .TOC.@tocbase, 0
        .section .rodata
        .quad   descriptor_\slot
        .endm

        .section .rodata
        .balign 8
        .globl  co_default_ops
        .type   co_default_ops, @object
co_default_ops:
        .altmacro
        .set    slot, 0
        .rept   SLOTS
        trampoline %slot
        .set    slot, slot + 1
        .endr
        .size   co_default_ops, 8 * SLOTS

        .section .note.GNU-stack, "", @progbits
