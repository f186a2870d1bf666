// SPDX-License-Identifier: MIT
// The monitors that track one thread, or one process and so its future threads, each with an id and
// kinds.
#ifndef KERNEL_MONITORS_TRACKS_H
#define KERNEL_MONITORS_TRACKS_H

#include <orrery/monitors.h>
#include <stdbool.h>

#include "ring.h"

struct monitor;

// fire.S loads the first three fields in one piece.
struct monitor_track {
    struct monitor_ring *ring; // of the thread's CPU; NULL: of a process
    u32 kinds;
    u32 id;
    struct monitor *monitor;
} __attribute__((aligned(16)));

// A thread's: in its CPU's list, and changed only there. A process's: in a list of their own.
struct monitor_tracks {
    struct monitor_tracks *next, **link; // in that list
    void *thread;                        // struct thread *
    u32 thread_id;                       // 0: a process's
    u32 pid;                             // 0: the kernel's threads'
    u32 cpu;
    u32 count;                    // in the list
    u32 fires;                    // tracks that get records,
    struct monitor_track *first;  // … from here on: `library`, or the list
    struct monitor_track library; // first takes what the thread itself has told to its rings
    struct monitor_track list[SYS_MONITORS_THREAD];
    struct monitor_ring library_ring;
    u64 library_since;             // nobody wanted earlier records
    struct monitor_tracks **place; // of a process's: what points at it
};
_Static_assert(offsetof(struct monitor_tracks, list) ==
                   offsetof(struct monitor_tracks, library) + sizeof(struct monitor_track),
               "library is before the first");

// Links it into a list, or unlinks it.
void monitor_tracks_link(struct monitor_tracks *tracks, struct monitor_tracks **list);
void monitor_tracks_unlink(struct monitor_tracks *tracks);

// Returns whether the monitor is there already, or has room. The last places are for those who may
// track all processes, so that no process can hide by tracking itself.
bool monitor_tracks_fit(const struct monitor_tracks *tracks, const struct monitor *monitor,
                        bool tracks_all);
// Adds a track, or replaces the same monitor's. It must fit.
void monitor_tracks_set(struct monitor_tracks *tracks, const struct monitor_track *track);
// Switches the step before each record on or off: library_ring.instead.
void monitor_tracks_ask(struct monitor_tracks *tracks, bool on);
// Removes a monitor's track. Returns false if it was not there.
bool monitor_tracks_remove(struct monitor_tracks *tracks, const struct monitor *monitor);

#endif
