// SPDX-License-Identifier: MIT
// Tells who waits for whom at the end of what is looked at (S002 §4.2). A thread in a call waits
// for the thread that works on the call, a thread at a lock for its owner, one in a join for the
// thread that is to end. A call that its server keeps to answer it later has nobody at work on it,
// and who waits for a semaphore or a condition waits for nobody in particular. Shows chains, and
// cycles, which are deadlocks.
#ifndef KOV_TRACE_WAITS_H
#define KOV_TRACE_WAITS_H

#include "analyses/trace_tool.h"

#define WAIT_NOBODY UINT64_MAX

// A wait that has not ended.
enum trace_wait_kind {
    WAIT_CALL,
    WAIT_LOCK,  // of the kernel
    WAIT_MUTEX, // of a program, as the next ones
    WAIT_JOIN,
    WAIT_SEMAPHORE,
    WAIT_CONDITION
};

struct trace_wait {
    enum trace_wait_kind kind;
    // object: the call's number, or an address; method: WAIT_NOBODY: not known
    u64 object, method;
    u64 since;             // when the wait began; WAIT_NOBODY: before somebody told of it
    u64 thread, pid;       // who waits; ACTIVITY_NO_PID, WAIT_NOBODY: not known
    u64 of_thread, of_pid; // for whom; WAIT_NOBODY: no thread has taken it, or not known
    u32 user, of_user;     // threads of these programs, by their numbers in them; 0: not known
    bool limited;          // it ends by itself
    bool unsure;           // events are missing since it began, or it may have ended untold
    u64 next;              // a wait of the one for whom it waits, or WAIT_NOBODY
    size_t mark;           // for the search for cycles
};

// Puts "waits", longest first, each with its chain, and "deadlocks": the cycles, each once.
int trace_waits(struct engine *engine, const struct trace_choice *choice, json_t *document);
// Puts the answer for `count` waits, which it sorts. `walk` has come to its end.
void trace_waits_put(struct trace_wait *waits, size_t count, struct trace_walk *walk,
                     json_t *document);

extern const struct sheet trace_waits_sheets[];
void trace_waits_note(const json_t *document);

#endif
