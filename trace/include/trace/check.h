// SPDX-License-Identifier: MIT
// Makes packets that processes wrote fit for other readers. A process can spoil only what it logs
// itself.
#ifndef TRACE_CHECK_H
#define TRACE_CHECK_H

#include <trace/layout.h>

// State of a stream's readers. Zeroed before its first packet.
struct trace_stream {
    u64 last_end;               // time
    u64 discarded, overwritten; // as in the last packet
    u64 dropped;                // events lost in another way, not in overwritten
    u64 events;                 // of the packets that followed
    u32 sequence;               // lowest valid number of the next packet
};

// Returns the content of a packet in bytes, as the packet says, within limits: at least its header,
// at most a sub-buffer, whole words.
u64 trace_check_content(const struct trace_packet *packet);

// Checks a packet of pid on cpu, whose first `content` bytes are there, and corrects its header.
// The packet ends at the first thing that is not an event, or out of time. now: time base. Returns
// its content in bytes; 0 if it cannot be the next packet, and leaves *stream as it was.
u64 trace_check_packet(struct trace_packet *packet, u64 content, u32 pid, u32 cpu, u64 now,
                       struct trace_stream *stream);

#endif
