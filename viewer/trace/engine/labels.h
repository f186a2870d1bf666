// SPDX-License-Identifier: MIT
// Names of processes, threads and classes, as the trace tells them: of what there was when it began
// (its state), and of what was created later. Memory: by their number.
#ifndef KOV_LABELS_H
#define KOV_LABELS_H

#include "tools/keyed_rows.h"
#include "trace/engine/event_fields.h"

enum label_kind { LABEL_PROCESS, LABEL_THREAD, LABEL_CLASS, LABEL_KINDS };

struct label {
    u64 key[KEY_WORDS]; // its number
    char name[TRACE_TEXT_BYTES];
};

struct labels {
    struct event_fields events[LABEL_KINDS], state_end;
    struct keyed_rows kinds[LABEL_KINDS]; // struct label
};

// All zero before. from: where the visit will begin; if that is not at the beginning, takes the
// names of the state that the trace begins with. The engine must be sought after it. An exit code.
int labels_begin(struct labels *labels, struct engine *engine, u64 from);
// Of any event.
void labels_learn(struct labels *labels, const struct trace_event *event);
// NULL: the trace does not tell it.
const char *labels_find(const struct labels *labels, enum label_kind kind, u64 number);
void labels_free(struct labels *labels);

#endif
