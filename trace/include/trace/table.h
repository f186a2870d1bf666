// SPDX-License-Identifier: MIT
// The tables generated from trace/events/*.def. Constant; any context.
#ifndef TRACE_TABLE_H
#define TRACE_TABLE_H

#include <trace/layout.h>

#define TRACE_MAX_FIELDS 8

// TRACE_TEXT: the last field, in all words behind the others'; NULs pad it.
enum trace_field_type {
    TRACE_U64,
    TRACE_S64,
    TRACE_X64,
    TRACE_U32,
    TRACE_U16,
    TRACE_U8,
    TRACE_TEXT
};

struct trace_field {
    enum trace_field_type type; // TRACE_X64: shown in hexadecimal
    const char *name;
};

struct trace_event_info {
    u16 major, minor;
    u8 words;       // data words, without a text's
    u8 field_count; // packed into the words, most significant ends first
    const char *name;
    // printf-like; one conversion a field, each for the field widened to 64 bits, or a text's
    // address
    const char *format;
    struct trace_field fields[TRACE_MAX_FIELDS];
};

struct trace_major_info {
    u32 number;
    const char *name; // upper case
    const char *description;
};

extern const struct trace_event_info trace_events[]; // by major, then minor
extern const u32 trace_event_count;
extern const struct trace_major_info trace_majors[]; // by number
extern const u32 trace_major_count;
extern const char trace_metadata_events[]; // CTF declarations of all events

// Returns NULL if there is none. id: major << 16 | minor.
const struct trace_event_info *trace_event_find(u32 id);
// Returns the bits of a field; 0 for a text.
u32 trace_field_bits(enum trace_field_type type);
// Extracts the fields of an event from its data words, each widened to 64 bits; 0 for a text.
void trace_event_values(const struct trace_event_info *event, const u64 *words,
                        u64 values[TRACE_MAX_FIELDS]);
// Copies the text of an event with this many data words, which lie at data as logged. Replaces
// characters that a terminal may act upon by '?'. The text is "" if the event has none.
#define TRACE_TEXT_BYTES (TRACE_MAX_WORDS * 8 + 1)
void trace_event_text(const struct trace_event_info *event, const void *data, u64 words,
                      char text[TRACE_TEXT_BYTES]);
// Returns whether its last field is a text.
static inline bool trace_event_has_text(const struct trace_event_info *event)
{
    return event->field_count > 0 && event->fields[event->field_count - 1].type == TRACE_TEXT;
}

// Return the least and the greatest number of an event's data words.
static inline u64 trace_event_least(const struct trace_event_info *event)
{
    return trace_event_has_text(event) ? event->words + 1u : event->words;
}

static inline u64 trace_event_most(const struct trace_event_info *event)
{
    return trace_event_has_text(event) ? TRACE_MAX_WORDS : event->words;
}

static inline bool trace_event_fits(const struct trace_event_info *event, u64 words)
{
    return words >= trace_event_least(event) && words <= trace_event_most(event);
}

#endif
