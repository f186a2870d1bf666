// SPDX-License-Identifier: MIT
// The system calls that take or return an event (orrery/process.h, orrery/ipc.h). Their C
// prototypes are in scheduler.h. r31 waits in the red zone: disabled, nobody else uses this stack.
#include "function.inc"
#include "layout.h"
#include <syscalls/numbers.h>

    // Where the event goes.
    .macro  to_event to
    std     r31, -8(r1)
    mr      r31, \to
    .endm

    .macro  store_event number
    li      r0, \number
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
    .endm

    // r7 points to the words.
    .macro  load_words
    ld      r12, 40(r7)
    ld      r11, 32(r7)
    ld      r10, 24(r7)
    ld      r9, 16(r7)
    ld      r8, 8(r7)
    ld      r7, 0(r7)
    .endm

// void event_wait(struct event *event)
function event_wait
    to_event r3
    store_event SYS_WAIT
    end event_wait

// void event_get(struct event *event)
function event_get
    to_event r3
    store_event SYS_POLL
    end event_get

// void event_call(cap_t cap, u64 token, u32 flags, u64 info, const u64 *words, struct event *event)
function event_call
    to_event r8
    load_words
    store_event SYS_CALL
    end event_call

// void event_reply_wait(u64 call, s64 status, u64 info, const u64 *words, struct event *event)
function event_reply_wait
    to_event r7
    mr      r7, r6
    mr      r6, r5
    mr      r5, r4
    mr      r4, r3
    load_words
    store_event SYS_REPLY_WAIT
    end event_reply_wait

// s64 event_reply(u64 call, s64 status, u64 info, const u64 *words)
function event_reply
    mr      r7, r6
    mr      r6, r5
    mr      r5, r4
    mr      r4, r3
    load_words
    li      r0, SYS_REPLY
    sc
    blr
    end event_reply

// s64 event_send(cap_t cap, s64 cpu, const u64 *words)
function event_send
    mr      r7, r5
    load_words
    li      r0, SYS_SEND
    sc
    blr
    end event_send
