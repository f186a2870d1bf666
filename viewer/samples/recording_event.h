// SPDX-License-Identifier: MIT
// The events that the samples of a recording are of.
#ifndef KOV_RECORDING_EVENT_H
#define KOV_RECORDING_EVENT_H

#include "samples/recording.h"

#define RECORDING_EVENT_ALL UINT32_MAX

u32 recording_event_count(const struct recording *recording);
#define RECORDING_EVENT_NAME_BYTES 64
// event: below the count. The name as `-e` takes it.
const char *recording_event_name(const struct recording *recording, u32 event,
                                 char name[RECORDING_EVENT_NAME_BYTES]);
// Events from one sample to the next, as asked for.
u64 recording_event_period(const struct recording *recording, u32 event);
// Samples of it that were lost, exactly; RECORDING_EVENT_ALL: of all.
u64 recording_event_lost(const struct recording *recording, u32 event);
// Which event a sample is of, and for how many of them it stands.
u32 recording_event_of(const struct recording *recording, const struct sample *sample);
u64 recording_event_weight(const struct recording *recording, const struct sample *sample);
// The event of a name; NULL: the only one, or RECORDING_EVENT_ALL when there are several.
// KOV_FAILED, with the names that there are, when the recording has none of this name.
int recording_event_find(const struct recording *recording, const char *name, u32 *event);

#endif
