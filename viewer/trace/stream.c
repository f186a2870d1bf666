// SPDX-License-Identifier: MIT
// The packets of one CPU and what is missing between them.
#include "trace/stream.h"
#include "tools/memory.h"
#include "trace/packet.h"

#include <orrery/lower_bound.h>

#include <stdlib.h>
#include <string.h>

const char *stream_read_header(const u8 header[TRACE_PACKET_HEADER_SIZE],
                               struct packet_entry *entry, u32 *pid, u32 *cpu, u64 *packet_bytes)
{
    struct trace_packet packet;
    memcpy(&packet, header, sizeof(packet));
    u64 bits = TRACE_BE64(packet.packet_bits), content = TRACE_BE64(packet.content_bits) / 8;
    u64 events, sequence;
    *pid = TRACE_BE32(packet.pid);
    *cpu = TRACE_BE32(packet.cpu_id);
    *packet_bytes = bits / 8;
    if (*cpu >= ORRERY_MAX_CPUS)
        return "no machine has that CPU";
    if (bits % 8 != 0)
        return "its size is not what its header says";
    const char *problem = packet_check(header, *packet_bytes, *pid, *cpu, &events, &sequence);
    if (problem != NULL)
        return problem;
    if (content % sizeof(u64) != 0 || content > PACKET_BYTES_MAX)
        return "its contents do not fit into it";
    *entry = (struct packet_entry){
        .begin = TRACE_BE64(packet.timestamp_begin),
        .end = TRACE_BE64(packet.timestamp_end),
        .discarded = TRACE_BE64(packet.events_discarded),
        .bytes = (u32)(content - sizeof(packet)),
        .events = (u32)events,
        .sequence = (u32)sequence,
    };
    if (entry->begin > entry->end)
        return "it ends before it begins";
    return NULL;
}

const char *stream_read_pushed(const u8 *data, size_t bytes, u32 pid, u32 cpu,
                               struct packet_entry *entry)
{
    u32 own_pid, own_cpu;
    u64 own_bytes;
    if (bytes < TRACE_PACKET_HEADER_SIZE)
        return "it is shorter than its header";
    const char *problem = stream_read_header(data, entry, &own_pid, &own_cpu, &own_bytes);
    if (problem == NULL && (own_pid != pid || own_cpu != cpu))
        return "it is another CPU's or process's";
    return problem == NULL && own_bytes != bytes ? "its size is not what its header says" : problem;
}

void stream_collect(struct packet_stream *stream, const struct packet_entry *entry)
{
    stream->packets =
        memory_grow(stream->packets, stream->count, &stream->capacity, sizeof(*stream->packets));
    stream->packets[stream->count++] = *entry;
}

const char *stream_add(struct packet_stream *stream, const struct packet_entry *entry)
{
    if (stream->count > 0) {
        const struct packet_entry *last = &stream->packets[stream->count - 1];
        if (entry->sequence <= last->sequence || entry->begin < last->end)
            return "it comes out of order";
        if (entry->discarded < last->discarded)
            return "it has fewer events discarded than the one before";
    }
    stream_collect(stream, entry);
    return NULL;
}

// Tells which packets were recorded behind those that are there.
static bool loss_behind(const struct packet_stream *stream, struct trace_loss *loss)
{
    const struct packet_entry *last =
        stream->count > 0 ? &stream->packets[stream->count - 1] : NULL;
    u64 next = last == NULL ? stream->first_sequence : last->sequence + 1UL;
    *loss = (struct trace_loss){
        .from = last == NULL ? 0 : last->end,
        .to = stream->trace_end,
        .pid = stream->pid,
        .cpu = stream->cpu,
        .packets = stream->end_sequence > next ? stream->end_sequence - next : 0,
    };
    return loss->packets > 0;
}

// Events are discarded while no packet is open. So they lie between the end of one packet and the
// beginning of the next (trace/src/ring.c).
bool stream_loss_before(const struct packet_stream *stream, size_t index, struct trace_loss *loss)
{
    if (index == stream->count)
        return loss_behind(stream, loss);
    const struct packet_entry *entry = &stream->packets[index];
    const struct packet_entry *before = index > 0 ? entry - 1 : NULL;
    *loss = (struct trace_loss){
        .from = before == NULL ? 0 : before->end,
        .to = entry->begin,
        .pid = stream->pid,
        .cpu = stream->cpu,
        .packets = before == NULL ? entry->sequence - stream->first_sequence
                                  : entry->sequence - before->sequence - 1,
        .discarded = entry->discarded - (before == NULL ? 0 : before->discarded),
    };
    return loss->packets > 0 || loss->discarded > 0;
}

void stream_at_packet(struct packet_stream *stream)
{
    struct trace_loss loss;
    free(stream->content);
    stream->content = NULL;
    bool missing = stream_loss_before(stream, stream->next, &loss);
    if (stream->next == stream->count && !missing) {
        stream->state = STREAM_END;
        return;
    }
    stream->state = missing ? STREAM_LOSS : STREAM_PACKET;
    stream->time = missing ? loss.from : stream->packets[stream->next].begin;
}

void stream_seek(struct packet_stream *stream, u64 from)
{
    stream->next = LOWER_BOUND(at, stream->count, stream->packets[at].end < from);
    stream_at_packet(stream);
}

static u64 event_word(const u8 *at)
{
    u64 word;
    memcpy(&word, at, sizeof(word));
    return TRACE_BE64(word);
}

// Returns the time of an event whose time is the first that has these low bits, from `time` on.
static u64 event_time(u64 word, u64 time)
{
    return time + (u32)(trace_event_time(word) - (u32)time);
}

const char *stream_check_content(const struct packet_entry *packet, const u8 *content, u64 *last)
{
    u32 found = 0;
    *last = packet->begin;
    for (size_t at = 0; at < packet->bytes; found++) {
        u64 word = event_word(content + at), length = trace_event_length(word) * sizeof(u64);
        if (length == 0 || length > packet->bytes - at)
            return "an event in it goes beyond its end";
        *last = event_time(word, *last);
        if (*last > packet->end)
            return "an event in it is later than its end";
        at += length;
    }
    return found == packet->events ? NULL : "it does not hold as many events as its header says";
}

void stream_next_event(struct packet_stream *stream)
{
    if (stream->at == stream->packets[stream->next].bytes) {
        stream->next++;
        stream_at_packet(stream);
        return;
    }
    u64 word = event_word(stream->content + stream->at);
    u32 length = trace_event_length(word);
    stream->time = event_time(word, stream->event.time);
    stream->event = (struct stream_event){stream->time, trace_event_id(word), length - 1,
                                          stream->content + stream->at + sizeof(u64)};
    stream->at += length * sizeof(u64);
}

void stream_begin_content(struct packet_stream *stream, u8 *content)
{
    stream->content = content;
    stream->state = STREAM_EVENT;
    stream->at = 0;
    stream->event.time = stream->packets[stream->next].begin;
    stream_next_event(stream);
}

void stream_free(struct packet_stream *stream)
{
    free(stream->name);
    free(stream->packets);
    free(stream->content);
    free(stream);
}
