// SPDX-License-Identifier: MIT
// Reads the process's own packets, word by word.
#include "tests.h"

#include <orrery/sys.h>
#include <string.h>
#include <trace/layout.h>
#include <user/scheduler.h>
#include <user/trace.h>

static u64 buffer[TRACE_SUBBUFFER_SIZE / sizeof(u64)];

void record_begin(void)
{
    EXPECT(user_trace_set_mask(0) == 0);
    EXPECT(user_trace_set_mode(SYS_TRACE_DISCARD) == 0);
    EXPECT(user_trace_set_mask(1UL << TRACE_MAJOR_PROGRAM) == 0);
}

static void read_packet(const struct trace_packet *packet, void (*visit)(const struct logged *))
{
    u64 words = (packet->content_bits / 8 - sizeof(*packet)) / sizeof(u64);

    EXPECT(packet->events_discarded == 0);
    for (u64 at = 0; at < words; at += trace_event_length(packet->events[at])) {
        const u64 *event = &packet->events[at];
        struct logged logged = {.id = trace_event_id(*event),
                                .cpu = packet->cpu_id,
                                .words = trace_event_length(*event) - 1,
                                .word = event + 1};
        if (logged.id >> 16 == TRACE_MAJOR_PROGRAM)
            visit(&logged);
    }
}

void record_end(void (*visit)(const struct logged *event))
{
    EXPECT(user_trace_set_mask(0) == 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        while (user_trace_read(cpu, true, buffer, sizeof(buffer)) > 0)
            read_packet((const struct trace_packet *)buffer, visit);
}

u32 event_id(const char *name)
{
    struct sys_trace_event event;

    for (u32 i = 0; sys_trace_event_get(i, &event) == 0; i++)
        if (strcmp(event.group, PROVIDER) == 0 && strcmp(event.name, name) == 0)
            return (u32)event.major << 16 | event.minor;
    return 0;
}
