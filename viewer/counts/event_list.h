// SPDX-License-Identifier: MIT
// The hardware events that the machine can count.
#ifndef KOV_EVENT_LIST_H
#define KOV_EVENT_LIST_H

#include <dci.pb-c.h>
#include <orrery/types.h>

struct event_info {
    u32 event; // the machine's number for it
    char name[24], unit[16], meaning[96];
    bool modelled; // by a model of what a machine does; else counted exactly
    u64 counters;  // bit n: counter n can count it
};

struct event_list {
    struct event_info *events;
    size_t count, capacity;
};

// Asks the machine for them. An exit code.
int event_list_fetch(struct event_list *list);
// What a message holds; texts are made printable.
void event_list_add(struct event_list *list, const Orrery__Dci__PmuEventsReply *reply);
void event_list_free(struct event_list *list);

// By its name, which need not end in 0; NULL when the machine has no such event.
const struct event_info *event_list_find(const struct event_list *list, const char *name,
                                         size_t length);
// Is there an event of this unit?
bool event_list_has_unit(const struct event_list *list, const char *unit);

#endif
