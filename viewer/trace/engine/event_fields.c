// SPDX-License-Identifier: MIT
// Events that a tool knows by name, and their fields.
#include "trace/engine/event_fields.h"

#include <string.h>

bool event_field_place(const struct event_description *description, const char *name, u32 *place)
{
    for (u32 i = 0; i < description->info.field_count; i++)
        if (strcmp(description->info.fields[i].name, name) == 0) {
            *place = i;
            return true;
        }
    return false;
}

void event_fields_find(struct event_fields *event, const struct descriptions *descriptions)
{
    event->description = NULL;
    for (size_t i = 0; i < descriptions->count; i++)
        if (strcmp(descriptions->events[i].full_name, event->name) == 0)
            event->description = &descriptions->events[i];
    for (u32 i = 0; i < EVENT_FIELDS_MAX && event->fields[i] != NULL; i++)
        if (event->description != NULL &&
            !event_field_place(event->description, event->fields[i], &event->places[i]))
            event->description = NULL;
}

void event_fields_read(const struct event_fields *event, const struct trace_event *logged,
                       u64 values[EVENT_FIELDS_MAX])
{
    u64 all[TRACE_MAX_FIELDS];
    trace_event_fields(logged, all);
    for (u32 i = 0; i < EVENT_FIELDS_MAX && event->fields[i] != NULL; i++)
        values[i] = all[event->places[i]];
}
