// SPDX-License-Identifier: MIT
// Whom monitors track: threads, processes with their threads to come, and the kernel's threads as
// those of process 0. Each CPU changes the tracks of its own threads, so the sensor takes no lock.
#ifndef KERNEL_MONITORS_TRACKING_H
#define KERNEL_MONITORS_TRACKING_H

#include <orrery/types.h>
#include <stdbool.h>

struct monitor;
struct process;
struct thread;

// All in thread context, no spin lock held.

// As sys_monitor_track, of a process, NULL: the kernel.
s64 monitors_track(struct monitor *monitor, struct process *process, u32 thread, u32 id, u64 kinds);
// As sys_monitor_untrack.
s64 monitors_untrack(struct monitor *monitor, u32 pid, u32 thread);
// Records nothing any more when it returns, or again.
s64 monitors_run(struct monitor *monitor, bool on);
// It ends: every CPU takes it off its threads. No effect if it has ended. Returns whether it has
// ended just now.
bool monitors_end(struct monitor *monitor);

// A thread that has not run yet, of a process, NULL: of the kernel.
void monitors_thread_made(const struct thread *thread, struct process *process);
// One that has ended and is in the table of threads no more.
void monitors_thread_gone(struct thread *thread);

#endif
