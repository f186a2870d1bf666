// SPDX-License-Identifier: MIT
// From the messages of the machine, or of a recording, to what kov keeps. Nothing in a message is
// trusted.
#ifndef KOV_DECODE_H
#define KOV_DECODE_H

#include "samples.h"
#include "snapshot.h"

#include <dci.pb-c.h>

// The last children of an object, classes and objects past these are left out.
#define DECODE_MAX_CHILDREN (1u << 20)
#define DECODE_MAX_CLASSES (1u << 16)
#define DECODE_MAX_OBJECTS (1u << 24)
#define DECODE_MAX_PROCESSES (1u << 16)

void decode_processes(const Orrery__Dci__ProcessesReply *reply, struct snapshot *snapshot);
void decode_classes(const Orrery__Dci__ClassesReply *reply, struct snapshot *snapshot);
void decode_objects(const Orrery__Dci__ObjectsReply *reply, struct snapshot *snapshot);
void decode_samples(const Orrery__Dci__Samples *samples, struct sample_set *set);
// Samples of a session that begins with these events are counted from here on.
void decode_sampling_start(const Orrery__Dci__SamplingStartReply *reply,
                           const struct sampled_events *events, struct sample_set *set);
void decode_sampling_changed(const Orrery__Dci__SamplingChanged *changed, struct sample_set *set);
void decode_sampling_stat(const Orrery__Dci__SamplingStatReply *reply, struct sample_set *set);

#endif
