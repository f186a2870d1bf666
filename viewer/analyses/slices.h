// SPDX-License-Identifier: MIT
// Slices: what CPUs, or threads, did from when to when. Slices that are too short to be told each
// are joined to a group: one row for each kind, which says how many they are and how long they were
// together. So the sums by kind stay exact, however short the slices are.
#ifndef KOV_SLICES_H
#define KOV_SLICES_H

#include "trace/thread_states.h"

// Why an activity is unknown: the detail of such a slice.
enum unknown_why {
    WHY_UNTOLD,       // nothing has told yet what the thread has entered
    WHY_NO_SWITCH,    // nothing has told yet which thread runs
    WHY_NOT_RECORDED, // the majors that would tell were not recorded
    WHY_LEFT_OUT,     // the recording leaves the process out
    WHY_LOST,         // events were lost, and nothing has told since
    WHY_END,          // the CPU's stream ends there, or is missing
    UNKNOWN_WHYS
};

// What a thread did: the kind of its slices.
enum thread_kind {
    THREAD_KIND_UNKNOWN, // detail: enum thread_why
    THREAD_KIND_USER,    // it ran
    THREAD_KIND_KERNEL,  // it ran in the kernel: activity and detail say what for
    THREAD_KIND_RUN,     // it ran, and nothing tells whether in the kernel
    THREAD_KIND_READY,   // detail: why it left its CPU, or if it was woken, for what
    THREAD_KIND_BLOCKED, // detail: why (trace/reasons.h)
    THREAD_KINDS
};
_Static_assert((int)THREAD_KINDS <= (int)ACTIVITIES, "a group has parts for all kinds");

// Returns what sort of time a kind is.
enum thread_time thread_kind_time(u8 kind);

// How slices of a track are told.
enum slices_how { SLICES_EACH, SLICES_SUM /* all in one group */, SLICES_NONE };

// A slice, or slices of one kind in a group. Times in ticks of the time base.
struct slice {
    u64 from, to;
    u64 ticks;       // to - from, but less in a group
    u64 longest;     // of the slices; thread, process and detail are those of this one
    u64 thread, pid; // as in struct activity_interval; pid 0: the kernel
    u64 by;          // of a thread that is ready: who woke it; 0: an interrupt; SLICE_NOBODY
    u32 detail;      // vector, system call, enum unknown_why
    u32 count;       // of slices
    u32 track;       // the CPU, or struct thread_status's track
    u8 cpu, kind;    // kind: enum activity, or enum thread_kind
    u8 activity;     // of a thread that ran: enum activity
};
#define SLICE_NOBODY UINT64_MAX

struct slice_part {
    u64 ticks;
    u32 count;
    struct slice longest;
};
struct slice_group {
    u64 from, to;
    u32 count; // 0: none
    struct slice_part parts[ACTIVITIES];
};

struct slices {
    struct slice *rows; // of each track in order of time
    size_t count, capacity;
    size_t most;                // rows
    bool is_full;               // there were more
    u64 shortest;               // ticks: shorter ones are joined
    struct slice_group *groups; // by track
    size_t tracks, track_capacity;
    const u8 *how; // enum slices_how by track; further ones are not told. NULL: all are told each
    size_t hows;
};

// Begins with no rows; memory of earlier ones is used again.
void slices_begin(struct slices *slices, u64 shortest, size_t most);
// Adds a slice, or the part of a group, of which all parts come one after the other. Those of a
// track come in order of time.
void slices_add(struct slices *slices, const struct slice *slice);
void slices_end(struct slices *slices);
// Joins what is shorter than twice as much as before. Groups that had begun end here.
void slices_coarsen(struct slices *slices);
// Puts rows in order of tracks, and each track's in order of time.
void slices_sort(struct slices *slices);
void slices_free(struct slices *slices);

#endif
