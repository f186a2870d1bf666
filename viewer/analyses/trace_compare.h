// SPDX-License-Identifier: MIT
// Compares two recordings: what takes longer in the second, and what is no more than chance.
#ifndef KOV_TRACE_COMPARE_H
#define KOV_TRACE_COMPARE_H

#include "analyses/trace_tool.h"

struct compare_options {
    u64 intervals, most; // most: rows of a table; 0: all
    const char *process; // name of a process: only what it did or waited for; NULL: all
    bool total;          // compares whole recordings, not one second of them
};

// Compares the recordings in two folders or dumps. Returns an exit code.
int trace_compare(const char *const paths[2], const struct compare_options *options,
                  json_t *document);

extern const struct sheet trace_compare_sheets[];
void trace_compare_note(const json_t *document);

#endif
