// SPDX-License-Identifier: MIT
// Into the kernel from user mode by `sc`, and out again. A plain system call saves what C does not
// keep, calls the decoding function with the arguments still in r3…r10, and goes back: 56
// instructions without that function, from vector to rfid. Registers: docs/system-calls.md.
#include <kernel/asm.h>
#include <kernel/asm_offsets.h>
#include <kernel/percpu.h>
#include <orrery/r13.h>
#include <syscalls/numbers.h>

#include "frame_exit.h"
#include "user.h"

#define GPR(n) (FRAME_GPR + 8*(n))
#define MSR_RI_EE (-32766) // 0x8002 of mtmsrd L=1
#define MSR_RI 2
#define SELF_HOME 48
#define LR_HOME 16

// Comes from vector 0xc00: EE off, r13 = this CPU's block, CTR = the user's r13. Everything else is
// as user code left it: trust no register.
    .section .text.co, "ax"
    .balign 64
    .globl  syscall_entry
syscall_entry:
    cmpldi  r0, SYSCALL_COUNT
    bge-    syscall_special
    mr      r11, r1
    ld      r1, PERCPU_KERNEL_STACK(r13)
    std     r2, GPR(2)-USER_FRAME(r1)
    std     r11, GPR(1)-USER_FRAME(r1)
    mfctr   r11
    std     r11, GPR(13)-USER_FRAME(r1)
    mfsrr0  r11
    std     r11, FRAME_PC-USER_FRAME(r1)
    ld      r2, PERCPU_PROCESS(r13)
    mr      r12, r3
// DREF of the Process object, with its counting hook (co/object.h). Its representative is there:
// attach.
1:  nop
2:  ldx     r3, r13, r2
    .pushsection .text.rseq32, "ax", @progbits
    .balign 32
3:  addis   r11, r2, R13_COUNTS >> 16
    ldx     r3, r13, r11
    addi    r3, r3, 1
    stdx    r3, r13, r11
    b       2b
    .popsection
    .pushsection .dref_sites, "a", @progbits
    .balign 8
    .quad   1b, 3b
    .popsection

// The Process method that plain system calls run in: r3 = self, r12 = the call's first argument, r0
// = number, r1 = kernel_stack, LR the user's.
    .globl  system_call
    .pushsection .opd, "aw"
system_call:
    .quad   .system_call, .TOC.@tocbase, 0
    .popsection
    .type   .system_call, @function
.system_call:
    mflr    r11
    std     r11, LR_HOME(r1)
    stdu    r1, -USER_FRAME(r1)
    std     r3, USER_FRAME+SELF_HOME(r1)
    mr      r3, r12
    ld      r2, PERCPU_TOC(r13)
    ld      r12, PERCPU_SYSCALLS(r13)
    sldi    r0, r0, 3
    li      r11, MSR_RI_EE
    mtmsrd  r11, 1
    ldx     r12, r12, r0
    mtctr   r12
    bctrl
    li      r11, MSR_RI
    mtmsrd  r11, 1
    ld      r11, PERCPU_WORK(r13)
    cmpdi   r11, 0
    bne-    syscall_work
    lq      r4, FRAME_PC(r1)        // r5 = MSR, kept by the kernel alone
    ld      r11, USER_FRAME+LR_HOME(r1)
    mtsrr0  r4
    mtsrr1  r5
    mtlr    r11
    ld      r2, GPR(2)(r1)
    ld      r13, GPR(13)(r1)
    li      r0, 0                   // nothing of the kernel's is left in registers
    li      r6, 0
    li      r7, 0
    li      r8, 0
    li      r9, 0
    li      r10, 0
    li      r12, 0
    mtctr   r0
    mtxer   r0
    mtcrf   0xc7, r0                // the condition fields that C changes
    ld      r1, GPR(1)(r1)
    rfid

// Before user mode there is something to do, which needs the whole frame.
syscall_work:
    std     r3, GPR(3)(r1)
    li      r0, 0
    .irp n, 0,4,5,6,7,8,9,10,11,12
    std     r0, GPR(\n)(r1)
    .endr
    each_register std, FRAME_GPR, 14, 31
    ld      r11, USER_FRAME+LR_HOME(r1)
    std     r11, FRAME_LR(r1)
    std     r0, FRAME_CTR(r1)
    std     r0, FRAME_XER(r1)
    mtcrf   0xc7, r0
    mfcr    r11
    std     r11, FRAME_CR(r1)
    li      r11, 0xc00
    std     r11, FRAME_VECTOR(r1)
    addi    r3, r1, FRAME_GPR
    bl      user_exit
    nop
    b       user_return
    .size   .system_call, . - .system_call

    .text
// Special calls and wrong numbers take the way of all exceptions (boot/src/vectors.S has its
// convention). Calls and answers take the fast path if they can.
syscall_special:
    cmpldi  r0, SYS_CALL
    beq     ipc_fast_call
    cmpldi  r0, SYS_REPLY_WAIT
    beq     ipc_fast_reply_wait
    cmpldi  r0, SYS_REPLY
    beq     ipc_fast_reply
    cmpldi  r0, SYS_WAIT
    beq     ipc_fast_wait
    .globl  syscall_slow
syscall_slow:
    std     r10, PERCPU_SCRATCH+0(r13)
    std     r11, PERCPU_SCRATCH+8(r13)
    std     r9, PERCPU_SCRATCH+16(r13)
    std     r12, PERCPU_SCRATCH+24(r13)
    mfctr   r10
    mtspr   274, r10
    mfcr    r9
    li      r11, 0xc00
    b       exception_entry

// void user_enter(u64 kernel_stack): leaves the stack it is called on for good.
function user_enter
    addi    r1, r3, -USER_FRAME
    std     r3, 0(r1)
    addi    r3, r1, FRAME_GPR
    bl      dispatcher_begin
    nop
    b       user_return
end_function user_enter

// Continues a dispatcher whose sleep is over: r1 = the frame of user code, soft-masked. The Process
// object's work goes on: no new call, so no counting hook.
function user_resume
    addi    r11, r1, USER_FRAME
    std     r11, 0(r1)
    ld      r3, PERCPU_PROCESS(r13)
    ldx     r3, r13, r3
    addi    r4, r1, FRAME_GPR
    bl      dispatcher_resume
    nop
    b       user_return
end_function user_resume

    .globl  user_return
    .type   user_return, @function
// r1 = the frame of user code, all of which is loaded. EE off.
user_return:
    load_state
    ld      r0, GPR(0)(r1)
    each_register ld, FRAME_GPR, 2, 31
    ld      r1, GPR(1)(r1)
    rfid
    .size   user_return, . - user_return
