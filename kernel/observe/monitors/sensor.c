// SPDX-License-Identifier: MIT
// The sensors.
#include "sensor.h"

#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>

#include "library.h"
#include "proc/dispatcher.h"
#include "proc/thread.h"
#include "ring.h"
#include "tracks.h"

struct observer monitors_observer;

#define SENSOR(event, function, bits) HANDLES(event, 3, function, &monitors_observer, bits)

// Writes a record for each monitor that wants this kind of the tracked thread; on its CPU,
// soft-masked. The fast path of calls uses fire.S instead, which does the same. Inline, so that
// registers are saved once a switch and the kind is a constant.
static inline __attribute__((always_inline)) void fire(const struct monitor_tracks *tracks, u8 kind,
                                                       u8 reason, u64 time, u64 word0, u64 word1)
{
    const struct monitor_track *track = tracks->first, *end = track + tracks->fires;
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

// Writes a record of another thread than the running one. Takes the running thread's own records
// first: they are older, and records come in order.
static void tell_other(const struct thread *thread, u8 kind, u8 reason, u64 time, u64 word0,
                       u64 word1)
{
    if (thread->tracks == NULL)
        return;
    monitors_library_take_here(NULL);
    fire(thread->tracks, kind, reason, time, word0, word1);
}

static void tell_wake(const struct thread *thread, u8 reason, u64 ago, u64 time)
{
    tell_other(thread, SYS_MONITOR_WAKE, reason, time, ago, 0);
}

// Writes the wake-up now if another CPU woke the thread for this run: rings have one writer.
static void tell_late_wake(struct thread *thread, u64 now)
{
    u64 at = thread->woken_at;

    thread->woken_at = 0;
    if (at != 0 && thread->woken_switches + 1 == thread->switches)
        tell_wake(thread, thread->woken_for, now > at ? now - at : 0, now);
}

static __attribute__((noinline)) void tracked_switched(struct thread *from, struct thread *to)
{
    u64 now = timebase();

    tell(from, SYS_MONITOR_LEAVES, from->reason, now);
    tell_late_wake(to, now);
    tell(to, SYS_MONITOR_COMES, 0, now);
}

// Without a frame for a switch of others.
static void sense_switch(struct thread *from, struct thread *to, u64 at)
{
    (void)at;
    if (((u64)from->tracks | (u64)to->tracks) != 0)
        tracked_switched(from, to);
}
SENSOR(switch, sense_switch, MONITORS_SWITCHES);

static void stayed(struct thread *thread)
{
    if (thread->tracks != NULL)
        tell(thread, SYS_MONITOR_STAYS, thread->reason, timebase());
}
SENSOR(stay, stayed, MONITORS_SWITCHES);

static void woken(struct thread *thread, u32 reason)
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
SENSOR(ready, woken, MONITORS_EVENTS);

void monitors_event(u8 kind, u8 reason, u64 word0, u64 word1)
{
    if (percpu()->current->tracks == NULL)
        return;
    u8 masked = soft_mask();
    const struct monitor_tracks *tracks = percpu()->current->tracks;
    if (tracks != NULL) // its tracks may have been removed in between
        fire(tracks, kind, reason, timebase(), word0, word1);
    soft_mask_restore(masked);
}

static void faulted(u64 address, u32 access)
{
    monitors_event(SYS_MONITOR_FAULT, 0, address, access);
}
SENSOR(fault, faulted, MONITORS_EVENTS);

static void special_called(u64 number, u64 result)
{
    monitors_event(SYS_MONITOR_SYSCALL, 0, number, result);
}
SENSOR(syscall, special_called, MONITORS_EVENTS);

static void block_used(u64 request, u64 value)
{
    monitors_event(SYS_MONITOR_BLOCK, 0, request, value);
}
SENSOR(block, block_used, MONITORS_EVENTS);

// ---- calls: one side is a dispatcher of this CPU ------------------------------------------------

static void tell_call(const struct dispatcher *side, enum sys_monitor_call what, u64 id)
{
    u8 masked = soft_mask();

    tell_other(side->thread, SYS_MONITOR_CALL, 0, timebase(), what, id);
    soft_mask_restore(masked);
}

static void sense_call_made(struct dispatcher *client, struct dispatcher *server, u64 call)
{
    (void)server;
    tell_call(client, SYS_MONITOR_CALL_MADE, call);
}
SENSOR(call_made, sense_call_made, MONITORS_CALLS);

static void sense_call_taken(struct dispatcher *server, u32 client, u64 call)
{
    (void)client;
    tell_call(server, SYS_MONITOR_CALL_SERVED, call);
}
SENSOR(call_taken, sense_call_taken, MONITORS_CALLS);

static void sense_call_answered(struct dispatcher *server, u32 client, u64 call)
{
    (void)client;
    tell_call(server, SYS_MONITOR_CALL_ANSWERED, call);
}
SENSOR(answered, sense_call_answered, MONITORS_CALLS);

// ---- plain system calls -------------------------------------------------------------------------

s64 monitors_syscall(u64 number, s64 result)
{
    monitors_event(SYS_MONITOR_SYSCALL, 0, number, (u64)result);
    return result;
}

u64 monitors_measure(const struct monitor_tracks *tracks, u32 records)
{
    u64 begin = timebase();

    for (u32 i = 0; i < records; i++)
        fire(tracks, SYS_MONITOR_SWITCH, 0, timebase(), 0, 0);
    return timebase() - begin;
}
