// SPDX-License-Identifier: MIT
// Layout of events and packets in memory, big-endian: the event word of S002 §3.2 and the header of
// a CTF 1.8 packet. A sub-buffer is one packet: header, events, filler.
#ifndef TRACE_LAYOUT_H
#define TRACE_LAYOUT_H

#define TRACE_SUBBUFFER_SIZE 0x10000 // bytes, naturally aligned: never straddles 4 GB
#define TRACE_MAX_WORDS 6            // data words of an event

// Event word: timestamp 32 | length in words, this one included, 10 | major 6 | minor 16. The low
// half of an event with `words` data words:
#define TRACE_HEADER(words, major, minor)                                                          \
    ((u32)(((words) + 1u) << 22 | (u32)(major) << 16 | (minor)))
#define TRACE_MAX_LENGTH 1023
// Filler pads a packet behind its last event, outside of its content.
#define TRACE_FILLER_ID 0x00ffff // major TRACE

#define TRACE_PACKET_MAGIC 0xc1fc1fc1
// Stream classes. In the kernel's, pid is the high half of packet_seq_num.
#define TRACE_STREAM_KERNEL 0
#define TRACE_STREAM_PROCESS 1
#define TRACE_PACKET_HEADER_SIZE 88

#ifndef __ASSEMBLER__
#include <orrery/types.h>

// Every word of it is big-endian in memory; the metadata (metadata.c) describes the same.
struct trace_packet {
    u32 magic;
    u8 uuid[16];
    u32 stream_id;
    u64 timestamp_begin, timestamp_end; // time base
    u64 content_bits, packet_bits;      // content: header and events
    u64 events_discarded;               // on this CPU, until this packet was closed
    u32 pid;                            // 0: the kernel
    u32 packet_seq_num;                 // 0, 1, … on this CPU
    u64 events_overwritten;             // on this CPU, until this packet was closed
    u32 event_count;                    // in this packet; 0 while it is open
    u32 cpu_id;
    u64 events[];
};

_Static_assert(sizeof(struct trace_packet) == TRACE_PACKET_HEADER_SIZE,
               "known to readers of dumps");

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TRACE_BE32(x) ((u32)(x))
#define TRACE_BE64(x) ((u64)(x))
#else
#define TRACE_BE32(x) __builtin_bswap32(x)
#define TRACE_BE64(x) __builtin_bswap64(x)
#endif

static inline u32 trace_event_time(u64 event_word)
{
    return (u32)(event_word >> 32);
}

static inline u32 trace_event_length(u64 event_word) // in words, event word included
{
    return (u32)event_word >> 22;
}

static inline u32 trace_event_id(u64 event_word) // major << 16 | minor
{
    return (u32)event_word & 0x3fffff;
}
#endif
#endif
