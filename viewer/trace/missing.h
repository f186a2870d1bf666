// SPDX-License-Identifier: MIT
// Streams that a recording lists, and that are not in its folder, or not whole.
#ifndef KOV_TRACE_MISSING_H
#define KOV_TRACE_MISSING_H

#include "trace/engine.h"
#include "trace/listed.h"

// Tells what is missing, and adds it to the streams: visitors are then told of a loss. Call it once
// all streams are arranged.
void missing_note(struct engine *engine, const struct listed *listed);

#endif
