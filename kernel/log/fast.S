// SPDX-License-Identifier: MIT
// log_event (handler.h) for the fast path of calls, which is in the middle of its registers. Each
// side looks whether its register is in the first area and has the control word that fast.c has
// made code for, and whether it has no threshold. Everything else is left to C.
//
// 10 instructions for a call or an answer, 10 more for a side that has no selector. A side with a
// row of five entries takes 30.
#include <kernel/asm_offsets.h>
#include <kernel/percpu.h>

#include "exception/user.h"
#include "fast_layout.h"

// A frame below that of the user code: 0x80 for the callee, the registers.
#define STACK_FRAME (USER_FRAME + 0xc0)
#define REGISTERS 0x80

    .macro kept_registers how
    .irp n, 5,6,7,8,9,10,11,12
    \how    \n, (REGISTERS + 8*(\n - 5))(r1)
    .endr
    .endm

// An event of domain `current`, whose number is in a register as is the other side's. r26 = area,
// r27 = 1. Goes on at next.
    .macro log_side event, current, correspondent, next
    cmplwi  cr1, \current, 0
    sldi    r28, \current, LOG_DESCRIPTOR_SHIFT
    beq-    cr1, \next
    add     r28, r28, r26           // struct log_descriptor
    lhz     r29, 2 * \event(r28)
    addi    r31, r29, -1
    cmplwi  cr1, r31, LOG_SELECTOR_FIRST_AREA - 1
    bgt-    cr1, log_other_\event   // none, or in another area
    ld      r30, LOG_THRESHOLDS + 8 * \event(r28)
    cmpdi   cr1, r30, 0
    bne-    cr1, log_slow_\event
    sldi    r29, r29, 3
    ldx     r30, r26, r29           // struct log_register
log_compare_\event:
    cmplwi  cr1, r30, 0
    srdi    r31, r30, 32
    bne-    cr1, log_slow_\event
    rlwinm  r31, r31, 0, 16, 29
    add     r30, r26, r31           // the row
log_code_\event:
    .rept   LOG_CODE_WORDS
    nop
    .endr

    .pushsection .rodata, "a", @progbits
    .balign 4
log_words_\event:
    li      r3, \event
    stw     r3, 0(r30)
    stw     \current, 0(r30)
    stw     \correspondent, 0(r30)
    lwz     r3, 0(r30)
    add     r3, r3, r27
    stw     r3, 0(r30)
    stw     r27, 0(r30)
    mfspr   r3, 268                 // the time base
    srdi    r3, r3, 6
    stw     r3, 0(r30)
    addi    r3, r31, 0
    rlwimi  r31, r3, 0, 0, 29
    lwsync
    stwx    r31, r26, r29
    .if . - log_words_\event - 4 * LOG_WORDS
    .error  "LOG_WORDS"
    .endif
    .popsection
    .pushsection .data.rel.ro.log_sides, "a", @progbits
    .quad   \event, log_compare_\event, log_code_\event, \next, log_words_\event
    .popsection
    .endm

// CR0 says whether there is bulk, and does so afterwards.
    .macro log_slow_side event, current, correspondent, next
log_other_\event:
    cmplwi  cr1, r29, 0
    beq+    cr1, \next
log_slow_\event:
    li      r3, \event
    mr      r4, \current
    mr      r29, \correspondent
    bl      log_in_c
    cmpdi   r6, 0
    b       \next
    .endm

// r14, r16 = from which dispatcher to which. Leaves r24, r25 = their domains.
    .macro log_begin_sides next
    lwz     r24, DISPATCHER_DOMAIN(r14)
    lwz     r25, DISPATCHER_DOMAIN(r16)
    ld      r26, PERCPU_LOG_HEAD(r13)
    cmplw   cr1, r24, r25
    beq-    cr1, \next
    cmpdi   cr1, r26, 0
    beq-    cr1, \next
    li      r27, 1
    .endm

    .pushsection .data.rel.ro.log_sides, "a", @progbits
    .balign 8
    .globl  log_sides
log_sides:
    .popsection

// From the fast path of calls, and back to it: EE off. Changes r3, r4, r24 ... r31, r2, LR,
// CR1, and in C CTR.
    .text
    .balign 64
    .globl  logs_fast_call
logs_fast_call:
    log_begin_sides ipc_fast_call_logged
    log_side LOG_CALL_SENT, r24, r25, log_call_taken
log_call_taken:
    log_side LOG_CALL_TAKEN, r25, r24, ipc_fast_call_logged
    b       ipc_fast_call_logged
    log_slow_side LOG_CALL_SENT, r24, r25, log_call_taken
    log_slow_side LOG_CALL_TAKEN, r25, r24, ipc_fast_call_logged

    .balign 64
    .globl  logs_fast_reply
logs_fast_reply:
    log_begin_sides ipc_fast_reply_logged
    log_side LOG_ANSWER_SENT, r24, r25, log_answer_taken
log_answer_taken:
    log_side LOG_ANSWER_TAKEN, r25, r24, ipc_fast_reply_logged
    b       ipc_fast_reply_logged
    log_slow_side LOG_ANSWER_SENT, r24, r25, log_answer_taken
    log_slow_side LOG_ANSWER_TAKEN, r25, r24, ipc_fast_reply_logged

// log_tell_here(r3, r4, r29).
log_in_c:
    mflr    r28
    std     r28, 16(r1)             // where the stack is walked
    stdu    r1, -STACK_FRAME(r1)
    kept_registers std
    mr      r5, r29
    ld      r2, PERCPU_TOC(r13)
    bl      log_tell_here
    nop
    mtlr    r28
    kept_registers ld
    addi    r1, r1, STACK_FRAME
    blr
