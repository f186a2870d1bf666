// SPDX-License-Identifier: MIT
// The sensor of switches, and what a process tells itself.
#include "sensor.h"

#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>

#include "proc/thread.h"
#include "ring.h"
#include "tracks.h"

static void fire(const struct monitor_tracks *tracks, struct sys_monitor_record *record)
{
    for (u32 i = 0; i < tracks->count; i++) {
        const struct monitor_track *track = &tracks->list[i];
        if ((track->kinds >> record->kind & 1) == 0 || !track->ring->running)
            continue;
        record->id = track->id;
        monitor_ring_append(track->ring, record);
    }
}

static void tell(const struct thread *thread, enum sys_monitor_switch what, u8 reason, u64 time)
{
    struct sys_monitor_record record = {
        .time = time, .kind = SYS_MONITOR_SWITCH, .reason = reason, .word = {what}};

    if (thread->tracks != NULL)
        fire(thread->tracks, &record);
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

void monitors_told(u8 kind, u8 reason, u64 word0, u64 word1)
{
    struct sys_monitor_record record = {.kind = kind, .reason = reason, .word = {word0, word1}};
    u8 masked = soft_mask();
    const struct monitor_tracks *tracks = percpu()->current->tracks;

    record.time = timebase();
    if (tracks != NULL)
        fire(tracks, &record);
    soft_mask_restore(masked);
}
