// SPDX-License-Identifier: MIT
// Trace state of one CPU, at r13 + R13_TRACE. Only its own CPU writes it: the first part by the
// append sequence (sequence.S), the rest with interrupts hard-masked. Readers of dumps know the
// layout.
#ifndef TRACE_CPU_H
#define TRACE_CPU_H

#include <trace/layout.h>

#define TRACE_CPU_POS 0
#define TRACE_CPU_BOUND 8
#define TRACE_CPU_STEP 16 // of n data words: + 8 * n
#define TRACE_CPU_LIMIT 160
#define TRACE_CPU_COUNTED_MAJORS 168
#define TRACE_CPU_LEFT_OUT 176

#define TRACE_CPU_MAGIC 0x4f52527472616365 // "ORRtrace"

#ifndef __ASSEMBLER__
#include <orrery/types.h>

struct trace_cpu {
    // Events logged (32 bits) << 32 | low half of the next event's address. One store commits
    // both, so count and contents never disagree. The low half is 0 while no packet is open.
    u64 pos;
    // High half of that address, and the limit that pos's low half must stay below for any event to
    // fit: 0 while no packet is open.
    u64 bound;
    u64 step[TRACE_MAX_WORDS + 1]; // what an event of n data words adds to pos

    u64 magic;           // TRACE_CPU_MAGIC once it has buffers
    u64 subbuffers;      // address of u64[subbuffer_count]: their addresses
    u32 subbuffer_count; // a power of two
    u16 mode;            // enum sys_trace_mode
    u16 cpu;
    // Packet n lies in sub-buffer n % subbuffer_count. consumed <= closed <= begun <= closed + 1.
    u64 begun, closed;
    u64 consumed; // packets read or overwritten
    u64 events;   // all 64 bits of the count in pos, when the latest packet was begun
    u64 discarded;
    u64 overwritten;
    // Overwriting a packet changes consumed and overwritten. If a process was killed in between, a
    // reader of its ring finds the right value by these: see trace_cpu_overwritten.
    u64 overwriting; // total holds from this value of consumed on
    u64 total;
    // The open packet's limit; 0 while no packet is open. Same as in bound, except while counters
    // go with events, or the CPU runs for a process that is left out: then bound has 0, so that
    // every event takes the slow path.
    u64 limit;
    u64 counted_majors; // majors whose events get counters (trace/counters.h), bit n: major n
    u64 left_out;       // not 0: the CPU runs for a process that is left out (trace/ring.h)
};

// Returns the events overwritten in a ring without a writer, at whatever instruction it ended.
static inline u64 trace_cpu_overwritten(const struct trace_cpu *cpu)
{
    return cpu->overwriting != 0 && cpu->consumed >= cpu->overwriting &&
                   cpu->total > cpu->overwritten
               ? cpu->total
               : cpu->overwritten;
}

// Returns 64 bits of the count of which pos has 32. Right as long as a packet holds fewer than
// 2^32.
static inline u64 trace_cpu_events(const struct trace_cpu *cpu)
{
    return cpu->events + (u32)((u32)(cpu->pos >> 32) - (u32)cpu->events);
}

_Static_assert(offsetof(struct trace_cpu, pos) == TRACE_CPU_POS, "sequence.S");
_Static_assert(offsetof(struct trace_cpu, bound) == TRACE_CPU_BOUND, "sequence.S");
_Static_assert(offsetof(struct trace_cpu, step) == TRACE_CPU_STEP, "sequence.S");
_Static_assert(offsetof(struct trace_cpu, overwritten) == 136, "known to readers of dumps");
_Static_assert(offsetof(struct trace_cpu, limit) == TRACE_CPU_LIMIT, "ipc/fast_path.S");
_Static_assert(offsetof(struct trace_cpu, counted_majors) == TRACE_CPU_COUNTED_MAJORS, "the same");
_Static_assert(offsetof(struct trace_cpu, left_out) == TRACE_CPU_LEFT_OUT, "the same");
_Static_assert(sizeof(struct trace_cpu) <= 256, "its place in the per-CPU window");
#endif
#endif
