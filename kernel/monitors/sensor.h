// SPDX-License-Identifier: MIT
// Sensors tell monitors what happens to threads, behind points (proc/switch_points.h).
#ifndef KERNEL_MONITORS_SENSOR_H
#define KERNEL_MONITORS_SENSOR_H

#include <orrery/monitors.h>

#include "proc/switch_points.h"

#ifdef WITHOUT_SENSORS
#define MONITORS_SUPPORTED 0
#else
#define MONITORS_SUPPORTED 1
#endif

struct dispatcher;
struct monitor_tracks;
struct thread;

// The next two are called soft-masked.
// Tells that the CPU switches from one thread to another, at least one of which is tracked.
void monitors_switch(const struct thread *from, struct thread *to);
// Tells that a tracked thread could have left, but was chosen again.
void monitors_stay(const struct thread *thread);

// Tells that a thread has just become ready, and is in no run queue yet. Any context but PMI.
void monitors_wake(struct thread *thread, u32 reason);

// Tells what happens to the running thread, or what it says about itself. Any context but PMI.
void monitors_event(u8 kind, u8 reason, u64 word0, u64 word1);
static inline __attribute__((always_inline)) void monitors_tell(u8 kind, u64 word0, u64 word1)
{
    EVENT_POINT_MONITORED(monitored);
    return;
monitored:
    monitors_event(kind, 0, word0, word1);
}
// Tells of a call with a dispatcher of this CPU on one side. Thread context.
void monitors_call(const struct dispatcher *side, enum sys_monitor_call what, u64 id);
static inline __attribute__((always_inline)) void
monitors_tell_call(const struct dispatcher *side, enum sys_monitor_call what, u64 id)
{
    EVENT_POINT_MONITORED(monitored);
    return;
monitored:
    monitors_call(side, what, id);
}
// Tells that the running thread's system call ends. Returns the result unchanged. From
// exception/syscall_monitored.S.
s64 monitors_syscall(u64 number, s64 result);

// Return the ticks for this many records of switches, of a thread with these tracks: as written by
// the scheduler, and by the fast path of calls (fire.S). Soft-masked.
u64 monitors_measure(const struct monitor_tracks *tracks, u32 records);
u64 monitors_measure_fast(const struct monitor_tracks *tracks, u32 records);

#endif
