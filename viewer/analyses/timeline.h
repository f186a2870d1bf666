// SPDX-License-Identifier: MIT
// What the CPUs and threads of a recorded trace did in any interval of it, at any width, with
// limited work. One pass through the trace makes an index of slices, with the shortest ones joined,
// and checkpoints: what was so every so many events. A wide interval is answered from the index. A
// narrow one is visited again from the checkpoint before it. Memory: as the caller limits it,
// besides the index of packets.
#ifndef KOV_TIMELINE_H
#define KOV_TIMELINE_H

#include "analyses/arrows.h"
#include "analyses/slice_walk.h"
#include "analyses/trace_walk.h"

#define CHECKPOINTS_MAX 1024

struct timeline_checkpoint {
    u64 time; // all events before it are in the walk
    struct slice_walk walk;
    struct arrows arrows;
};

// A thread of the trace. Its number in the array is its track.
struct timeline_thread {
    u64 id, pid; // pid 0: the kernel; ACTIVITY_NO_PID: not known
    bool idle;
    u64 ticks[THREAD_TIMES];
};

struct timeline {
    struct engine engine;
    struct labels labels; // names of processes, once it is whole
    u64 begin, end;       // ticks; equal: there is nothing
    u64 events;
    bool is_whole; // the pass is over
    size_t bytes_most;

    struct slice_walk walk; // of the pass
    struct arrows arrows;   // of the pass: those that have begun
    struct trace_choice everything;
    struct trace_walk knows; // of the pass: the processes of threads
    struct slices index;     // of CPUs
    struct slices thread_index;
    size_t thread_rows_most;         // of it: with more it becomes coarser; grows with many threads
    struct timeline_thread *threads; // once it is whole
    size_t thread_count;
    struct trace_loss *losses; // of the kernel's streams, in order of their begin
    size_t loss_count, loss_capacity;
    struct timeline_checkpoint *checkpoints;
    size_t checkpoint_count, checkpoint_capacity, checkpoint_bytes;
    u64 apart, since; // events between two checkpoints, and since the last one
    u64 last;         // time of the last event
    u64 portion;      // events that may still be read now
};

// Opens the folder of a trace for at most so many bytes. Returns an exit code with a message. The
// caller calls timeline_close in any case.
int timeline_open(struct timeline *timeline, const char *folder, size_t bytes_most);
// Goes on with the pass, at most so many events. Sets is_whole at the end.
int timeline_read(struct timeline *timeline, u64 events);
// Returns which part of the trace's time the pass has read, 0 … 1.
double timeline_part(const struct timeline *timeline);
// Fills `into` with the slices of all CPUs from `from` to `to`, at most `most` rows. Slices shorter
// than the width's part are joined; where too many rows or events were needed, also longer ones. A
// group at an edge may stick out; other slices are cut. The timeline is whole.
int timeline_slices(struct timeline *timeline, u64 from, u64 to, u32 width, size_t most,
                    struct slices *into);
// Fills `into` with the slices of threads, as timeline_slices. `how` is how each track is told
// (enum slices_how). Of those with a sum there is one group.
int timeline_thread_slices(struct timeline *timeline, u64 from, u64 to, u32 width, size_t most,
                           const u8 *how, struct slices *into);
// Begins another visit at the last checkpoint up to `from`: copies what is known there, of slices
// that nobody wants and of arrows. Returns the time to which the caller seeks the engine. Free
// both.
u64 timeline_resume(const struct timeline *timeline, u64 from, struct slice_walk *walk,
                    struct arrows *arrows);
void timeline_close(struct timeline *timeline);

#endif
