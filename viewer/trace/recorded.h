// SPDX-License-Identifier: MIT
// Which majors were recorded. Of the others a trace says nothing: that is not the same as none.
#ifndef KOV_RECORDED_H
#define KOV_RECORDED_H

#include "trace/descriptions.h"

struct engine;

struct recorded {
    u64 begin;        // majors, where a visit begins
    bool begin_told;  // if not, those of the events before the trace tells
    bool told;        // by the trace; if not, these are the majors of its events
    u64 undescribed;  // majors in which the trace has not all events that tools need
    bool reasons;     // switches say why
    u64 ever, always; // majors, for some or all of the time that was visited (activity.h)
};

// Looks for what was recorded where a visit begins, and keeps it as engine->recorded. Returns an
// exit code. The caller seeks afterwards.
int recorded_read(struct engine *engine, u64 from);
// Returns the mask of majors, "SCHED,EXC".
u64 recorded_mask(const char *majors);

#endif
