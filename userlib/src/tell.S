// SPDX-License-Identifier: MIT
// What a process tells monitors (user/sensor.h): a record into its dispatcher's page, by a
// restartable sequence (userlib/user.ld, kernel/rseq.h) of 12 instructions. The kernel takes the
// records, and restarts a sequence that it interrupts.
#include <orrery/user.h>
#include <syscalls/numbers.h>

// void monitor_tell(u64 what, u64 word0, u64 word1)
    .globl  monitor_tell
    .section .opd, "aw"
monitor_tell:
    .quad   .monitor_tell, .TOC.@tocbase, 0
    .section .text.rseq, "ax", @progbits
    .balign 128
    .type   .monitor_tell, @function
.monitor_tell:
    ld      r6, DISPATCHER_RECORDS_USED(r13)
    cmpldi  r6, DISPATCHER_RECORDS_BYTES
    mftb    r7
    add     r8, r6, r13
    bge-    1f
    std     r7, DISPATCHER_RECORDS(r8)
    std     r3, (DISPATCHER_RECORDS + 8)(r8)
    std     r4, (DISPATCHER_RECORDS + 16)(r8)
    std     r5, (DISPATCHER_RECORDS + 24)(r8)
    addi    r6, r6, DISPATCHER_RECORD
    std     r6, DISPATCHER_RECORDS_USED(r13)    // commit
    blr
1:  b       tell_slowly
    .size   .monitor_tell, . - .monitor_tell
    .balign 128

// There is no room: the kernel takes this record now, after the others.
    .section .text.tell_slowly, "ax", @progbits
    .type   tell_slowly, @function
tell_slowly:
    mr      r6, r5
    mr      r5, r4
    rlwinm  r4, r3, 16, 24, 31
    srwi    r3, r3, 24
    li      r0, SYS_MONITOR_TELL
    sc
    blr
    .size   tell_slowly, . - tell_slowly
