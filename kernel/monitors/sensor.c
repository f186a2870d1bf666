// SPDX-License-Identifier: MIT
// The sensors.
#include "sensor.h"

#include <kernel/percpu.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>

#include "proc/thread.h"
#include "ring.h"
#include "tracks.h"

static void record_all(const struct monitor_tracks *tracks, struct sys_monitor_record *record)
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
        record_all(thread->tracks, &record);
}

static void tell_wake(const struct thread *thread, u8 reason, u64 ago, u64 time)
{
    struct sys_monitor_record record = {
        .time = time, .kind = SYS_MONITOR_WAKE, .reason = reason, .word = {ago}};

    if (thread->tracks != NULL)
        record_all(thread->tracks, &record);
}

// Has another CPU woken it for this run? Then it is told now, as rings have one writer.
static void tell_late_wake(struct thread *thread, u64 now)
{
    u64 at = thread->woken_at;

    thread->woken_at = 0;
    if (at != 0 && thread->woken_switches + 1 == thread->switches)
        tell_wake(thread, thread->woken_for, now > at ? now - at : 0, now);
}

void monitors_switch(const struct thread *from, struct thread *to)
{
    u64 now = timebase();

    tell(from, SYS_MONITOR_LEAVES, from->reason, now);
    tell_late_wake(to, now);
    tell(to, SYS_MONITOR_COMES, 0, now);
}

void monitors_stay(const struct thread *thread)
{
    tell(thread, SYS_MONITOR_STAYS, thread->reason, timebase());
}

void monitors_wake(struct thread *thread, u32 reason)
{
    u8 masked = soft_mask();

    if (thread->cpu == cpu_id()) {
        thread->woken_at = 0;
        tell_wake(thread, (u8)reason, 0, timebase());
    } else {
        thread->woken_at = timebase();
        thread->woken_switches = thread->switches;
        thread->woken_for = (u8)reason;
    }
    soft_mask_restore(masked);
}

void monitors_event(struct sys_monitor_record *record)
{
    if (percpu()->current->tracks == NULL)
        return;
    u8 masked = soft_mask();
    record->time = timebase();
    if (percpu()->current->tracks != NULL) // it may have been let go in between
        record_all(percpu()->current->tracks, record);
    soft_mask_restore(masked);
}

s64 monitors_syscall(u64 number, s64 result)
{
    monitors_event(
        &(struct sys_monitor_record){.kind = SYS_MONITOR_SYSCALL, .word = {number, (u64)result}});
    return result;
}
