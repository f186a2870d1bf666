// SPDX-License-Identifier: MIT
// Tracks threads, processes with their future threads, and the kernel's threads as those of process
// 0. Each CPU changes the tracks of its own threads, so the sensor takes no lock.
#ifndef KERNEL_MONITORS_TRACKING_H
#define KERNEL_MONITORS_TRACKING_H

#include <orrery/types.h>
#include <stdbool.h>

struct monitor;
struct process;

// All in thread context, no spin lock held.

// Does as sys_monitor_track. NULL stands for the kernel.
s64 monitors_track(struct monitor *monitor, struct process *process, u32 thread, u32 id, u64 kinds);
// Does as sys_monitor_untrack.
s64 monitors_untrack(struct monitor *monitor, u32 pid, u32 thread);
// Suspends or resumes: on return it records nothing any more, or records again.
s64 monitors_run(struct monitor *monitor, bool on);
// Ends a monitor: every CPU takes it off its threads. Returns whether it ended just now; false if
// it had before.
bool monitors_end(struct monitor *monitor);

#endif
