// SPDX-License-Identifier: MIT
// Calls between processes: who waits for answers, and what servers do for whom. A server's thread
// works for the call that it took last, until it answers or sleeps. When the answer to a call of
// its own comes, it works again for the call for which it made that one.
#ifndef KOV_TRACE_CALLS_H
#define KOV_TRACE_CALLS_H

#include "analyses/trace_measures.h"

struct call_row {
    u64 key[KEY_WORDS]; // server's process, endpoint, method, client's thread
    u64 count, waited, worked;
};

struct calls {
    struct keyed_rows rows, threads;
    void *open;                            // by number, in a tree of the C library
    u64 dropped;                           // calls whose end may be missing
    const struct trace_measures *measures; // NULL: none
};

void calls_begin(struct calls *calls);
void calls_event(struct calls *calls, const struct trace_walk *walk,
                 const struct trace_event *event);
void calls_interval(struct calls *calls, const struct activity_interval *interval);
void calls_loss(struct calls *calls);
// Returns how many answers the thread still waits for.
u64 calls_open(const struct calls *calls, u64 thread);
// Returns whether the thread left its CPU to sleep for an event or an answer, with which it goes
// on.
bool calls_sleeps(const struct calls *calls, u64 thread);
void calls_free(struct calls *calls);

#endif
