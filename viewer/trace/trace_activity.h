// SPDX-License-Identifier: MIT
// Prints what each CPU did, interval by interval: a table for people, JSON or CSV.
#ifndef KOV_TRACE_ACTIVITY_H
#define KOV_TRACE_ACTIVITY_H

#include "trace/trace_choice.h"

// Shows at most so many intervals of the chosen time, CPU and process. Returns an exit code.
int trace_show_activity(struct engine *engine, const struct trace_choice *choice, u64 most);

#endif
