// SPDX-License-Identifier: MIT
// The walk of a tool through a trace. It is a visitor that knows which thread runs on each CPU, to
// which process a thread belongs, and what is missing. Memory: by the number of threads.
#ifndef KOV_TRACE_WALK_H
#define KOV_TRACE_WALK_H

#include "tools/keyed_rows.h"
#include "trace/labels.h"
#include "trace/trace_model.h"
#include "analyses/trace_choice.h"

struct trace_walk {
    const struct trace_choice *choice;
    u64 hz;
    u64 begin, end;              // of the time that is looked at
    u64 lost_packets, discarded; // of the chosen CPUs
    u64 left_out;                // packets of the trace that are damaged
    struct trace_model model;    // has taken an event, or a loss, before the tool gets it
    u64 dispatchers;             // the major that tells whose dispatchers threads are; 0: none
    struct labels labels;
    // Gets every event until the end, whatever is chosen. NULL: not wanted.
    int (*event)(void *context, const struct trace_event *event);
    int (*loss)(void *context, const struct trace_loss *loss);
    // Gets what a CPU did, when that has ended, before the event that ended it. NULL: not wanted.
    int (*interval)(void *context, const struct activity_interval *interval);
    void *context;
};

// Walks from the choice's beginning to its end. The caller has set choice, event, loss and context.
// Returns an exit code. What the walk has learnt stays until it is freed.
int trace_walk(struct trace_walk *walk, struct engine *engine);
// Walks as trace_walk, but first reads the same part of the trace, at most so many events, for the
// processes of threads and for names. So the walk knows them from its beginning.
int trace_walk_knowing(struct trace_walk *walk, struct engine *engine, u64 most);
// Do parts of trace_walk, for events that come by and by.
void trace_walk_begin(struct trace_walk *walk, struct engine *engine);
struct visitor trace_walk_visitor(struct trace_walk *walk);
// Sets only begin and end, for callers that need them before the walk.
void trace_walk_range(struct trace_walk *walk, const struct engine *engine);
void trace_walk_free(struct trace_walk *walk);

// Returns the thread that runs on a CPU. ACTIVITY_NO_THREAD: not known.
u64 trace_walk_thread(const struct trace_walk *walk, u32 cpu);
// Returns until when a CPU's stream tells what happens on it, and until when all CPUs' do: not
// before the walk's begin, not behind its end.
u64 trace_walk_known(const struct trace_walk *walk, u32 cpu);
u64 trace_walk_all_known(const struct trace_walk *walk);
// Returns whether a CPU's stream is missing, or ends so early that it is not whole.
bool trace_walk_is_cut(const struct trace_walk *walk);
// Returns the process of a thread, as far as it is known by now. 0: the kernel; ACTIVITY_NO_PID:
// not known. A thread has the same process for all its life, so it is best to ask in the end.
u64 trace_walk_pid(const struct trace_walk *walk, u64 thread);
// Returns whether a thread is a CPU's idle thread, as far as events have told.
bool trace_walk_is_idle(const struct trace_walk *walk, u64 thread);
bool trace_walk_has_cpu(const struct trace_walk *walk, u32 cpu);
// Returns whether the CPU where a thread runs, or ran last, is chosen.
bool trace_walk_has_cpu_of(const struct trace_walk *walk, u64 thread);
bool trace_walk_has_thread(const struct trace_walk *walk, u64 thread);

#endif
