// SPDX-License-Identifier: MIT
// Says which samples of a recording a report or export is about.
#include "samples/sample_choice.h"
#include "samples/recording_event.h"

bool sample_is_chosen(const struct recording *recording, const struct sample_choice *choice,
                      const struct sample *sample)
{
    if (!choice->idle && (sample->flags & SYS_SAMPLE_IDLE) != 0)
        return false;
    if (choice->pid != SAMPLE_ANY_PID && sample->pid != choice->pid)
        return false;
    return choice->event == RECORDING_EVENT_ALL ||
           recording_event_of(recording, sample) == choice->event;
}
