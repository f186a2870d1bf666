// SPDX-License-Identifier: MIT
// The record of a switch (sensor.c) for the fast path of calls: it is in the middle of its
// registers, and may touch few of them.
#include <kernel/asm.h>
#include <kernel/asm_offsets.h>
#include <kernel/percpu.h>
#include <kernel/points_asm.h>
#include <trace/reasons.h>

#include "points/fast_in_c.h"

// Of monitors_measure_fast.
#define MEASURE_FRAME 0xa0
#define MEASURE_KEPT 0x30

// 17 instructions a record, and 4.
// r19 = tracks, not empty; r24 = time; r25 = kind << 24 | reason << 16; r26, r27 = the words.
// EE off. Changes r3, r4, r19 ... r21, the upper half of r25, r28 ... r31, r2, LR, CTR, CR0.
    .text
    .balign 64
    .globl  monitors_fire_switch
monitors_fire_switch:
    lwz     r4, TRACKS_FIRES(r19)
    ld      r19, TRACKS_FIRST(r19)
    mtctr   r4
1:  lq      r30, TRACK_RING(r19)    // r30 = ring, r31 = kinds and id
    rldicl. r4, r31, 32 - MONITOR_SWITCH, 63
    beq-    2f
    rldimi  r25, r31, 32, 0         // id, kind, reason, none lost
    lq      r28, RING_NEXT(r30)     // r28 = next, r29 = written
    lq      r20, RING_STOP(r30)     // r20 = stop, r21 = position
    cmpd    r28, r20
    beq-    append_slowly
    stq     r24, RECORD_TIME(r28)
    stq     r26, RECORD_WORDS(r28)
    addi    r28, r28, RECORD_SIZE
    addi    r29, r29, 1
    stq     r28, RING_NEXT(r30)
    lwsync
    std     r29, POSITION_WRITTEN(r21)
2:  addi    r19, r19, TRACK_SIZE
    bdnz    1b
    blr

// monitor_ring_append_slowly(ring, id, what, time, words), if the ring runs. What a process has
// told is taken there, if it has: both sides of a call are in a system call, where nobody appends.
append_slowly:
    ld      r28, RING_PENDING(r30)
    lwz     r4, RING_RUNNING(r30)
    cmpdi   r28, 0
    beq+    3f
    ld      r4, 0(r28)
3:  cmpdi   r4, 0
    beq-    2b
    begin_c
    mfctr   r29
    mr      r3, r30
    clrldi  r4, r31, 32
    clrldi  r5, r25, 32
    mr      r6, r24
    mr      r7, r26
    mr      r8, r27
    bl      monitor_ring_append_slowly
    end_c
    mtctr   r29
    b       2b

    .macro  measure_kept how
    .irp n, 19,20,21,22,23,24,25,26,27,28,29,30,31
    \how    \n, (MEASURE_KEPT + 8*(\n - 19))(r1)
    .endr
    .endm

// As sense_switch(r22, r23), and on with bulk: 6 instructions if nobody tracks them and there is
// none. r3, r4, r19 ... r21 and r24 ... r31 are free here, as what they had is in the frame.
    .macro monitor_switch reason, copy, copied
    ld      r19, THREAD_TRACKS(r22)
    ld      r20, THREAD_TRACKS(r23)
    or      r20, r19, r20
    cmpdi   cr1, r20, 0
    bne-    cr1, 2f
1:  beq+    \copied
    b       \copy
2:  cmpdi   r19, 0
    mfspr   r24, 268                // the time base
    li      r27, MONITOR_FAST_PATH
    beq-    3f
    lis     r25, MONITOR_SWITCH << 8 | \reason
    li      r26, MONITOR_LEAVES
    bl      monitors_fire_switch
3:  ld      r19, THREAD_TRACKS(r23)
    cmpdi   r19, 0
    beq-    4f
    lis     r25, MONITOR_SWITCH << 8
    li      r26, MONITOR_COMES
    bl      monitors_fire_switch
4:  cmpdi   r6, 0
    b       1b
    .endm

monitor_call:
    monitor_switch REASON_CALL, ipc_copy_call, ipc_call_copied
    handles_fast NAMED(fast_call), 3, monitor_call, 1b, monitors_observer, MONITORS_SWITCHES
monitor_answer:
    monitor_switch REASON_REPLY, ipc_copy_reply, ipc_reply_copied
    handles_fast NAMED(fast_answer), 3, monitor_answer, 1b, monitors_observer, MONITORS_SWITCHES

// u64 monitors_measure_fast(tracks, records): each as monitor_switch has it.
    .globl  monitors_measure_fast
monitors_measure_fast:
    mflr    r0
    std     r0, 16(r1)
    stdu    r1, -MEASURE_FRAME(r1)
    measure_kept std
    mr      r22, r3
    mr      r23, r4
    mfspr   r5, 268
1:  mr      r19, r22
    mfspr   r24, 268
    li      r27, MONITOR_FAST_PATH
    lis     r25, MONITOR_SWITCH << 8
    li      r26, MONITOR_COMES
    bl      monitors_fire_switch
    addi    r23, r23, -1
    cmpdi   r23, 0
    bne+    1b
    mfspr   r3, 268
    subf    r3, r5, r3
    measure_kept ld
    addi    r1, r1, MEASURE_FRAME
    ld      r0, 16(r1)
    mtlr    r0
    blr
