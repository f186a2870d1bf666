// SPDX-License-Identifier: MIT
// One CPU's ring of sub-buffers. All functions but create run on that CPU with trace_platform_mask
// in force, or when it is stopped.
#ifndef TRACE_RING_H
#define TRACE_RING_H

#include <orrery/sys.h>
#include <trace/cpu.h>

// Allocates count (a power of two >= 2) sub-buffers and makes the ring of a CPU that does not trace
// yet. Returns 0, E_INVAL or E_NOMEM.
int trace_ring_create(struct trace_cpu *cpu, u32 number, u32 count, enum sys_trace_mode mode);

// Logs an event, in the next packet if necessary. Returns false, and counts it as discarded, if
// there is no room.
bool trace_ring_append(struct trace_cpu *cpu, u32 header, const u64 *words);

// Adds counters to events of these majors from now on; 0: of none. Meanwhile every event takes the
// slow path.
void trace_ring_count(struct trace_cpu *cpu, u64 majors);

// Leaves out what this CPU logs from now on (on), or logs it again: a process runs of which nobody
// wants to know. Kept all the same: who runs when (SCHED, TRACE), what there is (STATE, PROGRAM),
// and calls (IPC), which have another side. What is left out counts nowhere. Meanwhile every event
// takes the slow path.
void trace_ring_leave_out(struct trace_cpu *cpu, bool on);
// Returns whether an event is left out now.
bool trace_ring_leaves_out(const struct trace_cpu *cpu, u32 header);

// Empties the ring and zeroes its counts.
void trace_ring_reset(struct trace_cpu *cpu, enum sys_trace_mode mode);

// Makes sure that the next event's time is near its packet's begin or its predecessor's. Closes a
// packet that has events; gives an empty one a new time.
void trace_ring_renew(struct trace_cpu *cpu);

// Takes the oldest unread packet out of the ring and puts spare in its place. Returns NULL if there
// is none. flush: closes the open packet, if it has events and no other is unread.
struct trace_packet *trace_ring_take(struct trace_cpu *cpu, bool flush, void *spare);

// Stops this ring at once, and all rings at the end of their packets, for good. Further events
// count as discarded.
void trace_ring_stop(struct trace_cpu *cpu);

void trace_ring_stat(const struct trace_cpu *cpu, struct sys_trace_stat *stat);

// Returns packet n; it is in the ring while n < begun and n + subbuffer_count >= begun.
static inline struct trace_packet *trace_ring_packet(const struct trace_cpu *cpu, u64 n)
{
    return (struct trace_packet *)((const u64 *)cpu->subbuffers)[n & (cpu->subbuffer_count - 1)];
}

static inline bool trace_ring_open(const struct trace_cpu *cpu)
{
    return cpu->begun != cpu->closed;
}

// Returns where the next event goes. Only while a packet is open.
static inline u64 *trace_ring_next(const struct trace_cpu *cpu)
{
    return (u64 *)((cpu->bound & 0xffffffff00000000UL) | (u32)cpu->pos);
}

#endif
