// SPDX-License-Identifier: MIT
// What the scheduler tells monitors, behind its points (proc/switch_points.h). Soft-masked.
#ifndef KERNEL_MONITORS_SENSOR_H
#define KERNEL_MONITORS_SENSOR_H

#include <orrery/types.h>

#ifdef WITHOUT_SENSORS
#define MONITORS_SUPPORTED 0
#else
#define MONITORS_SUPPORTED 1
#endif

struct monitor_tracks;
struct thread;

// Something has happened to who is tracked so, on this CPU: a record for each monitor that asked
// for its kind. ipc/fast_path.S uses fire.S instead, which does the same.
void monitors_fire(const struct monitor_tracks *tracks, u8 kind, u8 reason, u64 time, u64 word0,
                   u64 word1);

// The CPU goes from one thread to another, of which at least one is tracked.
void monitors_switch(const struct thread *from, const struct thread *to);
// A tracked thread could have left, but was chosen again.
void monitors_stay(const struct thread *thread);

#endif
