// SPDX-License-Identifier: MIT
// Events that programs describe: major PROGRAM, in the streams of processes. A description goes
// into the metadata, into listings and to readers' printf. So each is first checked as
// event_defs.py checks those of trace/events/*.def. Descriptions never change or go: each keeps its
// place in the metadata, and its number.
#ifndef TRACE_DESCRIBED_H
#define TRACE_DESCRIBED_H

#include <orrery/sys.h>
#include <trace/table.h>

#define TRACE_DESCRIBED_FIRST 16     // minor; lower ones are the kernel's own
#define TRACE_DESCRIBED_MAX 1024     // events, of all programs
#define TRACE_DESCRIBED_RESERVED 256 // of them, for programs with a right

struct trace_described_event {
    struct sys_trace_description description;
    struct trace_event_info info; // its texts are the description's
};

// Events of one program, with consecutive minors.
struct trace_described {
    u32 first, count; // minors
    // of their text in the metadata; begin: offset in the text of all described ones
    u64 begin, bytes;
    struct trace_described_event events[];
};

// Returns whether a description, whoever wrote it, may be shown to others. Any context.
bool trace_description_check(const struct sys_trace_description *description);

// Makes events of the list. Returns NULL on an error: E_INVAL, also if two have the same name;
// E_NOMEM. Thread context.
struct trace_described *trace_described_make(const struct sys_trace_description *list, u32 count,
                                             s64 *error);
void trace_described_free(struct trace_described *described); // one that was not added; NULL: none

// Returns the first minor of the same events if they were added before, else E_NOENT.
s64 trace_described_same(const struct trace_described *described);
// Adds the events and takes ownership. Returns their first minor. E_LIMIT: all programs would have
// more than `most` events, which is at most TRACE_DESCRIBED_MAX. One call at a time.
s64 trace_described_add(struct trace_described *described, u32 most);

// The following: any context, also during trace_described_add. id: major << 16 | minor; NULL: none.
const struct trace_event_info *trace_described_find(u32 id);
const struct trace_described_event *trace_described_get(u32 index); // by the order of their numbers
// Copies text of their CTF declarations from offset. Returns bytes copied, 0 at the end.
s64 trace_described_metadata(u64 offset, char *buffer, u64 bytes);

#endif
