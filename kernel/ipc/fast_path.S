// SPDX-License-Identifier: MIT
// The fast path of calls: SYS_CALL and SYS_REPLY_WAIT, if the other side sleeps on this CPU, and
// the message has no capability and at most BULK_MAX bytes of bulk. It does what call.c does then,
// and what switching to the other thread does, in one piece with EE off and without a lock:
// everything it changes belongs to this CPU. Whatever it cannot do it leaves to call.c, before it
// has changed anything but registers, which it puts back.
//
// 118 instructions a call and 104 a reply, from vector to rfid, without bulk and events. Of each
// way 18 save and load r14 ... r31, 8 or 10 find the way here, 26 save, load and clear the other
// registers, and about 25 look whether it can be done. The rest is the record, the states of both
// sides, and this CPU's idea of who runs.
//
// Entry (exception/user_entry.S): all registers are the user's, but r13 = this CPU's block, CTR =
// the user's r13. r3 ... r12 as struct event. EE off.
#include <orrery/r13.h>
#include <orrery/user.h>
#include <syscalls/numbers.h>
#include <trace/cpu.h>
#include <trace/events.h>
#include <trace/reasons.h>

#include "fast_path.h"

// What the fast path performs. At the test for too much bulk it gives way while an observer wants
// one of these events with a bit that its handler of the fast path's point does not have. There is
// no event `syscall`: calls have none in C either (proc/process_exception.c).
#define CALL_PERFORMS (PERFORMS(switch) | PERFORMS(call_made) | PERFORMS(call_taken))
#define ANSWER_PERFORMS (PERFORMS(switch) | PERFORMS(answered) | PERFORMS(answer_taken))

// Is nothing more urgent than dispatcher r16 ready? Leaves r20 = this CPU's run queue.
    .macro unless_urgent target
    ld      r20, PERCPU_RUN_QUEUE(r13)
    lwz     r19, RUN_QUEUE_OCCUPIED(r20)
    lwz     r21, DISPATCHER_URGENCY(r16)
    cmplw   r19, r21
    bge-    \target
    .endm

// ---- SYS_CALL: r3 capability, r4 token, r5 flags, r6 info ---------------------------------------

    .text
    .balign 64
    .globl  ipc_fast_call
ipc_fast_call:
    while_counted syscall_slow
    mr      r0, r1
    ld      r1, PERCPU_KERNEL_STACK(r13)
    save_kept
    ld      r14, PERCPU_DISPATCHER(r13)
    cmpldi  r6, BULK_MAX
1:  bgt-    put_back_call
    gives_way EVENT_fast_call, CALL_PERFORMS, put_back_call
    cmpldi  r5, 1                   // CALL_ALONE
    bgt-    put_back_call
    cmpldi  r3, 4096                // CAPABILITY_MAX
    bge-    put_back_call
    ld      r15, DISPATCHER_CAPABILITIES(r14)
    rlwinm  r19, r3, 29, 23, 28     // 8 * (capability / 64)
    ldx     r15, r15, r19
    rlwinm  r19, r3, 4, 22, 27      // 16 * (capability % 64)
    ldx     r15, r15, r19
    andi.   r19, r15, 7             // CAPABILITY_TAG_ENDPOINT
    bne-    put_back_call
    ld      r19, PERCPU_ENDPOINT_CPU(r13)
    add     r15, r15, r19           // its part for this CPU
    lq      r16, ENDPOINT_CPU_SERVER(r15) // r16 = server, or one that never sleeps; r17 = coid
    ld      r21, DISPATCHER_PAGE(r14)
    ld      r30, DISPATCHER_OWN_CALL(r14)
    ld      r19, DISPATCHER_STATE(r16)
    ld      r20, DISPATCHER_STATE(r14)
    lwz     r21, 0(r21)             // disabled
    ld      r18, CALL_WORD(r30)
    cmpwi   cr1, r21, 0
    xori    r19, r19, DISPATCHER_ASLEEP // not IN_CALL: it then owes another client the CPU
    andi.   r21, r18, CALL_STATE_MASK // CALL_FREE
    or      r19, r19, r20
    or.     r29, r19, r21
    beq-    cr1, put_back_call
    bne-    put_back_call
    unless_urgent put_back_call
// From here on it is done.
    addi    r18, r18, CALL_PENDING - CALL_FREE
    std     r18, CALL_WORD(r30)
    std     r4, CALL_TOKEN(r30)
    stq     r16, CALL_SERVER(r30)
    std     r30, DISPATCHER_HANDED_CALL(r16)
    std     r5, DISPATCHER_ALONE(r14)
    change_dispatcher DISPATCHER_IN_CALL
    cmpdi   r6, 0
1:  bne-    ipc_copy_call           // is there bulk? Handlers ask that, too
    fast_point EVENT_fast_call
    .globl  ipc_call_copied
ipc_call_copied:
    while_traced TRACE_MAJOR_SCHED, call_switch_event
call_switch_observed:
    while_traced TRACE_MAJOR_IPC, call_event
call_observed:
    mr      r4, r18
    ld      r5, ENDPOINT_CPU_BADGE(r15)
    ld      r3, DISPATCHER_CALL_TYPE(r14)

// User mode as dispatcher r16, whose event is in r3 ... r12. What user code can read is its own, or
// cleared: CTR and XER are the other side's still, r0 is anything.
    .globl  ipc_enter_user
ipc_enter_user:
    lq      r18, DISPATCHER_KERNEL_STACK(r16) // r18 = kernel_stack, r19 = process
    lq      r20, DISPATCHER_TAG(r16)      // r20 = tag, r21 = pid in its low half
    mr      r1, r18
    stq     r18, PERCPU_KERNEL_STACK(r13)
    stw     r21, PERCPU_PID(r13)
    mtspr   48, r20                 // PIDR takes the low half; rfid makes it count
    ld      r24, PMU_CPU_TAG(r13)   // model_set_tag
    std     r20, 0(r24)
    ld      r24, FIELD(FRAME_LR)(r1)
    ld      r25, FIELD(FRAME_CR)(r1)
    lq      r26, FIELD(FRAME_PC)(r1) // r27 = MSR
    ld      r2, GPR(2)(r1)
    ld      r13, PERCPU_USER_WINDOW(r13)
    li      r0, 0
    mtctr   r0
    mtxer   r0
    mtspr   SPR_VRSAVE, r0          // clear_unkept
    mtspr   SPR_PPR, r0
    mtlr    r24
    mtcrf   0xff, r25
    mtsrr0  r26
    mtsrr1  r27
    load_kept
    ld      r1, GPR(1)(r1)
    rfid

// ---- SYS_REPLY_WAIT: r4 call id, r5 status, r6 info ---------------------------------------------

    .balign 64
    .globl  ipc_fast_reply_wait
ipc_fast_reply_wait:
    mr      r0, r1
    ld      r1, PERCPU_KERNEL_STACK(r13)
    save_kept
    ld      r14, PERCPU_DISPATCHER(r13)
    cmpldi  r6, BULK_MAX
1:  bgt-    put_back_reply
    gives_way EVENT_fast_answer, ANSWER_PERFORMS, put_back_reply
    ld      r17, DISPATCHER_HANDED_CALL(r14) // pending, or no_call
    ld      r18, CALL_WORD(r17)
    cmpld   r18, r4
    bne-    put_back_reply
    ld      r16, CALL_CLIENT(r17)
    ld      r21, DISPATCHER_PAGE(r14)
    ld      r20, DISPATCHER_STATE(r14)
    ld      r19, DISPATCHER_STATE(r16)
    lwz     r21, 0(r21)             // disabled
    cmpwi   cr1, r21, 0
    xori    r19, r19, DISPATCHER_IN_CALL
    or.     r29, r19, r20
    beq-    cr1, put_back_reply
    bne-    put_back_reply
    unless_urgent put_back_reply
// From here on it is done.
    addi    r19, r18, CALL_GENERATION - CALL_PENDING // free, the next generation
    ld      r21, DISPATCHER_NO_CALL(r14)
    std     r19, CALL_WORD(r17)
    std     r21, DISPATCHER_HANDED_CALL(r14)
    change_dispatcher DISPATCHER_ASLEEP
    cmpdi   r6, 0
1:  bne-    ipc_copy_reply
    fast_point EVENT_fast_answer
    .globl  ipc_reply_copied
ipc_reply_copied:
    while_traced TRACE_MAJOR_SCHED, reply_switch_event
reply_switch_observed:
    while_traced TRACE_MAJOR_IPC, reply_event
reply_observed:
    ld      r4, CALL_TOKEN(r17)
    li      r3, EVENT_REPLY
    b       ipc_enter_user

// ---- bulk ---------------------------------------------------------------------------------------

    .globl  ipc_copy_call
ipc_copy_call:
    copy_bulk
    b       ipc_call_copied
    .globl  ipc_copy_reply
ipc_copy_reply:
    copy_bulk
    b       ipc_reply_copied

// ---- not today ----------------------------------------------------------------------------------

    .macro put_back number
    load_kept
    mr      r1, r0
    li      r0, \number
    b       syscall_slow
    .endm
put_back_call:
    put_back SYS_CALL
put_back_reply:
    put_back SYS_REPLY_WAIT

// ---- trace events -------------------------------------------------------------------------------

#ifndef WITHOUT_trace
// Around an event: r7 ... r12 hold words of the message. r1 gets a frame below that of the user
// code.
    .macro begin_event
    stdu    r1, -USER_FRAME(r1)
    ld      r2, PERCPU_TOC(r13)
    mr      r24, r7
    mr      r25, r8
    mr      r26, r9
    mr      r27, r10
    mr      r28, r11
    mr      r29, r12
    .endm
    .macro end_event
    addi    r1, r1, USER_FRAME
    mr      r7, r24
    mr      r8, r25
    mr      r9, r26
    mr      r10, r27
    mr      r11, r28
    mr      r12, r29
    .endm
// While the trace leaves out processes: trace_ring_leave_out, if dispatcher r16 is of such a one.
#define RING(field) (R13_TRACE + TRACE_CPU_##field)
    .macro leave_out
1:  nop
    point   EVENT_fast_traced, 2f
    b       4f
2:  ld      r10, DISPATCHER_UNTRACED(r16)
    ld      r9, RING(COUNTED_MAJORS)(r13)
    ld      r8, RING(LIMIT)(r13)
    std     r10, RING(LEFT_OUT)(r13)
    or.     r9, r9, r10
    beq     3f
    li      r8, 0
3:  stw     r8, RING(BOUND) + 4(r13) // its low half
4:
    .endm

// trace_switch(r22, r23, reason)
    .macro switch_event reason
    begin_event
    lwz     r9, THREAD_ID(r22)
    lwz     r8, THREAD_ID(r23)
    lbz     r10, THREAD_PRIORITY(r22)
    lbz     r7, THREAD_PRIORITY(r23)
    rldimi  r7, r10, 16, 32
    sldi    r7, r7, 32
    ori     r7, r7, \reason
    trace_header 3, TRACE_MAJOR_SCHED, TRACE_SCHED_SWITCH
    bl      trace_append_3
    leave_out
    end_event
    .endm

call_switch_event:
    switch_event REASON_CALL
    b       call_switch_observed
reply_switch_event:
    switch_event REASON_REPLY
    b       reply_switch_observed

// trace_ipc_call(endpoint, id, server's pid, bytes, 1, method): r6 stays as it is, r4 and r5 are
// loaded afterwards.
call_event:
    begin_event
    ld      r9, ENDPOINT_CPU_COID(r15)
    mr      r8, r18
    lwz     r7, DISPATCHER_PROCESS_PID(r16)
    li      r5, 1
    mr      r4, r24
    trace_header 6, TRACE_MAJOR_IPC, TRACE_IPC_IPC_CALL
    bl      trace_append_6
    end_event
    b       call_observed

// trace_ipc_reply(id, status, bytes)
reply_event:
    begin_event
    mr      r9, r18
    mr      r8, r5
    mr      r7, r6
    trace_header 3, TRACE_MAJOR_IPC, TRACE_IPC_IPC_REPLY
    bl      trace_append_3
    end_event
    b       reply_observed
#endif
