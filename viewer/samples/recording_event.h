// SPDX-License-Identifier: MIT
// The events of a recording's samples.
#ifndef KOV_RECORDING_EVENT_H
#define KOV_RECORDING_EVENT_H

#include "samples/recording.h"

#define RECORDING_EVENT_ALL UINT32_MAX

u32 recording_event_count(const struct recording *recording);
#define RECORDING_EVENT_NAME_BYTES 64
// Writes and returns the event's name as `-e` takes it. `event` is below the count.
const char *recording_event_name(const struct recording *recording, u32 event,
                                 char name[RECORDING_EVENT_NAME_BYTES]);
// Returns how many events lie between two samples, as asked for.
u64 recording_event_period(const struct recording *recording, u32 event);
// Returns the exact number of its lost samples. RECORDING_EVENT_ALL: of all events.
u64 recording_event_lost(const struct recording *recording, u32 event);
// Return the event of a sample, and the number of events that the sample stands for.
u32 recording_event_of(const struct recording *recording, const struct sample *sample);
u64 recording_event_weight(const struct recording *recording, const struct sample *sample);
// Finds the event of a name. If name is NULL, it is the only event, or RECORDING_EVENT_ALL when
// there are several. Returns KOV_FAILED and prints the names of all events if the recording has
// none of this name.
int recording_event_find(const struct recording *recording, const char *name, u32 *event);

#endif
