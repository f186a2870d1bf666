// SPDX-License-Identifier: MIT
// The hardware events that the machine can count.
#ifndef KOV_EVENT_LIST_H
#define KOV_EVENT_LIST_H

#include <dci.pb-c.h>
#include <orrery/types.h>

struct event_info {
    u32 event; // the machine's number for it
    char name[24], unit[16], meaning[96];
    bool modelled; // a model counts it; else it is counted exactly
    u64 counters;  // bit n: counter n can count it
};

struct event_list {
    struct event_info *events;
    size_t count, capacity;
};

// Asks the machine for its events. Returns an exit code.
int event_list_fetch(struct event_list *list);
// Adds the events of a message. Makes texts printable.
void event_list_add(struct event_list *list, const Orrery__Dci__PmuEventsReply *reply);
void event_list_free(struct event_list *list);

// Finds an event by its name, which need not end in 0. Returns NULL when the machine has no such
// event.
const struct event_info *event_list_find(const struct event_list *list, const char *name,
                                         size_t length);
// Returns whether an event of this unit exists.
bool event_list_has_unit(const struct event_list *list, const char *unit);

#endif
