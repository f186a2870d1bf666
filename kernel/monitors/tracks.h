// SPDX-License-Identifier: MIT
// Which monitors track one thread, or one process and so its threads to come, with what id and for
// which kinds.
#ifndef KERNEL_MONITORS_TRACKS_H
#define KERNEL_MONITORS_TRACKS_H

#include <orrery/monitors.h>
#include <stdbool.h>

#include "ring.h"

struct monitor;

// ipc/fast_path.S takes the first three fields in one piece.
struct monitor_track {
    struct monitor_ring *ring; // of the thread's CPU; NULL: of a process
    u32 kinds;
    u32 id;
    struct monitor *monitor;
} __attribute__((aligned(16)));

// Of a thread: in its CPU's list, and changed there only. Of a process: in a list of their own.
struct monitor_tracks {
    struct monitor_tracks *next, **link; // in that list
    void *thread;                        // struct thread *
    u32 thread_id;                       // 0: of a process
    u32 pid;                             // 0: of the kernel's threads
    u32 cpu;
    u32 count;                   // in the list
    u32 fires;                   // tracks that something is told to,
    struct monitor_track *first; // … from here on: `told`, or the list
    struct monitor_track told;   // what the thread itself has told goes to its rings first
    struct monitor_track list[SYS_MONITORS_THREAD];
    struct monitor_ring told_ring;
    u64 told_since; // before that nobody wanted to know
};
_Static_assert(offsetof(struct monitor_tracks, list) ==
                   offsetof(struct monitor_tracks, told) + sizeof(struct monitor_track),
               "told is before the first");

// Into a list, or out of it.
void monitor_tracks_link(struct monitor_tracks *tracks, struct monitor_tracks **list);
void monitor_tracks_unlink(struct monitor_tracks *tracks);

// Is there room for this monitor, or is it there already?
bool monitor_tracks_fit(const struct monitor_tracks *tracks, const struct monitor *monitor);
// Adds a track, or replaces that of the same monitor; it fits.
void monitor_tracks_set(struct monitor_tracks *tracks, const struct monitor_track *track);
// Something is done before each record, or nothing any more: told_ring.instead.
void monitor_tracks_ask(struct monitor_tracks *tracks, bool on);
// False: the monitor was not there.
bool monitor_tracks_remove(struct monitor_tracks *tracks, const struct monitor *monitor);

#endif
