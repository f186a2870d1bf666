// SPDX-License-Identifier: MIT
// Tells a process's library what monitors want to know, and takes it. All soft-masked, on the
// thread's CPU.
#ifndef KERNEL_MONITORS_LIBRARY_H
#define KERNEL_MONITORS_LIBRARY_H

#include <orrery/types.h>

struct monitor_tracks;

// Writes the kinds that running monitors want into the dispatcher's page.
void monitors_library_learns(struct monitor_tracks *tracks);
// Gives the thread's records up to the time `now` to the monitors that want them.
void monitors_library_take(struct monitor_tracks *tracks, u64 now);
// Does the same for the running thread: no other has told anything since it last ran. For
// cpus_call.
void monitors_library_take_here(void *unused);

#endif
