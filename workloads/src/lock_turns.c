// SPDX-License-Identifier: MIT
// Reads turns of spin locks from this CPU's trace ring.
#include "lock_turns.h"

#include <kernel/percpu.h>
#include <trace/cpu.h>
#include <trace/events.h>

#define LOCK_CONTENDED (TRACE_MAJOR_LOCK << 16) // the major's event 0

enum { WORD_LOCK, WORD_TURNS, WORDS }; // of that event, those used here

static const struct trace_cpu *own_trace(void)
{
    return (const struct trace_cpu *)percpu()->trace;
}

static const u64 *next_event(const struct trace_cpu *trace)
{
    if (trace->begun == trace->closed)
        return NULL;
    return (const u64 *)((trace->bound & 0xffffffff00000000UL) | (u32)trace->pos);
}

bool lock_turns_known(void)
{
    return trace_enabled(TRACE_MAJOR_LOCK);
}

struct lock_turns_mark lock_turns_mark(void)
{
    const struct trace_cpu *trace = own_trace();

    return (struct lock_turns_mark){
        .events = trace_cpu_events(trace), .packets = trace->begun, .next = next_event(trace)};
}

static u64 turns_between(const u64 *at, const u64 *end, const struct spinlock *lock)
{
    u64 turns = 0;

    while (at < end && trace_event_length(*at) != 0) {
        u32 length = trace_event_length(*at);
        if (trace_event_id(*at) == LOCK_CONTENDED && length > WORDS &&
            at[1 + WORD_LOCK] == (u64)lock)
            turns += at[1 + WORD_TURNS];
        at += length;
    }
    return turns;
}

static const struct trace_packet *packet_of(const struct trace_cpu *trace, u64 number)
{
    const u64 *packets = (const u64 *)trace->subbuffers;

    return (const struct trace_packet *)packets[number & (trace->subbuffer_count - 1)];
}

u64 lock_turns_since(const struct lock_turns_mark *mark, const struct spinlock *lock)
{
    const struct trace_cpu *trace = own_trace();
    const u64 *from = mark->next, *open = next_event(trace);
    u64 turns = 0;

    if (trace_cpu_events(trace) == mark->events)
        return 0;
    for (u64 number = mark->packets - (from != NULL); number < trace->begun; number++) {
        const struct trace_packet *packet = packet_of(trace, number);
        bool last = number + 1 == trace->begun && open != NULL;
        const u64 *end = last ? open : (const u64 *)packet + packet->content_bits / 64;
        turns += turns_between(from != NULL ? from : packet->events, end, lock);
        from = NULL;
    }
    return turns;
}
