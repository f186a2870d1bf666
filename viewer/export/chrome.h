// SPDX-License-Identifier: MIT
// Writes a trace as Chrome's trace events: JSON that Perfetto, speedscope and chrome://tracing
// open. It writes while it reads the trace. Memory: by the number of threads and of open calls.
#ifndef KOV_CHROME_H
#define KOV_CHROME_H

#include "trace/engine/activity.h"
#include "trace/engine/labels.h"
#include "trace/trace_choice.h"

// A process and a thread in the terms of the format. Processes have their own pid. CPUs are a group
// of their own, as are threads whose process the trace does not tell.
struct chrome_track {
    u64 pid, tid;
};
#define CHROME_CPUS 4000000000UL
#define CHROME_THREADS 4000000001UL
// Threads of a process's library have their own numbers, which begin above the kernel's.
#define CHROME_USER_THREADS 1000000000UL

// Something that is remembered by its number until it ends.
struct chrome_mark {
    u64 id, time;
    struct chrome_track track;
};
struct chrome_marks { // by id
    struct chrome_mark *marks;
    size_t count, capacity;
};
struct chrome_mark *chrome_mark_find(const struct chrome_marks *marks, u64 id);
// Returns the mark of this number. A new one is all zero.
struct chrome_mark *chrome_mark_get(struct chrome_marks *marks, u64 id);
void chrome_mark_remove(struct chrome_marks *marks, struct chrome_mark *mark);

enum chrome_kind {
    CHROME_OTHER,
    CHROME_IN_SLICES, // already in the slices
    CHROME_USER_SWITCH,
    CHROME_WAKE,
    CHROME_CALL,
    CHROME_REPLY,
    CHROME_COUNTER,
    CHROME_COUNTERS,
};

#define CHROME_COUNTERS_MAX 6
struct chrome {
    FILE *out;
    struct engine *engine;
    const struct trace_choice *choice; // of the events that become instants
    u8 *kinds;                         // enum chrome_kind, by the descriptions of the engine
    struct activity_machine machine;
    struct activity_interval running[ORRERY_MAX_CPUS]; // the thread on each CPU, and since when
    struct chrome_marks user_threads; // pid << 8 | CPU: track of the thread on it; 0: none
    struct chrome_marks woken, calls; // where an arrow begins: by thread, by call
    struct chrome_marks named;        // tracks with written names: tid, then pid << 32 | tid
    struct labels labels;
    u64 arrows, instants, slices;
    u64 begin; // of what is written
    u64 lost_packets, discarded;
    u64 counter_events[CHROME_COUNTERS_MAX]; // which hardware event each counts, + 1
};

// Writes all from choice->from to choice->to. Returns KOV_OK, or an exit code with a message. If
// the file has an error, ferror(out) tells it.
int chrome_export(struct chrome *chrome);

// ---- chrome_slices.c ---------------------------------------------------------------------------

void chrome_slices_begin(struct chrome *chrome, u64 from, u32 cpus);
// Notes who runs from then on. Called after each event and loss.
void chrome_follow(struct chrome *chrome, u32 cpu);
void chrome_user_switch(struct chrome *chrome, const struct trace_event *event);
// Notes that events of a process are missing from there on.
void chrome_user_loss(struct chrome *chrome, const struct trace_loss *loss);
int chrome_slices_end(struct chrome *chrome, u64 to);
// Returns the track of what happens there now: that of the process's or the kernel's thread, or
// that of the CPU if the thread is not known.
struct chrome_track chrome_track_now(const struct chrome *chrome, u32 pid, u32 cpu);

// ---- chrome_arrows.c ---------------------------------------------------------------------------

// Draws arrows from a wake-up to where the thread runs, and from a call to its reply.
void chrome_arrow_event(struct chrome *chrome, enum chrome_kind kind,
                        const struct trace_event *event);
void chrome_thread_runs(struct chrome *chrome, u64 thread, struct chrome_track track, u64 time);

// ---- chrome_write.c ----------------------------------------------------------------------------

void chrome_write_begin(struct chrome *chrome);
void chrome_write_end(struct chrome *chrome);
// Writes one end of a slice. Both ends have the name, since speedscope finds no begin without it.
// The name has only letters, digits, blanks and ':'.
typedef void slice_edge(struct chrome *chrome, struct chrome_track track, const char *name,
                        u64 time);
slice_edge chrome_write_slice_begin, chrome_write_slice_end;
void chrome_write_arrow(struct chrome *chrome, const char *name, const struct chrome_mark *from,
                        const struct chrome_mark *to);
void chrome_write_instant(struct chrome *chrome, struct chrome_track track,
                          const struct trace_event *event);
void chrome_write_loss(struct chrome *chrome, const struct trace_loss *loss);
void chrome_write_counters(struct chrome *chrome, const struct trace_event *event);

#endif
