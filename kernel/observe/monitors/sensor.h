// SPDX-License-Identifier: MIT
// Sensors tell monitors what happens to threads: handlers of events (kernel/points.h).
#ifndef KERNEL_MONITORS_SENSOR_H
#define KERNEL_MONITORS_SENSOR_H

#include <kernel/points.h>
#include <orrery/monitors.h>

// What monitors_observer wants.
#define MONITORS_SWITCHES 1UL
#define MONITORS_EVENTS 2UL // anything else: calls can keep their fast path
#define MONITORS_CALLS 4UL  // … or calls, which then leave it
extern struct observer monitors_observer;

struct monitor_tracks;

// Tells what the running thread says about itself. Any context but PMI.
void monitors_event(u8 kind, u8 reason, u64 word0, u64 word1);
// Tells that the running thread's system call ends. Returns the result unchanged. From
// syscall_monitored.S.
s64 monitors_syscall(u64 number, s64 result);
void syscall_monitored(void); // stands around all plain calls

// Return the ticks for this many records of switches, of a thread with these tracks: as written by
// the scheduler, and by the fast path of calls (fire.S). Soft-masked.
u64 monitors_measure(const struct monitor_tracks *tracks, u32 records);
u64 monitors_measure_fast(const struct monitor_tracks *tracks, u32 records);

#endif
