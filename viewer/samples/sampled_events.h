// SPDX-License-Identifier: MIT
// The events of a sampling session, with the names of the command line and the numbers of the
// protocol.
#ifndef KOV_SAMPLED_EVENTS_H
#define KOV_SAMPLED_EVENTS_H

#include "counts/count_request.h"
#include "counts/event_list.h"
#include "tools/options.h"

#define SAMPLED_EVENTS_MAX 16
#define SAMPLED_NAME_BYTES 32
// The protocol's numbers: PmuEvent.
#define SAMPLED_RUN_CYCLES 1u
#define SAMPLED_MODEL 16u
#define RUN_CYCLES_NAME "run-cycles"

struct sampled_event {
    u32 event;
    enum count_mode mode;
    u64 period; // events from one sample to the next; 0: not decided yet
    u32 randomise;
    bool kept; // kov keeps it at the frequency of the request: its period changes
    char name[SAMPLED_NAME_BYTES]; // without the mode
};

struct sampled_events {
    struct sampled_event events[SAMPLED_EVENTS_MAX];
    u32 count;
};

// Adds "EVENT[:u|:k][@PERIOD],…", events of the machine's list. Returns KOV_OK or KOV_USAGE.
int sampled_events_add(struct sampled_events *events, const char *text,
                       const struct event_list *list);
// Adds the cycles of the CPU itself, which every machine has.
void sampled_events_add_run_cycles(struct sampled_events *events);

// "larx:u"
#define SAMPLED_TITLE_BYTES (SAMPLED_NAME_BYTES + 2)
const char *sampled_event_title(const struct sampled_event *event, char title[SAMPLED_TITLE_BYTES]);
// Returns the events that a title or a name means: bit n for events[n]. A name may mean several,
// one for each mode. 0: none.
u32 sampled_events_find(const struct sampled_events *events, const char *text, size_t length);

#endif
