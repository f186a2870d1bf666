// SPDX-License-Identifier: MIT
// Tells when CPUs had nothing to do: intervals in which the idle thread waits, and what ended them
// (S002 §4.7).
#ifndef KOV_TRACE_IDLE_H
#define KOV_TRACE_IDLE_H

#include "analyses/trace_tool.h"

// Puts "cpus", and "lengths" of all their intervals by powers of two. The times idle, handling (of
// what came meanwhile), busy and unknown of a CPU add up to all of the time.
int trace_idle(struct engine *engine, const struct trace_choice *choice, json_t *document);

extern const struct sheet trace_idle_sheets[];

#endif
