// SPDX-License-Identifier: MIT
// Writes a trace as Chrome's trace events: JSON that Perfetto, speedscope and chrome://tracing
// open. It writes while it reads the trace. Memory: by the number of threads and of open calls.
#ifndef KOV_CHROME_H
#define KOV_CHROME_H

#include "trace/activity.h"
#include "trace/labels.h"
#include "analyses/arrows.h"
#include "analyses/trace_choice.h"

// A process and a thread in the terms of the format. Processes have their own pid. CPUs are a group
// of their own, as are threads whose process the trace does not tell.
struct chrome_track {
    u64 pid, tid;
};
#define CHROME_CPUS 4000000000UL
#define CHROME_THREADS 4000000001UL
// Threads of a process's library have their own numbers, which begin above the kernel's.
#define CHROME_USER_THREADS 1000000000UL

// Who woke a thread, and when.
struct chrome_wake {
    u64 time; // 0: nobody
    struct chrome_track track;
};

// Slices of a track that are too short to be written each: from the first's begin to the last's
// end. A pause as long as the shortest slice that is written ends them.
#define CHROME_NAME_BYTES 48
struct chrome_many {
    u64 slices;                   // 0: none
    u64 from, to, ticks;          // ticks: of the slices, without the pauses
    char name[CHROME_NAME_BYTES]; // of the first
    struct chrome_wake wake;      // of the first
};

// Something that is remembered by its number until it ends.
struct chrome_mark {
    u64 id, time;
    struct chrome_track track;
    struct chrome_many many; // of a track
};
struct chrome_marks { // by id
    struct chrome_mark *marks;
    size_t count, capacity;
};
struct chrome_mark *chrome_mark_find(const struct chrome_marks *marks, u64 id);
// Returns the mark of this number. A new one is all zero.
struct chrome_mark *chrome_mark_get(struct chrome_marks *marks, u64 id);

enum chrome_kind {
    CHROME_OTHER,
    CHROME_IN_SLICES, // already in the slices
    CHROME_USER_SWITCH,
    CHROME_ARROW,
    CHROME_COUNTER,
    CHROME_COUNTERS,
};

// A thread that runs. What is short is written only once it is known that its run is not.
struct chrome_run {
    bool open, written;
    struct chrome_track track;
    u64 from;
    struct chrome_wake wake;
    struct chrome_many within; // faults, calls and interrupts of this run
};

#define CHROME_COUNTERS_MAX 6
struct chrome {
    FILE *out;
    struct engine *engine;
    const struct trace_choice *choice; // of the events that become instants
    u64 min; // ticks: slices and arrows that are shorter are not written each
    struct activity_machine machine;
    struct arrows begun; // arrows, and who runs
    struct chrome_run runs[ORRERY_MAX_CPUS], user_runs[ORRERY_MAX_CPUS];
    struct chrome_many cpus_many[ORRERY_MAX_CPUS];
    struct chrome_marks many;  // runs of a thread, by track
    struct chrome_marks named; // tracks with written names: tid, then pid << 32 | tid
    struct labels labels;
    u64 arrows, instants, slices;
    u64 joined, left_out; // slices in a "many", short arrows
    u64 begin;            // of what is written
    u64 lost_packets, discarded;
    u64 counter_events[CHROME_COUNTERS_MAX]; // which hardware event each counts, + 1
};

// Writes all from choice->from to choice->to. Returns KOV_OK, or an exit code with a message. If
// the file has an error, ferror(out) tells it.
int chrome_export(struct chrome *chrome);

// Tells whether an export with this engine, choice and minimum has more bytes than the limit.
int chrome_is_larger(const struct chrome *plan, u64 limit, bool *larger);

// ---- chrome_slices.c ---------------------------------------------------------------------------

void chrome_slices_begin(struct chrome *chrome, u64 from);
// Notes who runs from then on. Called after each event and loss.
void chrome_follow(struct chrome *chrome, u32 cpu);
void chrome_user_switch(struct chrome *chrome, const struct trace_event *event);
// Notes that events of a process are missing from there on.
void chrome_user_loss(struct chrome *chrome, const struct trace_loss *loss);
int chrome_slices_end(struct chrome *chrome, u64 to);
// Returns the track of who is there: that of the process's or the kernel's thread, or that of the
// CPU if the thread is not known.
struct chrome_track chrome_track_of(const struct arrow_end *end);

// ---- chrome_many.c -----------------------------------------------------------------------------

bool chrome_is_short(const struct chrome *chrome, u64 from, u64 to);
// Writes a slice behind those of its track that wait in `many`. A short one waits there, too.
void chrome_slice(struct chrome *chrome, struct chrome_many *many, struct chrome_track track,
                  const char *name, u64 from, u64 to);
// The same of a short run that a wake-up began.
void chrome_short_run(struct chrome *chrome, const struct chrome_run *run, const char *name,
                      u64 to);
// Writes the slices that wait: a single one as it was, more as one that is called "many".
void chrome_many_write(struct chrome *chrome, struct chrome_many *many, struct chrome_track track);
// Writes those of all threads.
void chrome_many_end(struct chrome *chrome);
// Returns the runs of a thread that wait.
struct chrome_many *chrome_many_of(struct chrome *chrome, struct chrome_track track);

// ---- chrome_arrows.c ---------------------------------------------------------------------------

// Draws the arrow from a call to its reply: struct arrows calls it.
void chrome_draw_call(void *chrome, const struct arrow *arrow);
// Returns the thread's wake-up, and forgets it: the thread runs.
struct chrome_wake chrome_take_wake(struct chrome *chrome, u64 thread);
// Draws the arrow of a wake-up. Readers look for the slice where it ends: it was written before.
void chrome_draw_wake(struct chrome *chrome, const struct chrome_wake *wake,
                      struct chrome_track track, u64 time);

// ---- chrome_write.c ----------------------------------------------------------------------------

void chrome_write_begin(struct chrome *chrome);
void chrome_write_end(struct chrome *chrome);
// Writes one end of a slice. Both ends have the name, since speedscope finds no begin without it.
// The name has only letters, digits, blanks and ':'.
typedef void slice_edge(struct chrome *chrome, struct chrome_track track, const char *name,
                        u64 time);
slice_edge chrome_write_slice_begin, chrome_write_slice_end;
void chrome_write_many(struct chrome *chrome, const struct chrome_many *many,
                       struct chrome_track track);
// Returns the number of a track among all.
u64 chrome_track_id(struct chrome_track track);
// Leaves an arrow out that is shorter than chrome->min.
void chrome_write_arrow(struct chrome *chrome, const char *name, const struct chrome_mark *from,
                        const struct chrome_mark *to);
void chrome_write_instant(struct chrome *chrome, struct chrome_track track,
                          const struct trace_event *event);
void chrome_write_loss(struct chrome *chrome, const struct trace_loss *loss);
void chrome_write_counters(struct chrome *chrome, const struct trace_event *event);

#endif
