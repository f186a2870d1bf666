// SPDX-License-Identifier: MIT
// What log_happens (handler.h) does, for the fast path of calls, in the middle of its registers.
// Each side looks whether its register is in the first area, has the control word that fast.c has
// made code for, and has no threshold. Everything else is left to C. A side that no domain has a
// selector for is jumped over, and a call or an answer without such a side does not come here.
//
// 21 instructions a side and up to 13 for its row, 11 or less where there is no selector; 2 more a
// call or an answer.
#include <kernel/asm.h>
#include <kernel/asm_offsets.h>
#include <kernel/percpu.h>
#include <kernel/points_asm.h>

#include "fast_layout.h"
#include "points/fast_in_c.h"

// Logs an event of dispatcher \own, the other side of which is \other. Goes on at next. r24, r25 =
// the domains, r26 = area, r28 = first the descriptor and then the register, r31 = the row's
// offset. A dispatcher without a domain has a descriptor without selectors (areas.c). The control
// word has 13 bits that count. The three above them are looked at with those of the selector that
// say which area.
    .macro log_side event, own, other, next
log_side_\event:
    lwz     r24, DISPATCHER_DESCRIPTOR(\own)
    lwz     r25, DISPATCHER_DOMAIN(\other)
    ld      r26, PERCPU_LOG_HEAD(r13)
    cmplw   cr1, r24, r25
    mr      r28, r26
    beq-    cr1, \next
    rlwimi  r28, r24, LOG_DESCRIPTOR_SHIFT, 15, 31 - LOG_DESCRIPTOR_SHIFT
    lhz     r29, 2 * \event(r28)
    ld      r27, LOG_THRESHOLDS + 8 * \event(r28)
    cmplwi  cr1, r29, 0
    beq-    cr1, \next
    rlwimi  r28, r29, 3, 16, 28
    lwz     r31, 0(r28)
    lhz     r30, 6(r28)
    rlwimi  r30, r29, 0, 16, 18
log_compare_\event:
    xori    r30, r30, 0
    or      r30, r30, r27
    cmpdi   cr1, r30, 0
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
    stw     r24, 0(r30)
    stw     r25, 0(r30)
    lwz     r3, 0(r30)
    addi    r3, r3, 1
    stw     r3, 0(r30)
    li      r3, 1
    stw     r3, 0(r30)
    mfspr   r3, 268                 // the time base
    srdi    r3, r3, 6
    stw     r3, 0(r30)
    addi    r3, r31, 0
    rlwimi  r31, r3, 0, 0, 29
    lwsync
    stw     r31, 0(r28)
    .if . - log_words_\event - 4 * LOG_WORDS
    .error  "LOG_WORDS"
    .endif
    lwz     r24, DISPATCHER_DESCRIPTOR(\own) // what log_side begins with
    .popsection
    .pushsection .data.rel.ro.log_sides, "a", @progbits
    .quad   \event, log_side_\event, log_compare_\event, log_code_\event, \next
    .quad   log_words_\event
    .popsection
    .endm

// CR0 says whether there is bulk, and still says so afterwards.
    .macro log_slow_side event, next
log_slow_\event:
    li      r3, \event
    bl      log_in_c
    cmpdi   r6, 0
    b       \next
    .endm

// Goes back to the fast path, where bulk is copied, or first to the next handler.
    .macro end_calls name, event, wants, entry, copied, copy
1:  beq+    \copied
    b       \copy
    handles_fast \name, \event, 2, \entry, 1b, log_observer, \wants
    .endm

    .pushsection .data.rel.ro.log_sides, "a", @progbits
    .balign 8
    .globl  log_sides
log_sides:
    .popsection

// From the fast path of calls, and back to it: EE off. r14, r16 = from which dispatcher to which.
// Changes r3, r4, r24 ... r31, r2, LR, CR1, and in C CTR.
    .text
    .balign 64
logs_fast_call:
    log_side LOG_CALL_SENT, r14, r16, log_call_taken
log_call_taken:
    log_side LOG_CALL_TAKEN, r16, r14, log_call_observed
log_call_observed:
    end_calls NAMED(fast_call), LOG_CALLS, logs_fast_call, ipc_call_copied, ipc_copy_call
    log_slow_side LOG_CALL_SENT, log_call_taken
    log_slow_side LOG_CALL_TAKEN, log_call_observed

    .balign 64
logs_fast_reply:
    log_side LOG_ANSWER_SENT, r14, r16, log_answer_taken
log_answer_taken:
    log_side LOG_ANSWER_TAKEN, r16, r14, log_reply_observed
log_reply_observed:
    end_calls NAMED(fast_answer), LOG_ANSWERS, logs_fast_reply, ipc_reply_copied, ipc_copy_reply
    log_slow_side LOG_ANSWER_SENT, log_answer_taken
    log_slow_side LOG_ANSWER_TAKEN, log_reply_observed

// The CPU has gone from thread r22 to r23. Tells it.
    .macro tell_service name, event, copied, copy
service_\name:
    bl      service_in_c
    cmpdi   r6, 0
1:  beq+    \copied
    b       \copy
    handles_fast \name, \event, 1, service_\name, 1b, log_observer, LOG_WANTS_SERVICE
    .endm

    tell_service NAMED(fast_call), ipc_call_copied, ipc_copy_call
    tell_service NAMED(fast_answer), ipc_reply_copied, ipc_copy_reply

// log_tell_here(r3, r24, r25).
log_in_c:
    begin_c
    mr      r4, r24
    mr      r5, r25
    bl      log_tell_here
    end_c
    blr

// log_tell_service(r22, r23).
service_in_c:
    begin_c
    mr      r3, r22
    mr      r4, r23
    bl      log_tell_service
    end_c
    blr
