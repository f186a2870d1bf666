// SPDX-License-Identifier: MIT
// What the fast paths share (fast_path.S, fast_reply.S, fast_wait.S). In each of them put_back is
// the way to the complete path in C, while nothing but registers has been changed.
#ifndef KERNEL_IPC_FAST_PATH_H
#define KERNEL_IPC_FAST_PATH_H

#include <kernel/asm_offsets.h>
#include <kernel/frame.h>
#include <kernel/percpu.h>
#include <kernel/points_asm.h>

#include "call_layout.h"
#include "exception/user.h"
#include "proc/dispatcher_layout.h"

// clang-format off
#define GPR(n) (FRAME_GPR + 8*(n) - USER_FRAME) // from kernel_stack
#define FIELD(offset) ((offset) - USER_FRAME)
// 4 KB of data, and what a stub puts before it. A bound on the time with EE off; a multiple of 8.
#define BULK_MAX 4352

// Between them a process's registers are in its frame.
    .macro save_kept
    .irp n, 14,16,18,20,22,24,26,28,30
    stq     \n, GPR(\n)(r1)
    .endr
    .endm
    .macro load_kept
    .irp n, 14,16,18,20,22,24,26,28,30
    lq      \n, GPR(\n)(r1)
    .endr
    .endm

// Is replaced by a branch to target while a group of trace events is enabled (trace/point.h).
    .macro while_traced major, target
    .ifeq (TRACE_OMITTED >> \major) & 1
1:  nop
    .pushsection .trace_points, "a", @progbits
    .balign 8
    .quad   1b, \target, \major
    .popsection
    .endif
    .endm

// The same while DREF calls are counted (co/object.h): then call.c calls the Endpoint object.
    .macro while_counted target
1:  nop
    .pushsection .dref_sites, "a", @progbits
    .balign 8
    .quad   1b, \target
    .popsection
    .endm

// The CPU goes from dispatcher r14 to r16: r14 sleeps, its thread r22 is parked, r16's thread r23
// runs. r20 = run queue, r29 = 0, r0 = the user's r1. User registers of r14 go to its frame. The
// order matters for those who look from other CPUs: first who runs, then who sleeps no more.
    .macro change_dispatcher own_state
    ld      r22, DISPATCHER_THREAD(r14)
    ld      r23, DISPATCHER_THREAD(r16)
    std     r16, PERCPU_DISPATCHER(r13)
    li      r19, \own_state
    sth     r19, DISPATCHER_OWN_STATE(r14)
    sth     r29, DISPATCHER_OWN_STATE(r16)
    stb     r19, THREAD_STATE(r22)  // parked
    stb     r29, THREAD_STATE(r23)  // running
    lbz     r19, THREAD_PRIORITY(r23)
    stb     r19, RUN_QUEUE_PRIORITY(r20)
    std     r23, PERCPU_CURRENT(r13)
    mflr    r24
    mfcr    r25
    mfsrr0  r28
    std     r24, FIELD(FRAME_LR)(r1)
    std     r25, FIELD(FRAME_CR)(r1)
    std     r0, GPR(1)(r1)
    std     r2, GPR(2)(r1)
    std     r28, FIELD(FRAME_PC)(r1)
    .endm

// Locks the run queue of r20, or takes the branch to target if somebody else has it. No other lock
// is held here, and with EE off nobody looks which one is. Changes \owner, \word and \at.
    .macro lock_run_queue target, at, owner, word
    lwz     \owner, R13_CPU(r13)
    addi    \at, r20, RUN_QUEUE_LOCK
    addi    \owner, \owner, 1
1:  lwarx   \word, 0, \at
    cmpwi   \word, 0
    bne-    \target
    stwcx.  \owner, 0, \at
    bne-    1b
    isync
    .endm
// Leaves \zero = 0.
    .macro unlock_run_queue zero
    li      \zero, 0
    lwsync
    stw     \zero, RUN_QUEUE_LOCK(r20)
    .endm

// Gives way while any trace event is enabled that C would log of the call.
    .macro unless_traced
    .irp major, TRACE_MAJOR_SYSCALL,TRACE_MAJOR_EXC,TRACE_MAJOR_IPC,TRACE_MAJOR_SCHED, \
        TRACE_MAJOR_LOCKHOLD
    while_traced \major, put_back
    .endr
    .endm

// ---- bulk ---------------------------------------------------------------------------------------

// Copies quadwords n ... from offset on.
    .macro copy_quads offset, first, more:vararg
    lq      \first, \offset(r19)
    stq     \first, \offset(r21)
    .ifnb \more
    copy_quads \offset + 16, \more
    .endif
    .endm

// Copies r6 bytes from the message buffer of r14 to that of r16. Both buffers are the kernel's own
// memory (proc/dispatcher.c), where no access can fault. CR is in the frame, and free. A last part
// of a doubleword is filled with zeros before it is stored: what stands behind the message is left
// from other messages of the sender, and other CPUs of the receiver can look at any moment. At most
// 669 instructions.
    .macro copy_bulk
    ld      r19, DISPATCHER_MESSAGE(r14)
    ld      r21, DISPATCHER_MESSAGE(r16)
    srdi.   r25, r6, 7
    mtocrf  0x02, r6                // CR6: 64, 32, 16 at 25, 26, 27
    mtocrf  0x01, r6                // CR7: 8 at 28
    beq     2f
    mtctr   r25
1:  copy_quads 0, 24, 26, 28, 30, 24, 26, 28, 30
    addi    r19, r19, 128
    addi    r21, r21, 128
    bdnz    1b
2:  bf      25, 3f
    copy_quads 0, 24, 26, 28, 30
    addi    r19, r19, 64
    addi    r21, r21, 64
3:  bf      26, 4f
    copy_quads 0, 24, 26
    addi    r19, r19, 32
    addi    r21, r21, 32
4:  bf      27, 5f
    copy_quads 0, 24
    addi    r19, r19, 16
    addi    r21, r21, 16
5:  bf      28, 6f
    ld      r24, 0(r19)
    std     r24, 0(r21)
6:  andi.   r25, r6, 7
    beq+    7f
    andi.   r24, r6, 8              // where that part is
    sldi    r25, r25, 3
    ldx     r26, r19, r24
    subfic  r25, r25, 64            // how many bits of it are not of the message
    srd     r26, r26, r25
    sld     r26, r26, r25
    stdx    r26, r21, r24
7:
    .endm

#endif
