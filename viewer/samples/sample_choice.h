// SPDX-License-Identifier: MIT
// Says which samples of a recording a report or export is about.
#ifndef KOV_SAMPLE_CHOICE_H
#define KOV_SAMPLE_CHOICE_H

#include "samples/recording.h"

#define SAMPLE_ANY_PID UINT64_MAX

struct sample_choice {
    bool idle; // idle samples too
    u64 pid;   // only of this process, also in the kernel; 0: of no process; SAMPLE_ANY_PID
    u32 event; // or RECORDING_EVENT_ALL
};

bool sample_is_chosen(const struct recording *recording, const struct sample_choice *choice,
                      const struct sample *sample);

#endif
