// SPDX-License-Identifier: MIT
// How long each thread ran, waited for its CPU, and was blocked; how soon it ran when it was woken.
#ifndef KOV_TRACE_SCHED_H
#define KOV_TRACE_SCHED_H

#include "trace/trace_tool.h"

enum thread_time { RUN, READY, BLOCKED, UNKNOWN, THREAD_TIMES };

// Who divides the times of threads further. All are set.
struct sched_follower {
    // A thread's times come end to end, from its beginning to its end: behind the intervals of its
    // CPUs that lie in them, before the event that ends them. reason: why it left its CPU, if it is
    // off (trace/reasons.h).
    void (*spent)(void *context, u64 thread, enum thread_time on, u64 reason, u64 from, u64 to);
    int (*interval)(void *context, const struct activity_interval *interval);
    int (*event)(void *context, const struct trace_walk *walk, const struct trace_event *event);
    void (*loss)(void *context, const struct trace_loss *loss);
    void (*end)(void *context, const struct trace_walk *walk);
    void *context;
};
int trace_sched_follow(struct engine *engine, const struct trace_choice *choice,
                       const struct sched_follower *follower);

// "threads", at most so many (0: all), who ran longest first; "all": wake to run, of all of them.
// "waits" and "wakers", as far as the trace tells them (trace_reasons.h), at most so many of each.
// Of each thread run, ready, blocked and unknown are all of its time.
int trace_sched(struct engine *engine, const struct trace_choice *choice, u64 most,
                json_t *document);

extern const struct sheet trace_sched_sheets[];
void trace_sched_note(const json_t *document);

#endif
