// SPDX-License-Identifier: MIT
// The fast path of SYS_WAIT, if nothing has come for this dispatcher, and the thread that is to run
// next sleeps with an event in its registers, mostly an answer (fast_reply.S). Does what
// dispatcher_wait (proc/events.c) and the scheduler do then, in one piece with EE off. What it
// cannot do it leaves to them, before it has changed anything but registers.
//
// Entry (exception/user_entry.S): all registers are the user's, but r13 = this CPU's block,
// CTR = the user's r13. EE off.
#include <orrery/user.h>
#include <syscalls/numbers.h>
#include <trace/events.h>

#include "fast_path.h"

    .text
    .balign 64
    .globl  ipc_fast_wait
ipc_fast_wait:
    while_counted syscall_slow
    mr      r0, r1
    ld      r1, PERCPU_KERNEL_STACK(r13)
    save_kept
    ld      r14, PERCPU_DISPATCHER(r13)
    ld      r20, PERCPU_RUN_QUEUE(r13)
    ld      r19, DISPATCHER_STATE(r14)
    ld      r21, DISPATCHER_PAGE(r14)
    ld      r22, DISPATCHER_THREAD(r14)
    cmpldi  r19, 0
1:  bne-    put_back                // has anything come?
    gives_way NO_EVENT, PERFORMS(switch) | PERFORMS(syscall), put_back
    unless_traced
    lwz     r21, 0(r21)             // disabled
    lbz     r19, THREAD_WAKE_TOKEN(r22)
    cmpwi   cr1, r21, 0
    cmpwi   cr5, r19, 0
    ld      r17, DISPATCHER_HANDED_CALL(r14)
    ld      r15, DISPATCHER_HANDED_OTHER(r14)
    ld      r18, DISPATCHER_NO_CALL(r14)
    beq-    cr1, put_back
    bne-    cr5, put_back
// Whoever handed this one the CPU gets it back (ipc_before_sleep), except one that has no other
// threads, and has got it from nobody either. That stays noted, and will be looked at again.
    cmpld   r15, r18
    bne-    put_back
    cmpld   r17, r18
    beq     1f
    lq      r18, CALL_WORD(r17)     // r18 = word, r19 = client
    ld      r15, CALL_SERVER(r17)
    andi.   r18, r18, CALL_STATE_MASK
    cmpldi  r18, CALL_PENDING
    cmpld   cr1, r15, r14
    bne     1f
    bne     cr1, 1f
    ld      r15, DISPATCHER_ALONE(r19)
    ld      r16, DISPATCHER_HANDED_CALL(r19)
    ld      r17, DISPATCHER_HANDED_OTHER(r19)
    ld      r18, DISPATCHER_NO_CALL(r19)
    andi.   r15, r15, CALL_ALONE
    cmpld   cr1, r16, r18
    cmpld   cr5, r17, r18
    beq-    put_back
    bne-    cr1, put_back
    bne-    cr5, put_back
1:  lock_run_queue put_back, r24, r25, r26
// The most urgent ready thread: there always is one.
    lwz     r24, RUN_QUEUE_OCCUPIED(r20)
    cntlzw  r25, r24
    xori    r25, r25, 31
    sldi    r26, r25, 3
    add     r26, r26, r20
    ld      r23, RUN_QUEUE_FIRST(r26)
    ld      r16, THREAD_DISPATCHER(r23)
    ld      r27, THREAD_NEXT(r23)
    cmpdi   r16, 0
    beq-    not_this
    ld      r19, DISPATCHER_STATE(r16)
    srdi    r19, r19, DISPATCHER_HANDED_SHIFT
    cmpldi  r19, 1                  // handed, and neither ending nor with more events
    bne-    not_this
// From here on it is done.
    li      r29, 0
    cmpdi   r27, 0
    std     r27, RUN_QUEUE_FIRST(r26)
    bne     2f
    li      r27, 1
    slw     r27, r27, r25
    andc    r24, r24, r27
    stw     r24, RUN_QUEUE_OCCUPIED(r20)
2:  lhz     r24, RUN_QUEUE_LENGTH(r20)
    lbz     r25, THREAD_PRIORITY(r23)
    addi    r24, r24, -1
    stb     r25, RUN_QUEUE_PRIORITY(r20)
    sth     r24, RUN_QUEUE_LENGTH(r20)
    unlock_run_queue r24
    stb     r24, DISPATCHER_HANDED(r16)
// As account in proc/scheduler.c.
    ld      r24, THREAD_RUN_TICKS(r22)
    ld      r25, RUN_QUEUE_SWITCHED_AT(r20)
    mfspr   r26, 268                // the time base
    subf    r25, r25, r26
    add     r24, r24, r25
    ld      r25, THREAD_SWITCHES(r23)
    std     r24, THREAD_RUN_TICKS(r22)
    std     r26, RUN_QUEUE_SWITCHED_AT(r20)
    addi    r25, r25, 1
    std     r25, THREAD_SWITCHES(r23)
    change_dispatcher DISPATCHER_ASLEEP
    ld      r18, DISPATCHER_KERNEL_STACK(r16)
    ld      r3, GPR(3)(r18)
    .irp n, 4,6,8,10
    lq      \n, GPR(\n)(r18)
    .endr
    ld      r12, GPR(12)(r18)
    b       ipc_enter_user

not_this:
    unlock_run_queue r24
put_back:
    load_kept
    mr      r1, r0
    li      r0, SYS_WAIT
    b       syscall_slow
