// SPDX-License-Identifier: MIT
// Reading the ring of a writer that has stopped for good, at whatever instruction, out of memory
// that it could write at will. What was logged before is found whole; nothing that it left is
// believed.
#ifndef TRACE_SALVAGE_H
#define TRACE_SALVAGE_H

#include <trace/check.h>
#include <trace/cpu.h>

#define TRACE_SALVAGE_MAX 64 // sub-buffers of a ring

// Copies out of the writer's memory: true when all of it was there.
typedef bool (*trace_salvage_read)(void *context, void *to, u64 from, u64 bytes);

struct trace_salvage {
    struct trace_cpu ring;
    trace_salvage_read read;
    void *context;
    u64 subbuffers[TRACE_SALVAGE_MAX];
};

// False: there is no ring, or nothing that could be one. Unread packets are ring.consumed …
// ring.begun - 1.
bool trace_salvage_open(struct trace_salvage *salvage, const struct trace_cpu *ring,
                        trace_salvage_read read, void *context);
// Reads packet n into a sub-buffer's worth of memory, and completes its header. Returns its content
// in bytes; 0 when it has none, or is not there. To be checked by trace_check_packet.
u64 trace_salvage_packet(const struct trace_salvage *salvage, u64 n, struct trace_packet *packet,
                         u64 now);
// After all of them were checked: events that the ring counts and that no packet brought, as it was
// stopped with a packet that it had taken out, are counted as dropped. Once. Makes a packet without
// events that tells so, and returns its content; 0 when nothing is missing.
u64 trace_salvage_rest(const struct trace_salvage *salvage, u32 pid, u32 cpu,
                       struct trace_packet *packet, u64 now, struct trace_stream *stream);

#endif
