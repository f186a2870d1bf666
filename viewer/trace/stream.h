// SPDX-License-Identifier: MIT
// The packets of one CPU, of the kernel or of a process. It has an index in time order, made from
// their headers alone, and the packet whose events are being read. Headers tell what is missing
// between two packets.
#ifndef KOV_TRACE_STREAM_H
#define KOV_TRACE_STREAM_H

#include <orrery/types.h>
#include <trace/layout.h>

#define PACKET_BYTES_MAX (16U << 20) // of content

struct packet_entry {
    u64 begin, end; // time base
    u64 place;      // where its events begin; only its source knows what it means
    u64 discarded;  // events discarded on its CPU until it was closed
    u32 bytes;      // of events
    u32 events, sequence;
    u32 file : 31;   // for its source
    u32 damaged : 1; // it was read, and is left out
};

enum stream_state {
    STREAM_LOSS,   // something is missing before packets[next], or behind the last one
    STREAM_PACKET, // packets[next] is not read yet
    STREAM_EVENT,  // `event` comes next
    STREAM_END,
};

struct stream_event {
    u64 time;
    u32 id, words; // data words
    const u8 *data;
};

struct packet_stream {
    u32 pid, cpu; // cpu: below ORRERY_MAX_CPUS
    size_t number;
    char *name; // for messages; in a folder, name of the file
    struct packet_entry *packets;
    size_t count, capacity;
    u32 first_sequence; // packets before it are nothing that is missing
    u64 end_sequence;   // packets up to it were recorded (listed.h); 0: not told
    u64 trace_end;      // until when they may have been, if the last ones are missing

    enum stream_state state;
    u64 time; // of what comes next
    size_t next;
    u8 *content; // of packets[next], while its events are read
    size_t at;   // behind `event`
    struct stream_event event;
};

// Events that are missing on a CPU in some time, of the kernel or of a process.
struct trace_loss {
    u64 from, to; // from 0: before its first packet
    u32 pid, cpu;
    u64 packets;   // missing ones, with all their events
    u64 discarded; // events that found no room
};

// Reads a packet's header. Returns NULL, or what is wrong with it. *packet_bytes is the length of
// the whole packet.
const char *stream_read_header(const u8 header[TRACE_PACKET_HEADER_SIZE],
                               struct packet_entry *entry, u32 *pid, u32 *cpu, u64 *packet_bytes);
// Reads the header of a whole packet that was pushed for that process and CPU. Returns NULL, or
// what is wrong with it.
const char *stream_read_pushed(const u8 *data, size_t bytes, u32 pid, u32 cpu,
                               struct packet_entry *entry);
// Adds a packet. engine_arrange puts them in order.
void stream_collect(struct packet_stream *stream, const struct packet_entry *entry);
// Adds the next packet. Returns NULL, or why it cannot.
const char *stream_add(struct packet_stream *stream, const struct packet_entry *entry);
// Tells what is missing before packets[index], or behind the last one. Returns false if nothing
// is.
bool stream_loss_before(const struct packet_stream *stream, size_t index, struct trace_loss *loss);
// Goes to the first packet that does not end before a time.
void stream_seek(struct packet_stream *stream, u64 from);
// Sets state and time to what comes before packets[next], or with it.
void stream_at_packet(struct packet_stream *stream);
// Checks the events of a packet. Returns NULL, or what is wrong with them. *last is the time of the
// last one then; the packet's begin if it has none.
const char *stream_check_content(const struct packet_entry *packet, const u8 *content, u64 *last);
// Begins the packet's events, which are checked. `content` belongs to the stream from then on. Goes
// to the first event.
void stream_begin_content(struct packet_stream *stream, u8 *content);
// Goes to the next event.
void stream_next_event(struct packet_stream *stream);
void stream_free(struct packet_stream *stream);

#endif
