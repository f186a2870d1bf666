// SPDX-License-Identifier: MIT
// Names of processes, threads and classes, as the trace tells them. Its state names what was there
// when it began; events name what was created later. Memory: by the number of names.
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

// Prepares for a visit that begins at `from`. `labels` is all zero before. If `from` is not the
// trace's beginning, it takes the names of the state with which the trace begins, and the caller
// must seek the engine again. Returns an exit code.
int labels_begin(struct labels *labels, struct engine *engine, u64 from);
// Learns from any event.
void labels_learn(struct labels *labels, const struct trace_event *event);
// Returns NULL if the trace does not tell the name.
const char *labels_find(const struct labels *labels, enum label_kind kind, u64 number);
void labels_free(struct labels *labels);

#endif
