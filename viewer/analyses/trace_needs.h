// SPDX-License-Identifier: MIT
// Which majors each tool needs for what it says. What it cannot know because they were not recorded
// is null in its document, not 0.
#ifndef KOV_TRACE_NEEDS_H
#define KOV_TRACE_NEEDS_H

#include "output/document.h"
#include "trace/recorded.h"

// Sets to null what the tool cannot know, and puts "not_recorded", the majors to add;
// "partly_recorded", those that were recorded for a part of the time; "not_described", what a trace
// of an older build does not have; and "recorded_told", whether the trace says what was recorded.
// A tool whose majors depend on what the user asked for puts them as "majors", a mask.
void trace_needs_apply(json_t *document, const char *tool, const struct recorded *recorded);
// Sets members of a row to null, each also as KEY_ticks. keys: "a,b".
void trace_needs_clear(json_t *row, const char *keys);
// Returns whether the tool can know this key of the part's rows.
bool trace_needs_known(const char *tool, const char *part, const char *key,
                       const struct recorded *recorded);
// Prints a line for each kind of lack, or warns where the document cannot say it. `beside`: stdout
// is not for people.
void trace_needs_tell(const json_t *document, bool beside);

#endif
