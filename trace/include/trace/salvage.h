// SPDX-License-Identifier: MIT
// Reads the ring of a writer that has stopped for good, at whatever instruction. The writer could
// write anything there, so nothing is trusted. All that it logged properly is found whole.
#ifndef TRACE_SALVAGE_H
#define TRACE_SALVAGE_H

#include <trace/check.h>
#include <trace/cpu.h>

#define TRACE_SALVAGE_MAX 64 // sub-buffers of a ring

// Copies from the writer's memory. Returns true if all of it was there.
typedef bool (*trace_salvage_read)(void *context, void *to, u64 from, u64 bytes);

struct trace_salvage {
    struct trace_cpu ring;
    trace_salvage_read read;
    void *context;
    u64 subbuffers[TRACE_SALVAGE_MAX];
};

// Returns false if there is no ring, or nothing that could be one. Unread packets are ring.consumed
// … ring.begun - 1.
bool trace_salvage_open(struct trace_salvage *salvage, const struct trace_cpu *ring,
                        trace_salvage_read read, void *context);
// Reads packet n into a sub-buffer's worth of memory, and completes its header. Returns its content
// in bytes; 0 if it has none, or is not there. Check it by trace_check_packet.
u64 trace_salvage_packet(const struct trace_salvage *salvage, u64 n, struct trace_packet *packet,
                         u64 now);
// Counts as dropped all events that the ring counts and no packet had: the writer may have stopped
// after it took a packet out. Call it once, after all packets were checked. Makes a packet without
// events that reports them, and returns its content; 0 if nothing is missing.
u64 trace_salvage_rest(const struct trace_salvage *salvage, u32 pid, u32 cpu,
                       struct trace_packet *packet, u64 now, struct trace_stream *stream);

#endif
