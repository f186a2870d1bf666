// SPDX-License-Identifier: MIT
// Events that programs describe: major PROGRAM, in the streams of processes. What a description
// says goes into the metadata, into listings, and to readers' printf, so each is checked first as
// event_defs.py checks those of trace/events/*.def. Nothing is ever forgotten or changed: a
// description that is known stays where it is in the metadata, and keeps its number.
#ifndef TRACE_DESCRIBED_H
#define TRACE_DESCRIBED_H

#include <orrery/sys.h>
#include <trace/table.h>

#define TRACE_DESCRIBED_FIRST 16     // minor; those below are the kernel's own
#define TRACE_DESCRIBED_MAX 1024     // events, of all programs
#define TRACE_DESCRIBED_RESERVED 256 // of them, for programs with a right

struct trace_described_event {
    struct sys_trace_description description;
    struct trace_event_info info; // its texts are the description's
};

// Events of one program, with minors one behind the other.
struct trace_described {
    u32 first, count; // minors
    u64 begin, bytes; // of their text in the metadata; begin: among that of all described ones
    struct trace_described_event events[];
};

// Whether it may be shown to others, whoever wrote it. Any context.
bool trace_description_check(const struct sys_trace_description *description);

// Thread context. NULL and *error: E_INVAL, also when two have the same name; E_NOMEM.
struct trace_described *trace_described_make(const struct sys_trace_description *list, u32 count,
                                             s64 *error);
void trace_described_free(struct trace_described *described); // one that was not added; NULL: none

// The first minor of the same events as they were added before; E_NOENT.
s64 trace_described_same(const struct trace_described *described);
// Its first minor; it is the module's from then on. E_LIMIT: there would be more than `most` events
// of all programs, at most TRACE_DESCRIBED_MAX. One call at a time.
s64 trace_described_add(struct trace_described *described, u32 most);

// All that follows: any context, also while one is added. id: major << 16 | minor; NULL: none.
const struct trace_event_info *trace_described_find(u32 id);
const struct trace_described_event *trace_described_get(u32 index); // by the order of their numbers
// Copies text of their CTF declarations from offset: bytes copied, 0 at the end.
s64 trace_described_metadata(u64 offset, char *buffer, u64 bytes);

#endif
