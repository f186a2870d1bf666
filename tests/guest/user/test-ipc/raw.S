// SPDX-License-Identifier: MIT
// System calls as a hostile or broken program would make them.
#include <syscalls/numbers.h>

    .macro  raw name
    .section .opd, "aw"
    .balign 8
    .globl  \name
\name:
    .quad   .L\name, .TOC.@tocbase, 0
    .text
.L\name:
    .endm

    .macro  words from
    ld      r12, 40(\from)
    ld      r11, 32(\from)
    ld      r10, 24(\from)
    ld      r9, 16(\from)
    ld      r8, 8(\from)
    ld      r7, 0(\from)
    .endm

// s64 raw_reply(u64 call, s64 status, u64 info, const u64 *words)
    raw     raw_reply
    mr      r7, r6
    mr      r6, r5
    mr      r5, r4
    mr      r4, r3
    words   r7
    li      r0, SYS_REPLY
    sc
    blr

// s64 raw_send(cap_t cap, s64 cpu, const u64 *words)
    raw     raw_send
    mr      r7, r5
    words   r7
    li      r0, SYS_SEND
    sc
    blr

// void raw_event_call(u64 cap, u64 token, u64 flags, u64 info, struct event *event)
    raw     raw_event_call
    std     r31, -8(r1)
    mr      r31, r7
    li      r0, SYS_CALL
    sc
    std     r3, 0(r31)
    std     r4, 8(r31)
    std     r5, 16(r31)
    std     r6, 24(r31)
    std     r7, 32(r31)
    std     r8, 40(r31)
    std     r9, 48(r31)
    std     r10, 56(r31)
    std     r11, 64(r31)
    std     r12, 72(r31)
    ld      r31, -8(r1)
    blr

// s64 raw_while_enabled(u64 number)
    raw     raw_while_enabled
    mr      r0, r3
    li      r3, 0
    li      r4, 0
    li      r5, 0
    li      r6, 0
    sc
    blr
