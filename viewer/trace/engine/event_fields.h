// SPDX-License-Identifier: MIT
// Events that a tool knows by name, and their fields.
#ifndef KOV_EVENT_FIELDS_H
#define KOV_EVENT_FIELDS_H

#include "trace/engine/engine.h"

#define EVENT_FIELDS_MAX 6

struct event_fields {
    const char *name, *fields[EVENT_FIELDS_MAX]; // "SCHED:wake", its wanted fields; NULL: no more
    const struct event_description *description; // NULL: the trace has no such event, or one
                                                 // without these fields
    u32 places[EVENT_FIELDS_MAX];
};

// Finds the rest. The caller has set name and fields.
void event_fields_find(struct event_fields *event, const struct descriptions *descriptions);
// Reads the wanted fields of such an event.
void event_fields_read(const struct event_fields *event, const struct trace_event *logged,
                       u64 values[EVENT_FIELDS_MAX]);
// Returns whether it is this event, of the kernel or of a process. values are the wanted fields.
// Each event of a trace is compared with all that a tool knows, so this must cost next to nothing.
static inline bool event_fields_of_any(const struct event_fields *event,
                                       const struct trace_event *logged,
                                       u64 values[EVENT_FIELDS_MAX])
{
    bool are = logged->description != NULL && logged->description == event->description;
    if (are)
        event_fields_read(event, logged, values);
    return are;
}
// Returns whether it is this event, of the kernel.
static inline bool event_fields_are(const struct event_fields *event,
                                    const struct trace_event *logged, u64 values[EVENT_FIELDS_MAX])
{
    return logged->pid == 0 && event_fields_of_any(event, logged, values);
}
// Finds the place of a field. Returns false if the event has none of that name.
bool event_field_place(const struct event_description *description, const char *name, u32 *place);

#endif
