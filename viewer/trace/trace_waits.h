// SPDX-License-Identifier: MIT
// Tells who waits for whom at the end of what is looked at (S002 §4.2). Threads in calls wait for
// the server; threads at locks wait for the owner. Shows chains, and cycles, which are deadlocks.
#ifndef KOV_TRACE_WAITS_H
#define KOV_TRACE_WAITS_H

#include "trace/trace_tool.h"

#define WAIT_NOBODY UINT64_MAX

// A wait that has not ended.
struct trace_wait {
    bool lock;             // else a call
    u64 object, method;    // object: the call's number, or the lock; method: of a call
    u64 since;             // when the wait began
    u64 thread, pid;       // who waits; ACTIVITY_NO_PID: not known
    u64 of_thread, of_pid; // for whom; WAIT_NOBODY: no thread has taken it, or not known
    bool unsure;           // events are missing since it began
    u64 next;              // of trace_waits_link: a wait of its server, or WAIT_NOBODY
    u32 mark;              // for the search for cycles
};

// Puts "waits", longest first, each with its chain, and "deadlocks": the cycles, each once.
int trace_waits(struct engine *engine, const struct trace_choice *choice, json_t *document);
// Puts the answer for `count` waits and sorts them. `end` is the end of the time that is looked at.
void trace_waits_put(struct trace_wait *waits, size_t count, u64 end, u64 hz, json_t *document);

extern const struct sheet trace_waits_sheets[];
void trace_waits_note(const json_t *document);

#endif
