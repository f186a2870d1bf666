// SPDX-License-Identifier: MIT
// The events of a recording's samples. Nothing else in reports by place, and in exports, knows how
// a recording keeps them.
#include "samples/recording_event.h"

#include <math.h>
#include <string.h>

_Static_assert(RECORDING_EVENT_NAME_BYTES >= SAMPLED_TITLE_BYTES, "a name fits");
_Static_assert(RECORDING_EVENT_ALL == SAMPLES_ALL, "all events are all events");

u32 recording_event_count(const struct recording *recording)
{
    return recording->request.events.count;
}

const char *recording_event_name(const struct recording *recording, u32 event,
                                 char name[RECORDING_EVENT_NAME_BYTES])
{
    return sampled_event_title(&recording->request.events.events[event], name);
}

u64 recording_event_period(const struct recording *recording, u32 event)
{
    return recording->request.events.events[event].period;
}

u64 recording_event_lost(const struct recording *recording, u32 event)
{
    return samples_sum(&recording->samples, SAMPLES_ALL, event).lost;
}

u32 recording_event_of(const struct recording *recording, const struct sample *sample)
{
    (void)recording;
    return sample->index;
}

u64 recording_event_weight(const struct recording *recording, const struct sample *sample)
{
    struct sample_share share = samples_share(&recording->samples, sample->index);
    return (u64)llround((double)sample->weight / sample_share_part(&share));
}

// Prints `head`, `text` and the events of the recording. Returns KOV_FAILED.
static int refuse(const struct recording *recording, const char *head, const char *text)
{
    char names[512] = "", one[RECORDING_EVENT_NAME_BYTES];
    size_t length = 0;
    for (u32 i = 0; i < recording_event_count(recording) && length < sizeof(names); i++)
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                   i == 0 ? "" : ", ", recording_event_name(recording, i, one));
    return fail(KOV_FAILED, "%s '%s' in the recording: it has %s", head, text, names);
}

int recording_event_find(const struct recording *recording, const char *name, u32 *event)
{
    *event = recording_event_count(recording) == 1 ? 0 : RECORDING_EVENT_ALL;
    if (name == NULL)
        return KOV_OK;
    u32 found = sampled_events_find(&recording->request.events, name, strlen(name));
    if (found == 0)
        return refuse(recording, "no event", name);
    if ((found & (found - 1)) != 0)
        return refuse(recording, "several events", name);
    *event = (u32)__builtin_ctz(found);
    return KOV_OK;
}
