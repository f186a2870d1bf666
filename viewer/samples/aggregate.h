// SPDX-License-Identifier: MIT
// Samples added up by what one wants to know: process, object, class, function, line, thread, CPU,
// or several of these; with the call chains of each row.
#ifndef KOV_AGGREGATE_H
#define KOV_AGGREGATE_H

#include "machine/snapshot.h"
#include "samples/samples.h"
#include "symbols/programs.h"
#include "tools/intern.h"

#include <stdio.h>

enum sort_key {
    SORT_PROCESS,
    SORT_OBJECT,
    SORT_CLASS,
    SORT_FUNCTION,
    SORT_LINE,
    SORT_THREAD,
    SORT_CPU,
    SORT_KEYS
};

struct sort {
    enum sort_key keys[SORT_KEYS];
    u32 count;
};

// "object,function": KOV_OK, or KOV_USAGE with a message.
int sort_parse(const char *text, struct sort *sort);
const char *sort_key_name(enum sort_key key);

// One function in the call chains of a row, with what called it below.
struct chain {
    u32 text; // of the aggregate's texts
    u64 samples;
    struct chain *callers;
    size_t count, capacity;
};

struct aggregate_row {
    u32 texts[SORT_KEYS]; // by position in the sort
    struct sample_sum sum;
    u64 soft_masked;
    u32 process;        // with SORT_PROCESS
    u32 pid;            // with SORT_OBJECT: whose COID it is
    coid_t coid;        // with SORT_OBJECT
    struct chain chain; // its callers are the functions where the samples are
};

struct aggregate {
    const struct snapshot *snapshot;
    struct symbols *symbols;   // the kernel's, may be NULL
    struct programs *programs; // the processes'; NULL: no names of theirs
    struct sort sort;
    bool chains;               // keep them
    struct sample_share share; // of the event
    struct intern texts;
    struct intern row_keys; // the row of each combination of texts
    struct aggregate_row *rows;
    size_t count, capacity;
    u64 samples; // all that were added: 100 %
};

void aggregate_add(struct aggregate *aggregate, const struct sample *sample);
// Rows and chains with most samples first; nothing is added any more.
void aggregate_order(struct aggregate *aggregate);
const char *aggregate_text(const struct aggregate *aggregate, u32 text);
double aggregate_percent(const struct aggregate *aggregate, u64 samples);
void aggregate_free(struct aggregate *aggregate);

#endif
