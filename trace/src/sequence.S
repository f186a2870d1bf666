// SPDX-License-Identifier: MIT
// trace_append_<n>: logs an event of n data words, as a restartable sequence (docs/trace.md).
// From C only through trace/point.h.
//
//   in:       r12 low half of the event word (TRACE_HEADER); r9 r8 r7 r6 r5 r4 data words
//   changed:  r0 r10 r11 r12 cr0
//   count:    12 + n instructions, return included
//
// Each lies in a slot of .text.rseq. Interrupted anywhere before the last store it starts anew from
// the slot's first instruction; so all inputs stay as they are (the time in r12's high half is
// overwritten by each attempt), and nothing that counts is written before that store, which commits
// the event: it advances the position and the count together. What an interrupted attempt
// has written lies behind the position, where the interrupting event, or the next attempt, goes.
// The time base is read after the position, so that times rise with positions.
#include <orrery/r13.h>
#include <trace/cpu.h>

#define CPU(field) (R13_TRACE + TRACE_CPU_##field)(13)

        .macro append words
        .globl trace_append_\words
        .type trace_append_\words, @function
trace_append_\words:
        ld      10, CPU(POS)
        ld      11, CPU(BOUND)
        cmplw   10, 11                  // low halves: position, limit
        mftb    0
        rldimi  12, 0, 32, 0            // event word: time | what it is
        rldimi  11, 10, 0, 32           // address of the event
        bge-    1f
        std     12, 0(11)
        .if \words >= 1
        std     9, 8(11)
        .endif
        .if \words >= 2
        std     8, 16(11)
        .endif
        .if \words >= 3
        std     7, 24(11)
        .endif
        .if \words >= 4
        std     6, 32(11)
        .endif
        .if \words >= 5
        std     5, 40(11)
        .endif
        .if \words >= 6
        std     4, 48(11)
        .endif
        ld      0, (R13_TRACE + TRACE_CPU_STEP + 8 * \words)(13)
        add     10, 10, 0
        std     10, CPU(POS)            // commit
        blr
1:      b       append_slow             // decided, nothing done: need not be undone
        .size trace_append_\words, . - trace_append_\words
        .balign 128
        .endm

        .section .text.rseq, "ax", @progbits
        .balign 128
        append  0
        append  1
        append  2
        append  3
        append  4
        append  5
        append  6

// No room: trace_append_slow(header, words) in C, which may call anything, around which all that a
// C function may change is kept. The caller may be a leaf function with data in its red zone, and
// its caller's LR at 16(1): our frame begins below, and holds our LR.
#define RED_ZONE 288
#define SAVE 112                        // above the minimal ELFv1 frame
#define FRAME (SAVE + 14 * 8 + RED_ZONE)

        .section .text.trace_slow, "ax", @progbits
        .type append_slow, @function
append_slow:
        stdu    1, -FRAME(1)
        mflr    0
        std     0, SAVE(1)
        mfcr    0
        std     0, SAVE + 8(1)
        mfctr   0
        std     0, SAVE + 16(1)
        mfxer   0
        std     0, SAVE + 24(1)
        std     2, SAVE + 32(1)
        std     3, SAVE + 40(1)
        std     9, SAVE + 48(1)         // data words in order, for C
        std     8, SAVE + 56(1)
        std     7, SAVE + 64(1)
        std     6, SAVE + 72(1)
        std     5, SAVE + 80(1)
        std     4, SAVE + 88(1)
        clrldi  3, 12, 32
        addi    4, 1, SAVE + 48
        bl      trace_append_slow
        nop
        ld      9, SAVE + 48(1)
        ld      8, SAVE + 56(1)
        ld      7, SAVE + 64(1)
        ld      6, SAVE + 72(1)
        ld      5, SAVE + 80(1)
        ld      4, SAVE + 88(1)
        ld      3, SAVE + 40(1)
        ld      2, SAVE + 32(1)
        ld      0, SAVE + 24(1)
        mtxer   0
        ld      0, SAVE + 16(1)
        mtctr   0
        ld      0, SAVE + 8(1)
        mtcr    0
        ld      0, SAVE(1)
        mtlr    0
        addi    1, 1, FRAME
        blr
        .size append_slow, . - append_slow
