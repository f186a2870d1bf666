// SPDX-License-Identifier: MIT
// Where each process spent its time, by the samples in a trace (S002 §4.5, figure 6).
#ifndef KOV_TRACE_PROFILE_H
#define KOV_TRACE_PROFILE_H

#include "trace/trace_tool.h"

// "processes" and "functions" within each, of each at most so many (0: all). programs: "PID=NAME",
// as a trace does not tell which program a process runs.
int trace_profile(struct engine *engine, const struct trace_choice *choice,
                  const struct texts *programs, u64 most, json_t *document);

extern const struct sheet trace_profile_sheets[];
void trace_profile_note(const json_t *document);

#endif
