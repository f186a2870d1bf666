// SPDX-License-Identifier: MIT
// Look-up in the generated event table.
#include <orrery/lower_bound.h>
#include <orrery/utf8.h>
#include <trace/table.h>

#include <string.h>

static u32 id_of(const struct trace_event_info *event)
{
    return (u32)event->major << 16 | event->minor;
}

const struct trace_event_info *trace_event_find(u32 id)
{
    u64 place = LOWER_BOUND(at, trace_event_count, id_of(&trace_events[at]) < id);
    bool found = place < trace_event_count && id_of(&trace_events[place]) == id;
    return found ? &trace_events[place] : NULL;
}

u32 trace_field_bits(enum trace_field_type type)
{
    switch (type) {
    case TRACE_U32:
        return 32;
    case TRACE_U16:
        return 16;
    case TRACE_U8:
        return 8;
    case TRACE_TEXT:
        return 0;
    default:
        return 64;
    }
}

void trace_event_values(const struct trace_event_info *event, const u64 *words,
                        u64 values[TRACE_MAX_FIELDS])
{
    u32 used = 0;
    for (u32 i = 0; i < event->field_count; i++) {
        u32 bits = trace_field_bits(event->fields[i].type);
        values[i] = 0;
        if (bits == 0)
            continue;
        u64 word = words[used / 64];
        used += bits;
        u64 value = word >> ((64 - used % 64) % 64);
        values[i] = bits == 64 ? value : value & ((1UL << bits) - 1);
    }
}

void trace_event_text(const struct trace_event_info *event, const void *data, u64 words,
                      char text[TRACE_TEXT_BYTES])
{
    u64 bytes = 0;
    if (trace_event_has_text(event) && trace_event_fits(event, words))
        bytes = (words - event->words) * sizeof(u64);
    memcpy(text, (const char *)data + event->words * sizeof(u64), bytes);
    text[bytes] = '\0';
    utf8_copy(text, text, bytes + 1);
}
