// SPDX-License-Identifier: MIT
// Look-up in the generated event table.
#include <trace/table.h>

const struct trace_event_info *trace_event_find(u32 id)
{
    u32 low = 0, high = trace_event_count;
    while (low < high) {
        u32 middle = (low + high) / 2;
        const struct trace_event_info *event = &trace_events[middle];
        u32 here = (u32)event->major << 16 | event->minor;
        if (here == id)
            return event;
        if (here < id)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static u32 bits_of(enum trace_field_type type)
{
    switch (type) {
    case TRACE_U32:
        return 32;
    case TRACE_U16:
        return 16;
    case TRACE_U8:
        return 8;
    default:
        return 64;
    }
}

void trace_event_values(const struct trace_event_info *event, const u64 *words,
                        u64 values[TRACE_MAX_FIELDS])
{
    u32 used = 0;
    for (u32 i = 0; i < event->field_count; i++) {
        u32 bits = bits_of(event->fields[i].type);
        u64 word = words[used / 64];
        used += bits;
        u64 value = word >> ((64 - used % 64) % 64);
        values[i] = bits == 64 ? value : value & ((1UL << bits) - 1);
    }
}
