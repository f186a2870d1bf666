// SPDX-License-Identifier: MIT
// The short way of a spin lock: free, in order, not logged. 20 instructions take it, 18 release it.
// Compiled code needs almost twice as many, as it keeps a frame for the other ways (spinlock.c).
// Both change r4 ... r10 and cr0.
#include <kernel/asm.h>
#include <kernel/asm_offsets.h>
#include <kernel/percpu.h>
#include <trace/events.h>

// A branch to target while acquisitions are logged (trace/point.h).
    .macro while_logged target
    .ifeq (TRACE_OMITTED >> TRACE_MAJOR_LOCKHOLD) & 1
1:  nop
    .pushsection .trace_points, "a", @progbits
    .balign 8
    .quad   1b, \target, TRACE_MAJOR_LOCKHOLD
    .popsection
    .endif
    .endm

// In images with sanitizers notes who takes the lock at r3 (kernel/spinlock.h).
    .macro note_taken
#ifdef SANITIZE
    lwz     r6, R13_CPU(r13)
    lbz     r7, SPINLOCK_RANK(r3)
    sldi    r6, r6, 5              // SPIN_RANKS of them
    add     r6, r6, r7
    sldi    r6, r6, 3
    addis   r8, r2, spin_taken_at@toc@ha
    addi    r8, r8, spin_taken_at@toc@l
    mflr    r9
    stdx    r9, r8, r6
#endif
    .endm

// void spin_lock(struct spinlock *lock)
function spin_lock
    lbz     r4, PERCPU_SOFT_MASKED(r13)
    li      r10, 1
    stb     r10, PERCPU_SOFT_MASKED(r13)
    ld      r5, PERCPU_INNERMOST_LOCK(r13)
    cmpdi   r5, 0
    bne     5f
2:  lwz     r9, R13_CPU(r13)
    addi    r9, r9, 1
3:  lwarx   r8, 0, r3
    cmpwi   r8, 0
    bne-    4f
    stwcx.  r9, 0, r3
    bne-    3b
    isync
    stb     r4, SPINLOCK_MASKED(r3)
    std     r5, SPINLOCK_OUTER(r3)
    std     r3, PERCPU_INNERMOST_LOCK(r13)
    note_taken
    while_logged 6f
    blr
4:  b       spin_lock_slow         // with masked and outer as its arguments
5:  lbz     r7, SPINLOCK_RANK(r5)
    lbz     r8, SPINLOCK_RANK(r3)
    cmplw   r7, r8
    blt     2b
    b       spin_wrong_order
6:  b       spin_lock_traced
end_function spin_lock

// void spin_unlock(struct spinlock *lock). Only spin_lock makes a lock this CPU's innermost, so a
// CPU that has it there holds it.
function spin_unlock
    ld      r10, PERCPU_INNERMOST_LOCK(r13)
    cmpd    r10, r3
    bne-    4f
    while_logged 5f
    lbz     r7, SPINLOCK_MASKED(r3)
    ld      r9, SPINLOCK_OUTER(r3)
    std     r9, PERCPU_INNERMOST_LOCK(r13)
    lwsync
    li      r10, 0
    stw     r10, 0(r3)
    cmpwi   r7, 0
    bnelr
    stb     r7, PERCPU_SOFT_MASKED(r13)
    lhz     r9, PERCPU_SOFT_WORK(r13)
    cmpwi   r9, 0
    beqlr+
    b       .soft_mask_replay
4:  b       spin_wrong_unlock
5:  b       spin_unlock_traced
end_function spin_unlock
