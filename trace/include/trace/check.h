// SPDX-License-Identifier: MIT
// Packets that processes wrote, made fit to be read by others: a process can spoil nothing but what
// it logs.
#ifndef TRACE_CHECK_H
#define TRACE_CHECK_H

#include <trace/layout.h>

// What readers have seen of a stream. Zeroed before its first packet.
struct trace_stream {
    u64 last_end;               // time
    u64 discarded, overwritten; // as in the last packet
    u64 dropped;                // events that were lost in another way, not in overwritten
    u64 events;                 // of the packets that followed
    u32 sequence;               // of the next packet, at least
};

// Content of a packet in bytes, as it says, within limits: at least its header, at most a
// sub-buffer, whole words.
u64 trace_check_content(const struct trace_packet *packet);

// Checks a packet of pid on cpu, whose first `content` bytes are there, and makes its header right,
// whoever wrote it: what is not an event, or out of time, ends it. now: time base. Returns its
// content in bytes; 0 when it is no packet that can follow, and *stream is as it was then.
u64 trace_check_packet(struct trace_packet *packet, u64 content, u32 pid, u32 cpu, u64 now,
                       struct trace_stream *stream);

#endif
