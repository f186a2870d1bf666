// SPDX-License-Identifier: MIT
// The fast path of SYS_REPLY, if the client sleeps on this CPU, its call has its own record, and
// the answer has no capability and at most BULK_MAX bytes of bulk. The answer goes into the
// client's registers, and its thread into the run queue. Does what ipc_reply (call.c) does then, in
// one piece with EE off. What it cannot do it leaves to ipc_reply, before it has changed anything
// but registers.
//
// Entry (exception/user_entry.S): all registers are the user's, but r13 = this CPU's block,
// CTR = the user's r13. r4 call id, r5 status, r6 info, r7 ... r12 words. EE off.
#include <orrery/user.h>
#include <syscalls/numbers.h>
#include <trace/events.h>

#include "fast_path.h"

// Of an id, turned so that CPU and own bit are the lowest: state and own bit.
#define STATE_AND_OWN (CALL_STATE_MASK << 4 | 1)
#define PENDING_AND_OWN (CALL_PENDING << 4 | 1)

// What it performs. It gives way while somebody wants to be told of it.
#define REPLY_PERFORMS \
    (PERFORMS(ready) | PERFORMS(answered) | PERFORMS(answer_taken) | PERFORMS(syscall))

    .text
    .balign 64
    .globl  ipc_fast_reply
ipc_fast_reply:
    while_counted syscall_slow
    mr      r3, r1
    ld      r1, PERCPU_KERNEL_STACK(r13)
    .irp n, 14,16,18,20
    stq     \n, GPR(\n)(r1)
    .endr
    ld      r14, PERCPU_DISPATCHER(r13)
    cmpldi  r6, BULK_MAX
1:  bgt-    put_back
    gives_way NO_EVENT, REPLY_PERFORMS, put_back
    unless_traced
    ld      r15, PERCPU_CALL_CHUNKS(r13)
    rldicl  r16, r4, 20, 48         // the index, of which CALL_INDEX_SHIFT is 44
    cmpldi  r16, CALL_MAX
    bge-    put_back
    rlwinm  r17, r16, 30, 19, 28    // 8 * (index / CALL_CHUNK)
    ldx     r15, r15, r17
    clrldi  r16, r16, 59            // index % CALL_CHUNK
    cmpdi   r15, 0
    mulli   r16, r16, CALL_RECORD_BYTES
    beq-    put_back
    add     r17, r15, r16
    lq      r18, CALL_WORD(r17)     // r18 = word, r19 = client
    rldicl  r15, r4, 4, 58
    cmpld   r18, r4
    bne-    put_back
    andi.   r15, r15, STATE_AND_OWN
    cmpldi  r15, PENDING_AND_OWN
    ld      r15, CALL_SERVER(r17)
    bne-    put_back
    cmpld   r15, r14
    ld      r15, DISPATCHER_OWN_CALL(r19)
    ld      r21, DISPATCHER_STATE(r19)
    bne-    put_back
    cmpld   r15, r17                // else it has got another one meanwhile
    cmpldi  cr1, r21, DISPATCHER_ASLEEP
    cmpldi  cr5, r21, DISPATCHER_IN_CALL
    bne-    put_back
    cror    4*cr1+eq, 4*cr1+eq, 4*cr5+eq
    ld      r20, PERCPU_RUN_QUEUE(r13)
    ld      r18, DISPATCHER_THREAD(r19)
    bne-    cr1, put_back
    lbz     r21, RUN_QUEUE_PRIORITY(r20)
    lbz     r16, THREAD_PRIORITY(r18)
    lbz     r15, THREAD_FAVOURED(r18)
    cmplw   r16, r21                // more urgent?
    cmpwi   cr1, r15, 0
    bgt-    put_back
    bne-    cr1, put_back
    lock_run_queue put_back, r21, r15, r0
// From here on it is done: the thread gets ready, as by push_at in proc/scheduler.c,
    sldi    r15, r16, 3
    li      r21, 0
    add     r15, r15, r20
    std     r21, THREAD_NEXT(r18)
    ld      r21, RUN_QUEUE_FIRST(r15)
    cmpdi   r21, 0
    beq     1f
    ld      r21, RUN_QUEUE_LAST(r15)
    std     r18, THREAD_NEXT(r21)
    b       2f
1:  std     r18, RUN_QUEUE_FIRST(r15)
2:  std     r18, RUN_QUEUE_LAST(r15)
    li      r21, 1
    lwz     r15, RUN_QUEUE_OCCUPIED(r20)
    slw     r16, r21, r16
    or      r15, r15, r16
    lhz     r16, RUN_QUEUE_LENGTH(r20)
    stw     r15, RUN_QUEUE_OCCUPIED(r20)
    addi    r16, r16, 1
    sth     r16, RUN_QUEUE_LENGTH(r20)
    li      r15, THREAD_READY
    stb     r15, THREAD_STATE(r18)
    unlock_run_queue r15
// its dispatcher has been handed an event,
    stb     r15, DISPATCHER_ASLEEP_BYTE(r19)
    stb     r21, DISPATCHER_HANDED(r19)
// the record is free, in its next generation, and nobody's last one,
    addi    r18, r4, CALL_GENERATION - CALL_PENDING
    ld      r15, DISPATCHER_HANDED_CALL(r14)
    std     r18, CALL_WORD(r17)
    cmpld   r15, r17
    bne     3f
    ld      r15, DISPATCHER_NO_CALL(r14)
    std     r15, DISPATCHER_HANDED_CALL(r14)
// and the event is in its registers.
3:  ld      r4, CALL_TOKEN(r17)
    ld      r20, DISPATCHER_KERNEL_STACK(r19)
    li      r15, EVENT_REPLY
    std     r15, GPR(3)(r20)
    .irp n, 4,6,8,10
    stq     \n, GPR(\n)(r20)
    .endr
    std     r12, GPR(12)(r20)
    cmpdi   r6, 0
    bne-    copy
copied:
    .irp n, 14,16,18,20
    lq      \n, GPR(\n)(r1)
    .endr
    ld      r13, PERCPU_USER_WINDOW(r13)
    mr      r1, r3
    li      r0, 0                   // the token is the client's
    li      r4, 0
    li      r3, 0
    rfid

copy:
    mr      r16, r19
    .irp n, 24,26,28,30
    stq     \n, GPR(\n)(r1)
    .endr
    copy_bulk
    .irp n, 24,26,28,30
    lq      \n, GPR(\n)(r1)
    .endr
    b       copied

put_back:
    .irp n, 14,16,18,20
    lq      \n, GPR(\n)(r1)
    .endr
    li      r0, SYS_REPLY
    mr      r1, r3
    b       syscall_slow
