// SPDX-License-Identifier: MIT
// Tells where each process spent its time, by the samples in a trace (S002 §4.5, figure 6).
#ifndef KOV_TRACE_PROFILE_H
#define KOV_TRACE_PROFILE_H

#include "analyses/trace_tool.h"

// Puts "processes", and "functions" within each, at most so many of each (0: all). `programs` are
// "PID=NAME", since a trace does not tell which program a process runs.
int trace_profile(struct engine *engine, const struct trace_choice *choice,
                  const struct texts *programs, u64 most, json_t *document);

extern const struct sheet trace_profile_sheets[];
void trace_profile_note(const json_t *document);

#endif
