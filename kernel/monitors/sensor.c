// SPDX-License-Identifier: MIT
// The sensor of switches.
#include "sensor.h"

#include <kernel/timer.h>

#include "proc/thread.h"
#include "ring.h"
#include "tracks.h"

// A record for each monitor that asked for this kind of who is tracked so; on its CPU, soft-masked.
// ipc/fast_path.S uses fire.S instead, which does the same. Inline, so that registers are saved
// once a switch and the kind is a constant.
static inline __attribute__((always_inline)) void fire(const struct monitor_tracks *tracks, u8 kind,
                                                       u8 reason, u64 time, u64 word0, u64 word1)
{
    const struct monitor_track *track = tracks->list, *end = track + tracks->count;
    u32 what = monitor_what(kind, reason, 0);

    do {
        if ((track->kinds & 1u << kind) != 0)
            monitor_ring_append(track->ring, track->id, what, time, word0, word1);
    } while (++track < end);
}

static inline __attribute__((always_inline)) void
tell(const struct thread *thread, enum sys_monitor_switch what, u8 reason, u64 time)
{
    const struct monitor_tracks *tracks = thread->tracks;

    if (tracks != NULL)
        fire(tracks, SYS_MONITOR_SWITCH, reason, time, what, 0);
}

void monitors_switch(const struct thread *from, const struct thread *to)
{
    u64 now = timebase();

    tell(from, SYS_MONITOR_LEAVES, from->reason, now);
    tell(to, SYS_MONITOR_COMES, 0, now);
}

void monitors_stay(const struct thread *thread)
{
    tell(thread, SYS_MONITOR_STAYS, thread->reason, timebase());
}

u64 monitors_measure(const struct monitor_tracks *tracks, u32 records)
{
    u64 begin = timebase();

    for (u32 i = 0; i < records; i++)
        fire(tracks, SYS_MONITOR_SWITCH, 0, timebase(), 0, 0);
    return timebase() - begin;
}
