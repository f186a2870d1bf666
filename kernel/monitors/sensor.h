// SPDX-License-Identifier: MIT
// What the scheduler tells monitors, behind its points (proc/switch_points.h), soft-masked; and
// what a process tells.
#ifndef KERNEL_MONITORS_SENSOR_H
#define KERNEL_MONITORS_SENSOR_H

#include <orrery/types.h>

struct thread;

// The CPU goes from one thread to another, of which at least one is tracked.
void monitors_switch(const struct thread *from, const struct thread *to);
// A tracked thread could have left, but was chosen again.
void monitors_stay(const struct thread *thread);
// A record about the calling thread, for the monitors that track it. Thread context.
void monitors_told(u8 kind, u8 reason, u64 word0, u64 word1);

#endif
