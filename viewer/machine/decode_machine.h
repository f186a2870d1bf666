// SPDX-License-Identifier: MIT
// Adds messages of the machine, or of a recording, to a snapshot. It trusts nothing in a message.
#ifndef KOV_DECODE_MACHINE_H
#define KOV_DECODE_MACHINE_H

#include "machine/snapshot.h"

#include <dci.pb-c.h>

// Limits, so that no machine can fill the memory. What comes after them is left out. The limit of
// children is for all objects together.
#define DECODE_MAX_CHILDREN (1u << 24)
#define DECODE_MAX_CLASSES (1u << 16)
#define DECODE_MAX_OBJECTS (1u << 22)
#define DECODE_MAX_PROCESSES (1u << 16)

void decode_processes(const Orrery__Dci__ProcessesReply *reply, struct snapshot *snapshot);
void decode_classes(const Orrery__Dci__ClassesReply *reply, struct snapshot *snapshot);
void decode_objects(const Orrery__Dci__ObjectsReply *reply, struct snapshot *snapshot);

#endif
