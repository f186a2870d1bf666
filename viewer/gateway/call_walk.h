// SPDX-License-Identifier: MIT
// Counts the calls of a trace (call_counts.h), live or in a folder. Which thread calls is known by
// switches, of which process it is by the state that a recording begins with, or by what has begun
// since.
#ifndef KOV_CALL_WALK_H
#define KOV_CALL_WALK_H

#include "gateway/call_counts.h"
#include "trace/trace_model.h"

#define CALL_MAJORS "SCHED,IPC" // without these nobody knows who calls whom
// Limits of a live trace: threads that the model knows, and bytes that wait for a CPU that is late.
#define CALL_THREADS_MAX 65536u
#define CALL_WAITING_BYTES_MAX (32u << 20)

struct call_walk {
    struct engine engine;
    struct trace_model model;
    struct call_counts *counts; // of the caller
    u64 since, until;           // what is between them is counted
    u64 covered;                // until then it is noted whether calls were logged
    u64 needed;                 // majors
    u64 left;                   // of a portion: events that may still be read
    bool began;
};

// Begins to count packets that are pushed. `text` is the trace's metadata, with a NUL at its end;
// `mask` has the majors that are logged. Returns an exit code. The caller calls call_walk_end in
// any case.
int call_walk_begin_live(struct call_walk *walk, const char *text, u64 mask,
                         struct call_counts *counts);
// Takes a packet of the kernel. Returns KOV_CONNECTION with a message if it is damaged.
int call_walk_packet(struct call_walk *walk, u32 cpu, const u8 *data, size_t bytes);
// Counts what is complete by now on so many CPUs. 0: all that has come. Returns an exit code;
// KOV_FAILED if there are too many threads, or too much waits: end it, and begin anew.
int call_walk_count(struct call_walk *walk, u32 cpus);

// Begins to count a folder's calls, of the cells of *counts, which it makes. Call
// call_walk_read until call_walk_is_whole.
int call_walk_begin_folder(struct call_walk *walk, const char *folder, struct call_counts **counts);
// Tells, before the first portion, of which process a thread is.
void call_walk_know(struct call_walk *walk, u64 thread, u64 pid);
// Counts at most so many more events of a folder.
int call_walk_read(struct call_walk *walk, u64 events);
bool call_walk_is_whole(const struct call_walk *walk);

void call_walk_end(struct call_walk *walk);

#endif
