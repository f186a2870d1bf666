// SPDX-License-Identifier: MIT
// Tells how long each thread ran, waited for its CPU, and was blocked, and how soon it ran when it
// was woken.
#ifndef KOV_TRACE_SCHED_H
#define KOV_TRACE_SCHED_H

#include "analyses/trace_tool.h"

enum thread_time { RUN, READY, BLOCKED, UNKNOWN, THREAD_TIMES };

// Divides the times of threads further. All members are set.
struct sched_follower {
    // A thread's times come end to end, from its beginning to its end. Each comes after the
    // intervals of its CPUs that lie in it, and before the event that ends it. reason: why the
    // thread left its CPU, if it is off (trace/reasons.h).
    void (*spent)(void *context, u64 thread, enum thread_time on, u64 reason, u64 from, u64 to);
    int (*interval)(void *context, const struct activity_interval *interval);
    int (*event)(void *context, const struct trace_walk *walk, const struct trace_event *event);
    void (*loss)(void *context, const struct trace_loss *loss);
    void (*end)(void *context, const struct trace_walk *walk);
    void *context;
};
int trace_sched_follow(struct engine *engine, const struct trace_choice *choice,
                       const struct sched_follower *follower);

// Puts "threads", longest running first, and "all": wake to run, of all of them. Puts "waits" and
// "wakers", as far as the trace tells them (trace_reasons.h). Each has at most so many rows (0:
// all). The times run, ready, blocked and unknown of a thread add up to all of its time.
int trace_sched(struct engine *engine, const struct trace_choice *choice, u64 most,
                json_t *document);

extern const struct sheet trace_sched_sheets[];
void trace_sched_note(const json_t *document);

#endif
