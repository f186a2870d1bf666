// SPDX-License-Identifier: MIT
// A plain system call while monitors have system calls: the monitors are told of it behind the
// decoding function, or behind syscall_traced. This stands in the entries in place of all functions
// (syscalls/entries.c).
#include <kernel/asm.h>

#define LR_HOME 16
#define FRAME (112 + 16)
#define SAVED_R0 112

    .section .toc, "aw"
entries_behind:
    .quad   syscall_inner

// From system_call: r0 = 8 * number, r3 ... r10 = arguments, r1 = its frame.
function syscall_monitored
    mflr    r11
    std     r11, LR_HOME(r1)
    stdu    r1, -FRAME(r1)
    std     r0, SAVED_R0(r1)
    ld      r11, entries_behind@toc(r2)
    ld      r11, 0(r11)
    ldx     r12, r11, r0
    mtctr   r12
    bctrl
    mr      r4, r3
    ld      r3, SAVED_R0(r1)
    srdi    r3, r3, 3
    bl      monitors_syscall
    nop
    addi    r1, r1, FRAME
    ld      r11, LR_HOME(r1)
    mtlr    r11
    blr
end_function syscall_monitored
