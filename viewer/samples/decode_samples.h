// SPDX-License-Identifier: MIT
// Adds messages of the machine, or of a recording, to a sample set. It trusts nothing in a message.
#ifndef KOV_DECODE_SAMPLES_H
#define KOV_DECODE_SAMPLES_H

#include "samples/samples.h"

#include <dci.pb-c.h>

void decode_samples(const Orrery__Dci__Samples *samples, struct sample_set *set);
// Begins a session with these events. Its samples are counted from here on.
void decode_sampling_start(const Orrery__Dci__SamplingStartReply *reply,
                           const struct sampled_events *events, struct sample_set *set);
void decode_sampling_changed(const Orrery__Dci__SamplingChanged *changed, struct sample_set *set);
void decode_sampling_stat(const Orrery__Dci__SamplingStatReply *reply, struct sample_set *set);

#endif
