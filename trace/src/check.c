// SPDX-License-Identifier: MIT
// Checking packets of processes, event by event.
#include <string.h>
#include <trace/check.h>
#include <trace/described.h>
#include <trace/metadata.h>
#include <trace/table.h>

u64 trace_check_content(const struct trace_packet *packet)
{
    u64 bytes = ALIGN_DOWN(TRACE_BE64(packet->content_bits) / 8, 8UL);
    if (bytes < sizeof(*packet))
        return sizeof(*packet);
    return bytes < TRACE_SUBBUFFER_SIZE ? bytes : TRACE_SUBBUFFER_SIZE;
}

static u64 at_least(u64 value, u64 least)
{
    return value > least ? value : least;
}

struct walk {
    u64 content; // bytes up to the first thing that is not an event
    u64 time;    // of the last event
    u32 events;
};

// Follows events while the metadata describes them, and none is earlier than the one before or
// later than end.
static struct walk walk_events(const struct trace_packet *packet, u64 content, u64 begin, u64 end)
{
    struct walk walk = {.content = sizeof(*packet), .time = begin};
    while (walk.content < content) {
        u64 word = TRACE_BE64(packet->events[(walk.content - sizeof(*packet)) / sizeof(u64)]);
        u64 length = trace_event_length(word);
        const struct trace_event_info *info = trace_event_find(trace_event_id(word));
        if (info == NULL)
            info = trace_described_find(trace_event_id(word));
        u64 time = walk.time + (u32)(trace_event_time(word) - (u32)walk.time);
        if (info == NULL || length < trace_event_least(info) + 1 ||
            length > trace_event_most(info) + 1 || time > end ||
            length * sizeof(u64) > content - walk.content)
            break;
        walk.content += length * sizeof(u64);
        walk.time = time;
        walk.events++;
    }
    return walk;
}

u64 trace_check_packet(struct trace_packet *packet, u64 content, u32 pid, u32 cpu, u64 now,
                       struct trace_stream *stream)
{
    u64 begin = TRACE_BE64(packet->timestamp_begin), end = TRACE_BE64(packet->timestamp_end);
    u32 sequence = TRACE_BE32(packet->packet_seq_num);
    if (TRACE_BE32(packet->magic) != TRACE_PACKET_MAGIC || begin < stream->last_end ||
        end < begin || end > now || sequence < stream->sequence || sequence == UINT32_MAX)
        return 0;
    struct walk walk = walk_events(packet, content, begin, end);
    stream->last_end = end;
    stream->sequence = sequence + 1;
    stream->events += walk.events;
    stream->discarded = at_least(TRACE_BE64(packet->events_discarded), stream->discarded);
    stream->overwritten = at_least(TRACE_BE64(packet->events_overwritten), stream->overwritten);
    memcpy(packet->uuid, trace_uuid, sizeof(packet->uuid));
    packet->stream_id = TRACE_BE32(TRACE_STREAM_PROCESS);
    packet->content_bits = TRACE_BE64(walk.content * 8);
    packet->packet_bits = packet->content_bits;
    packet->events_discarded = TRACE_BE64(stream->discarded);
    packet->events_overwritten = TRACE_BE64(stream->overwritten + stream->dropped);
    packet->event_count = TRACE_BE32(walk.events);
    packet->cpu_id = TRACE_BE32(cpu);
    packet->pid = TRACE_BE32(pid);
    return walk.content;
}
