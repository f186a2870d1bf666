// SPDX-License-Identifier: MIT
// The hardware events that the machine can count.
#include "counts/event_list.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EVENTS 4096 // later ones are left out

static void copy(char *to, size_t bytes, const char *from)
{
    snprintf(to, bytes, "%s", from);
    text_make_printable(to, false);
}

void event_list_add(struct event_list *list, const Orrery__Dci__PmuEventsReply *reply)
{
    for (size_t i = 0; i < reply->n_events && list->count < MAX_EVENTS; i++) {
        list->events =
            memory_grow(list->events, list->count, &list->capacity, sizeof(*list->events));
        struct event_info *to = &list->events[list->count++];
        *to = (struct event_info){
            .event = reply->events[i]->event,
            .modelled = reply->events[i]->modelled,
            .counters = reply->events[i]->counters,
        };
        copy(to->name, sizeof(to->name), reply->events[i]->name);
        copy(to->unit, sizeof(to->unit), reply->events[i]->unit);
        copy(to->meaning, sizeof(to->meaning), reply->events[i]->meaning);
    }
}

void event_list_free(struct event_list *list)
{
    free(list->events);
    *list = (struct event_list){0};
}

const struct event_info *event_list_find(const struct event_list *list, const char *name,
                                         size_t length)
{
    for (size_t i = 0; i < list->count; i++)
        if (text_is(name, length, list->events[i].name))
            return &list->events[i];
    return NULL;
}

bool event_list_has_unit(const struct event_list *list, const char *unit)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->events[i].unit, unit) == 0)
            return true;
    return false;
}
