// SPDX-License-Identifier: MIT
// What the scheduler tells monitors, behind its points (proc/switch_points.h). Soft-masked.
#ifndef KERNEL_MONITORS_SENSOR_H
#define KERNEL_MONITORS_SENSOR_H

#ifdef WITHOUT_SENSORS
#define MONITORS_SUPPORTED 0
#else
#define MONITORS_SUPPORTED 1
#endif

struct monitor_event;
struct monitor_tracks;
struct thread;

// Something has happened to who is tracked so, on this CPU: a record for each monitor that asked
// for its kind.
void monitors_fire(const struct monitor_tracks *tracks, const struct monitor_event *event);

// The CPU goes from one thread to another, of which at least one is tracked.
void monitors_switch(const struct thread *from, const struct thread *to);
// A tracked thread could have left, but was chosen again.
void monitors_stay(const struct thread *thread);

#endif
