// SPDX-License-Identifier: MIT
// How a process's library learns that monitors want to be told something, and how they get it. All
// of it soft-masked, on the thread's CPU.
#ifndef KERNEL_MONITORS_LIBRARY_H
#define KERNEL_MONITORS_LIBRARY_H

#include <orrery/types.h>

struct monitor_tracks;

// Writes what those that run want into the dispatcher's page.
void monitors_library_learns(struct monitor_tracks *tracks);
// Gives what the thread has told, up to the time `now`, to the monitors that want it.
void monitors_library_take(struct monitor_tracks *tracks, u64 now);
// The same of the running thread: no other has told anything since it last ran. For cpus_call.
void monitors_library_take_here(void *unused);

#endif
