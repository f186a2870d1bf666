// SPDX-License-Identifier: MIT
// A plain system call while the trace has system calls: an event before the decoding function, and
// one behind it. This stands in the entries in place of all functions (syscalls/entries.c).
#include <kernel/asm.h>
#include <kernel/asm_offsets.h>
#include <kernel/percpu.h>
#include <trace/events.h>

#define LR_HOME 16
#define FRAME (112 + 4 * 8)             // with what trace_append_2 changes or takes: r0, r8 ... r10
#define SAVED(n) (112 + 8 * (n))

    .section .toc, "aw"
plain_entries:
    .quad   syscall_entries
entries_now:
    .quad   syscall_inner

// From system_call: r0 = 8 * number, r3 ... r10 = arguments, r1 = its frame.
function syscall_traced
    mflr    r11
    std     r11, LR_HOME(r1)
    stdu    r1, -FRAME(r1)
    std     r0, SAVED(0)(r1)
    std     r8, SAVED(1)(r1)
    std     r9, SAVED(2)(r1)
    std     r10, SAVED(3)(r1)
    srdi    r9, r0, 3
    mr      r8, r3
    trace_header 2, TRACE_MAJOR_SYSCALL, TRACE_SYSCALL_SYSCALL_ENTER
    bl      trace_append_2
    ld      r11, plain_entries@toc(r2)
    ld      r0, SAVED(0)(r1)
    ld      r8, SAVED(1)(r1)
    ld      r9, SAVED(2)(r1)
    ld      r10, SAVED(3)(r1)
    ldx     r12, r11, r0
    mtctr   r12
    bctrl
    ld      r11, plain_entries@toc(r2)
    ld      r12, entries_now@toc(r2)
    ld      r12, 0(r12)
    ld      r9, SAVED(0)(r1)
    cmpld   r11, r12                // not logged any more: nothing may come behind a mask of 0
    beq-    1f
    srdi    r9, r9, 3
    mr      r8, r3
    trace_header 2, TRACE_MAJOR_SYSCALL, TRACE_SYSCALL_SYSCALL_EXIT
    bl      trace_append_2
1:  addi    r1, r1, FRAME
    ld      r11, LR_HOME(r1)
    mtlr    r11
    blr
end_function syscall_traced
