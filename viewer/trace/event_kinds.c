// SPDX-License-Identifier: MIT
// The kinds of events that kov knows by name.
#include "trace/event_kinds.h"
#include "trace/descriptions.h"

#include <string.h>

static const struct {
    const char *name;
    u32 needed; // fields, the first ones
    const char *fields[EVENT_FIELDS_MAX];
} kinds[EVENT_KINDS] = {
#define kind(name_, event_, needed_, ...) [EVENT_##name_] = {event_, needed_, {__VA_ARGS__}},
#include "trace/event_kinds.def"
#undef kind
};

static void find_fields(struct event_description *event, u32 kind)
{
    struct described_kind *known = &event->known;
    u32 place;
    for (u32 i = 0; i < EVENT_FIELDS_MAX && kinds[kind].fields[i] != NULL; i++)
        if (description_field(event, kinds[kind].fields[i], &place)) {
            known->told |= (u8)(1u << i);
            known->places[i] = (u8)place;
        }
    u32 needed = (1u << kinds[kind].needed) - 1;
    known->name = (u8)kind;
    known->kind = (known->told & needed) == needed ? (u8)kind : EVENT_OTHER;
}

void event_kinds_find(struct descriptions *descriptions)
{
    for (size_t i = 0; i < descriptions->count; i++)
        descriptions->events[i].known = (struct described_kind){0};
    for (u32 kind = EVENT_OTHER + 1; kind < EVENT_KINDS; kind++)
        for (size_t i = descriptions->count; i-- > 0;)
            if (strcmp(descriptions->events[i].full_name, kinds[kind].name) == 0) {
                find_fields(&descriptions->events[i], kind);
                break;
            }
}

const struct event_description *event_kinds_described(const struct descriptions *descriptions,
                                                      enum event_kind kind)
{
    for (size_t i = 0; i < descriptions->count; i++)
        if (descriptions->events[i].known.kind == kind)
            return &descriptions->events[i];
    return NULL;
}

const char *event_kinds_name(enum event_kind kind)
{
    return kinds[kind].name;
}

u64 event_kinds_major(const struct descriptions *descriptions, enum event_kind kind)
{
    const struct event_description *found = event_kinds_described(descriptions, kind);
    return found == NULL ? 0 : (u64)1 << found->info.major;
}
