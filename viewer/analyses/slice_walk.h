// SPDX-License-Identifier: MIT
// A visitor that makes slices of CPUs from the state machine of activities, and slices of threads
// from their states. It may begin in the
// midst of a trace, with a copy of what an earlier visit knew there.
#ifndef KOV_SLICE_WALK_H
#define KOV_SLICE_WALK_H

#include "analyses/slices.h"

struct slice_walk {
    struct activity_machine machine;
    struct thread_states states;
    u64 from, to;                 // slices are cut to this time
    u64 end;                      // of the trace
    u64 knows;                    // losses that begin up to then are in the machine already
    bool kernel[ORRERY_MAX_CPUS]; // the thread that runs is the kernel's own
    u64 lost_at[ORRERY_MAX_CPUS]; // begin of the activity that a loss began; UINT64_MAX: none
    // Slices of CPUs, and of threads, each track by track. NULL: not wanted.
    struct slices *into, *threads;
    const struct slices *known; // slice_walk_stop: threads' slices of all the trace, sorted
};

// Begins where the trace begins, as activity_begin does. The caller seeks afterwards.
void slice_walk_begin(struct slice_walk *walk, struct engine *engine, u64 from);
// Begins with what another walk knows. A later visit goes on with events from `time` on; that walk
// has seen all before, and losses up to then.
void slice_walk_copy(struct slice_walk *walk, const struct slice_walk *from, u64 time);
struct visitor slice_walk_visitor(struct slice_walk *walk);
// Ends what lasts until walk->to; of threads, at the trace's end. Frees all.
int slice_walk_end(struct slice_walk *walk);
// Ends a walk of threads in the midst of the trace, at `now`. All events until then have been
// visited. walk->known has each slice that was longer than now - walk->to. Frees all.
int slice_walk_stop(struct slice_walk *walk, u64 now);
size_t slice_walk_bytes(const struct slice_walk *walk);
void slice_walk_free(struct slice_walk *walk);

#endif
