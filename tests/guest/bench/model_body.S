// SPDX-License-Identifier: MIT
// Loops whose events are known by hand; each says what a turn has. `bdnz+` ends a turn: a
// conditional branch, taken but for the last time, when its hint is wrong. model_body.h says what
// the window around them has.
//
// r3 turns, r4 the slot's values, r5 struct model_work, r6, r7, r8 a, b, c; r0,
// r9 … r12 are free. LR is in r12.
#include <kernel/asm.h>

#include "model_body.h"

    .macro copy_values
    .irp n, 0,1,2,3,4,5,6,7
    ld      r0, 8*\n(r4)
    std     r0, 8*\n(r5)
    .endr
    .endm

    .macro body name
function model_body_\name
    mflr    r12
    std     r12, 16(r1) // for those who look at the stack
    li      r11, 2
    cmpd    r11, r11
    addi    r10, r5, MODEL_BODY_DATA
    li      r9, 0
.Lwindow_\name:
    mtctr   r3
    twi     0, r0, MODEL_BODY_READ
    copy_values
    .endm

    .macro end_body name
    twi     0, r0, MODEL_BODY_READ
    addi    r11, r11, -1
    cmpdi   cr1, r11, 0
    bne+    cr1, .Lwindow_\name
    mtlr    r12
    blr
end_function model_body_\name
    .endm

// 2 instructions.
    body    spin
    .globl  model_body_spin_loop
model_body_spin_loop:
1:  nop
    bdnz+   1b
    end_body spin

// 9 instructions, each addition waits for the one before.
    body    adds
1:
    .rept   8
    add     r0, r0, r0
    .endr
    bdnz+   1b
    end_body adds

// 1001 instructions, of which only the last has a bubble behind it.
    body    row
1:
    .rept   1000
    add     r0, r0, r0
    .endr
    bdnz+   1b
    end_body row

// 3 instructions, only the last is a conditional branch; once: one more instruction.
    body    calls
1:  bl      2f
    bdnz+   1b
    b       3f
2:  blr
3:  end_body calls

// 4 instructions on two pages; once: one more instruction.
    body    pages
    b       1f
    .balign 4096
    .rept   1022
    nop
    .endr
1:  nop
    nop
    nop
    bdnz+   1b
    end_body pages

// 13 instructions: 6 loads and 6 stores of all kinds; one of 16 bytes is one.
    body    memory
1:  ld      r0, 0(r10)
    lwz     r0, 8(r10)
    lbz     r0, 13(r10)
    lha     r0, 14(r10)
    lq      r8, 16(r10)
    ldbrx   r0, 0, r10
    std     r0, 0(r10)
    stw     r0, 8(r10)
    stb     r0, 13(r10)
    sth     r0, 14(r10)
    stq     r8, 16(r10)
    stdbrx  r0, 0, r10
    bdnz+   1b
    end_body memory

// 2 instructions: a reservation, never used.
    body    larx
1:  ldarx   r0, 0, r10
    bdnz+   1b
    end_body larx

// 4 instructions: a lock that is always free.
    body    lock
1:  ldarx   r0, 0, r10
    stdcx.  r0, 0, r10
    bne-    1b
    bdnz+   1b
    end_body lock

// 4 instructions: the second store has no reservation any more.
    body    failing
1:  ldarx   r0, 0, r10
    stdcx.  r0, 0, r10
    stdcx.  r0, 0, r10
    bdnz+   1b
    end_body failing

// 9 instructions: 4 and 4 of every size.
    body    sizes
1:  lbarx   r0, 0, r10
    stbcx.  r0, 0, r10
    lharx   r0, 0, r10
    sthcx.  r0, 0, r10
    lwarx   r0, 0, r10
    stwcx.  r0, 0, r10
    ldarx   r0, 0, r10
    stdcx.  r0, 0, r10
    bdnz+   1b
    end_body sizes

// 4 instructions, 3 branches, 2 taken, hints right. (CR0 says "equal".)
    body    right
1:  beq+    2f
    nop
2:  bne-    3f
    nop
3:  bdnz+   1b
    end_body right

// 4 instructions, 3 branches, 2 taken; 2 hints are wrong, and bdnz's the last time.
    body    wrong
1:  beq-    2f
    nop
2:  bne+    3f
    nop
3:  bdnz+   1b
    end_body wrong

// 2 instructions, 2 branches, 2 taken, one of them without a hint.
    body    always
1:  beq     2f
    nop
2:  bdnz+   1b
    end_body always

// 8 instructions, 3 branches, 2 taken: the branch without a hint is taken every other time.
    body    alternate
1:
    .rept   2
    xori    r9, r9, 1
    cmpdi   r9, 0
    beq     2f
    nop
2:
    .endr
    bdnz+   1b
    end_body alternate

// 7 instructions, 3 branches, 2 taken: of the first two one is taken, by a bit of a sequence that
// is never the same again; the hint of the second is right as often as not. Once: 2 more
// instructions, a load and a store.
    body    random
    ld      r9, MODEL_BODY_SEQUENCE(r5)
1:  mulld   r9, r9, r6
    addi    r9, r9, 1
    rldicl. r0, r9, 24, 63
    bne     2f
    nop
2:  beq-    3f
    nop
3:  bdnz+   1b
    std     r9, MODEL_BODY_SEQUENCE(r5)
    end_body random

// 4 instructions, a load. It goes round from the first time to the second.
    body    reads
1:  ldx     r0, r6, r9
    add     r9, r9, r7
    and     r9, r9, r8
    bdnz+   1b
    end_body reads

    body    writes
1:  stdx    r0, r6, r9
    add     r9, r9, r7
    and     r9, r9, r8
    bdnz+   1b
    end_body writes

// 3 instructions, 1 branch, and what is called; once: 2 instructions more.
    body    code
    mtctr   r6
    mr      r9, r3
1:  bctrl
    addic.  r9, r9, -1
    bne+    1b
    end_body code
