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

// The CPU goes from one thread to another, of which at least one is tracked.
void monitors_switch(const struct thread *from, const struct thread *to);
// A tracked thread could have left, but was chosen again.
void monitors_stay(const struct thread *thread);

// Ticks that so many records of switches take, of one who is tracked so.
u64 monitors_measure(const struct monitor_tracks *tracks, u32 records);

#endif
