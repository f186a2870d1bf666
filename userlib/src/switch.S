// SPDX-License-Identifier: MIT
// Changing from thread to thread in user space, and where upcalls come in. All of it runs disabled.
#include "function.inc"
#include "layout.h"
#include <syscalls/numbers.h>

    .macro each_saved operation, base, offset, register
    .irp    n, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    \operation \n, (\offset + (\n - 14) * 8)(\base)
    .endr
    .endm

// r3 is the thread. Saves its registers on its stack, those of the FPU only if somebody on this
// dispatcher has used it.
    .macro save_thread
    mflr    r0
    mfcr    r6
    std     r0, 16(r1)
    std     r6, 8(r1)
    stdu    r1, -SWITCH_FRAME(r1)
    each_saved std, r1, SWITCH_GPR
    ld      r5, DISPATCHER_FP_USED(r13)
    std     r5, THREAD_FP_SAVED(r3)
    cmpdi   r5, 0
    beq     9f
    each_saved stfd, r1, SWITCH_FPR
9:  std     r1, THREAD_SP(r3)
    .endm

// void thread_switch(struct thread *from, struct thread *to)
function thread_switch
    save_thread
    mr      r3, r4
    b       resume
    end thread_switch

// void thread_resume(struct thread *to)
function thread_resume
resume:
    std     r3, SCHEDULER_CURRENT(r13)
    ld      r1, THREAD_SP(r3)
    ld      r5, THREAD_FP_SAVED(r3)
    cmpdi   r1, 0
    beq     preempted
    cmpdi   r5, 0
    each_saved ld, r1, SWITCH_GPR
    beq     1f
    each_saved lfd, r1, SWITCH_FPR
1:  addi    r1, r1, SWITCH_FRAME
    ld      r0, 16(r1)
    ld      r6, 8(r1)
    mtlr    r0
    mtcrf   0xff, r6
    blr
    // SYS_RESUME needs no stack.
preempted:
    cmpdi   r5, 0
    beq     1f
    lfd     0, (THREAD_FPR + 32 * 8)(r3)
    mtfsf   0xff, 0
    .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    lfd     \n, (THREAD_FPR + \n * 8)(r3)
    .endr
1:  addi    r3, r3, THREAD_STATE
    li      r0, SYS_RESUME
    sc
    trap
    end thread_resume

// void thread_leave(struct thread *from, void (*function)(struct thread *))
function thread_leave
    save_thread
    ld      r1, DISPATCHER_STACK(r13)
    ld      r5, 0(r4)
    mtctr   r5
    bctrl
    trap
    end thread_leave

// The kernel comes here with an event in r3…r12, on the upcall stack. Floating-point registers are
// saved before C code can touch them.
    .set    UPCALL_EVENT, 112
    .set    UPCALL_FRAME, 112 + 80
function upcall_entry
    li      r0, 0
    stdu    r0, -UPCALL_FRAME(r1)
    std     r3, (UPCALL_EVENT + 0)(r1)
    std     r4, (UPCALL_EVENT + 8)(r1)
    std     r5, (UPCALL_EVENT + 16)(r1)
    std     r6, (UPCALL_EVENT + 24)(r1)
    std     r7, (UPCALL_EVENT + 32)(r1)
    std     r8, (UPCALL_EVENT + 40)(r1)
    std     r9, (UPCALL_EVENT + 48)(r1)
    std     r10, (UPCALL_EVENT + 56)(r1)
    std     r11, (UPCALL_EVENT + 64)(r1)
    std     r12, (UPCALL_EVENT + 72)(r1)
    ld      r4, SCHEDULER_CURRENT(r13)
    cmpdi   r4, 0
    beq     1f
    ld      r5, DISPATCHER_FP_USED(r13)
    std     r5, THREAD_FP_SAVED(r4)
    cmpdi   r5, 0
    beq     1f
    .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    stfd    \n, (THREAD_FPR + \n * 8)(r4)
    .endr
    mffs    0
    stfd    0, (THREAD_FPR + 32 * 8)(r4)
1:  addi    r3, r1, UPCALL_EVENT
    bl      event_upcall
    nop
    trap
    end upcall_entry

// A thread's first code: its stack is what thread_make has laid out.
function thread_entry
    bl      thread_begin
    nop
    trap
    end thread_entry
