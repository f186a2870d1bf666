// SPDX-License-Identifier: MIT
// Slices: what CPUs did from when to when. Slices that are too short to be told each are joined to
// a group: one row for each kind, which says how many they are and how long they were together. So
// the sums by kind stay exact, however short the slices are.
#ifndef KOV_SLICES_H
#define KOV_SLICES_H

#include "trace/activity.h"

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

// A slice, or slices of one kind in a group. Times in ticks of the time base.
struct slice {
    u64 from, to;
    u64 ticks;       // to - from, but less in a group
    u64 longest;     // of the slices; thread, process and detail are those of this one
    u64 thread, pid; // as in struct activity_interval; pid 0: the kernel
    u32 detail;      // vector, system call, enum unknown_why
    u32 count;       // of slices
    u8 cpu, kind;    // kind: enum activity
};

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
    struct slice *rows; // of each CPU in order of time
    size_t count, capacity;
    size_t most;  // rows
    bool is_full; // there were more
    u64 shortest; // ticks: shorter ones are joined
    struct slice_group groups[ORRERY_MAX_CPUS];
};

// Begins with no rows; memory of earlier ones is used again.
void slices_begin(struct slices *slices, u64 shortest, size_t most);
// Adds a slice, or the part of a group, of which all parts come one after the other. Those of a CPU
// come in order of time.
void slices_add(struct slices *slices, const struct slice *slice);
void slices_end(struct slices *slices);
void slices_free(struct slices *slices);

#endif
