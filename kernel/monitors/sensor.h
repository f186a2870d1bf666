// SPDX-License-Identifier: MIT
// What the scheduler tells monitors, behind its points (proc/switch_points.h). Soft-masked.
#ifndef KERNEL_MONITORS_SENSOR_H
#define KERNEL_MONITORS_SENSOR_H

struct thread;

// The CPU goes from one thread to another, of which at least one is tracked.
void monitors_switch(const struct thread *from, const struct thread *to);
// A tracked thread could have left, but was chosen again.
void monitors_stay(const struct thread *thread);

#endif
