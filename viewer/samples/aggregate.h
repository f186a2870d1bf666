// SPDX-License-Identifier: MIT
// Adds up samples by process, object, class, function, line, thread, CPU, or several of these.
// Keeps the call chains of each row.
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

// Reads a sort such as "object,function". Returns KOV_OK, or KOV_USAGE with a message.
int sort_parse(const char *text, struct sort *sort);
const char *sort_key_name(enum sort_key key);

// A function in the call chains of a row. Its callers are below it.
struct chain {
    u32 text; // number of the function's text in the aggregate
    u64 samples, events;
    struct chain *callers;
    size_t count, capacity;
};

struct aggregate_row {
    u32 texts[SORT_KEYS]; // by position in the sort
    struct sample_sum sum;
    u64 soft_masked;
    u32 process;        // only with SORT_PROCESS
    u32 pid;            // with SORT_OBJECT: the process of the COID
    coid_t coid;        // with SORT_OBJECT
    struct chain chain; // its callers are the functions in which the samples are
};

struct aggregate {
    const struct snapshot *snapshot;
    struct symbols *symbols;   // of the kernel; may be NULL
    struct programs *programs; // of the processes; NULL: their names are not shown
    struct sort sort;
    bool chains;               // keep the call chains
    struct sample_share share; // of the event
    double unseen;             // events of all of the time that have no sample: any row's
    struct intern texts;
    struct intern row_keys; // the number of a combination of texts is that of its row
    struct aggregate_row *rows;
    size_t count, capacity;
    u64 events; // of all samples that were added, which are 100 %
};

void aggregate_add(struct aggregate *aggregate, const struct sample *sample);
// Sorts rows and chains, most events first, and scales them by the share. Nothing may be added
// after that.
void aggregate_order(struct aggregate *aggregate);
const char *aggregate_text(const struct aggregate *aggregate, u32 text);
// Returns the percentage that these events are of all. Samples do not tell it: they stand for more
// or fewer events, since thresholds change.
double aggregate_percent(const struct aggregate *aggregate, u64 events);
void aggregate_free(struct aggregate *aggregate);

#endif
