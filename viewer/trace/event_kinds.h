// SPDX-License-Identifier: MIT
// The kinds of events that kov knows by name. Each description gets its kind once, when the
// metadata has been read. From then on events are told apart by kind, and never by name.
#ifndef KOV_EVENT_KINDS_H
#define KOV_EVENT_KINDS_H

#include <orrery/types.h>

enum event_kind {
    EVENT_OTHER, // no other kind, or one whose necessary fields this trace lacks
#define kind(name_, ...) EVENT_##name_,
#include "trace/event_kinds.def"
#undef kind
    EVENT_KINDS
};

#define EVENT_FIELDS_MAX 6

struct descriptions;
struct event_description;

// What a description is to kov.
struct described_kind {
    u8 name;                     // enum event_kind, whatever fields it has
    u8 kind;                     // enum event_kind, or EVENT_OTHER if it lacks a necessary field
    u8 told;                     // bit mask of the fields that it has, in the table's order
    u8 places[EVENT_FIELDS_MAX]; // of these among its own fields
};

// Finds the kinds of all descriptions. Of two with one name the last one counts.
void event_kinds_find(struct descriptions *descriptions);
// Returns the description of a kind; NULL if the trace has no event of it. Not for each event.
const struct event_description *event_kinds_described(const struct descriptions *descriptions,
                                                      enum event_kind kind);
// Returns a name such as "MAJOR:event".
const char *event_kinds_name(enum event_kind kind);
// Returns the number of a kind's major as a mask, or 0 if the trace has no event of it.
u64 event_kinds_major(const struct descriptions *descriptions, enum event_kind kind);

#endif
