// SPDX-License-Identifier: MIT
// Reads trace packets back, word by word, and checks what must hold for any packet.
#include "test_trace.h"

#include <kernel/memory.h>
#include <kernel/options.h>
#include <orrery/errors.h>
#include <trace/layout.h>

void test_trace_begin(struct test_trace *trace, enum sys_trace_mode mode, u64 mask)
{
    trace->mask_before = sys_trace_mask();
    sys_trace_set_mask(0);
    sys_trace_set_mode(mode);
    sys_trace_set_mask(mask);
}

void test_trace_end(void)
{
    sys_trace_set_mask(0);
}

void test_trace_restore(const struct test_trace *trace)
{
    sys_trace_set_mode(boot_options.trace_discard ? SYS_TRACE_DISCARD : SYS_TRACE_OVERWRITE);
    sys_trace_set_mask(trace->mask_before);
}

// The event's full time from the last one's: 32 bits wrap after 8 s, more than that is going back.
static u64 full_time(struct trace_reading *reading, u32 low)
{
    u32 delta = low - (u32)reading->last_time;
    if (delta >= 0x80000000) {
        reading->backwards++;
        return reading->last_time;
    }
    return reading->last_time + delta;
}

static void read_events(const struct trace_packet *packet,
                        void (*visit)(const struct seen_event *event, void *argument),
                        void *argument, struct trace_reading *reading)
{
    const u64 *at = packet->events;
    const u64 *end = (const u64 *)packet + packet->content_bits / 64;
    u64 count = 0;
    while (at < end) {
        u32 length = trace_event_length(*at), id = trace_event_id(*at);
        if (length == 0 || at + length > end) {
            reading->malformed++;
            return;
        }
        reading->last_time = full_time(reading, trace_event_time(*at));
        struct seen_event event = {reading->last_time, id >> 16, id & 0xffff, length - 1, at + 1};
        visit(&event, argument);
        count++;
        at += length;
    }
    reading->events += count;
    reading->malformed += packet->event_count != count;
    reading->backwards += reading->last_time > packet->timestamp_end;
}

static void read_packet(const struct trace_packet *packet, u32 cpu,
                        void (*visit)(const struct seen_event *event, void *argument),
                        void *argument, struct trace_reading *reading)
{
    reading->packets++;
    reading->counted += packet->event_count;
    if (packet->magic != TRACE_PACKET_MAGIC || packet->cpu_id != cpu ||
        packet->content_bits != packet->packet_bits ||
        packet->packet_bits > TRACE_SUBBUFFER_SIZE * 8UL) {
        reading->malformed++;
        return;
    }
    reading->backwards += packet->timestamp_begin < reading->last_time;
    reading->last_time = packet->timestamp_begin;
    read_events(packet, visit, argument, reading);
}

int test_trace_read(u32 cpu, void (*visit)(const struct seen_event *event, void *argument),
                    void *argument, struct trace_reading *reading)
{
    u32 order = pages_order(TRACE_SUBBUFFER_SIZE);
    struct trace_packet *packet = pages_alloc(order);
    s64 bytes;
    if (packet == NULL)
        return E_NOMEM;
    while ((bytes = sys_trace_read(cpu, true, packet, TRACE_SUBBUFFER_SIZE)) > 0)
        read_packet(packet, cpu, visit, argument, reading);
    pages_free(packet, order);
    return (int)bytes;
}
