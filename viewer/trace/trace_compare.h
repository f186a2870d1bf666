// SPDX-License-Identifier: MIT
// Two recordings: what takes longer in the second, and what is no more than chance.
#ifndef KOV_TRACE_COMPARE_H
#define KOV_TRACE_COMPARE_H

#include "trace/trace_tool.h"

struct compare_wishes {
    u64 intervals, most; // most: rows of a table; 0: all
    const char *process; // only what this one did or waited for, by its name; NULL: all
    bool total;          // of a recording, in place of a second of it
};

// paths: of folders, or of dumps. An exit code.
int trace_compare(const char *const paths[2], const struct compare_wishes *wishes,
                  json_t *document);

extern const struct sheet trace_compare_sheets[];
void trace_compare_note(const json_t *document);

#endif
