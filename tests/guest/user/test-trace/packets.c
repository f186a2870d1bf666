// SPDX-License-Identifier: MIT
// Checking packets word by word.
#include "packets.h"

#include <stdio.h>
#include <trace/events.h>
#include <trace/layout.h>

static bool wrong(const char *what, u64 value)
{
    printf("FAIL packet: %s %#lx\n", what, value);
    return false;
}

static void count(const u64 *event, struct tally *tally)
{
    u64 writer = event[1], number = event[2];
    if (writer >= WRITERS || number <= tally->last[writer]) {
        tally->torn++;
        return;
    }
    tally->gaps[writer] += number - tally->last[writer] - 1;
    tally->last[writer] = number;
    tally->from[writer]++;
}

bool packet_tally(const void *data, u32 pid, u32 cpu, struct tally *tally)
{
    const struct trace_packet *packet = data;
    u64 words = (packet->content_bits / 8 - sizeof(*packet)) / 8, at = 0, events = 0;
    u32 time = (u32)packet->timestamp_begin;
    if (packet->magic != TRACE_PACKET_MAGIC || packet->stream_id != TRACE_STREAM_PROCESS)
        return wrong("magic", packet->magic);
    if (packet->pid != pid || packet->cpu_id != cpu)
        return wrong("pid", packet->pid);
    if (packet->timestamp_begin < tally->end || packet->timestamp_end < packet->timestamp_begin)
        return wrong("time", packet->timestamp_begin);
    while (at < words) {
        u64 word = packet->events[at];
        if (trace_event_length(word) == 0 || (s32)(trace_event_time(word) - time) < 0)
            return wrong("event", word);
        time = trace_event_time(word);
        if (trace_event_id(word) == (TRACE_MAJOR_TEST << 16 | 2))
            count(&packet->events[at], tally);
        at += trace_event_length(word);
        events++;
    }
    if (events != packet->event_count || at != words)
        return wrong("count", events);
    tally->events += events;
    tally->empty += events == 0;
    tally->discarded = packet->events_discarded;
    tally->overwritten = packet->events_overwritten;
    tally->end = packet->timestamp_end;
    return true;
}
