// SPDX-License-Identifier: MIT
// The sensor of switches.
#include "sensor.h"

#include <kernel/timer.h>

#include "proc/thread.h"
#include "ring.h"
#include "tracks.h"

void monitors_fire(const struct monitor_tracks *tracks, const struct monitor_event *event)
{
    const struct monitor_track *track = tracks->list, *end = track + tracks->count;

    for (; track < end; track++) {
        if ((track->kinds >> event->kind & 1) != 0)
            monitor_ring_append(track->ring, track->id, event);
    }
}

static void tell(const struct thread *thread, enum sys_monitor_switch what, u8 reason, u64 time)
{
    const struct monitor_event event = {
        .time = time, .kind = SYS_MONITOR_SWITCH, .reason = reason, .word = {what}};

    if (thread->tracks != NULL)
        monitors_fire(thread->tracks, &event);
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
