// SPDX-License-Identifier: MIT
// Takes what a process tells monitors about itself. Its dispatcher's page says which kinds they
// want, and has room for some records, which the library appends by a restartable sequence
// (userlib/src/tell.S). The kernel takes them whenever somebody reads, and before it writes any
// other record of that CPU, so all are in order. When there is no room the library makes a system
// call.
//
// The process may write anything there, from other CPUs too. Each word is read once, and counts as
// the process's own statement. By lies it only gets needless calls, silence about itself, or wrong
// records of itself.
#include "library.h"

#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/process.h>
#include <kernel/timer.h>

#include "exception/user.h"
#include "proc/process.h"
#include "proc/thread.h"
#include "ring.h"
#include "sensor.h"
#include "tracks.h"

#define REASON_MAX 255
#define ROOM (DISPATCHER_RECORDS_BYTES / DISPATCHER_RECORD)

// Returns the thread's dispatcher, or NULL if it has ended or the thread is the kernel's. On its
// own CPU: a dispatcher that has not ended keeps its page until it runs again.
static struct dispatcher *teller(const struct monitor_tracks *tracks)
{
    const struct thread *thread = tracks->thread;

    if (thread->dispatcher == NULL || thread->ended || thread->dispatcher->ended)
        return NULL;
    return thread->dispatcher;
}

// Marks the records as taken. Returns how many there are. User code that was interrupted while it
// appended one starts again, because its place has changed. Only the running thread can be in it:
// others were asked when they left.
static u64 begin_anew(const struct dispatcher *dispatcher)
{
    u64 told = dispatcher->page->records_used;

    if (dispatcher->thread == percpu()->current) {
        struct frame *frame = user_frame(dispatcher);
        frame->pc = user_rollback(&dispatcher->process->image, frame->pc);
    }
    if (told != 0)
        dispatcher->page->records_used = 0;
    return told % DISPATCHER_RECORD == 0 && told <= DISPATCHER_RECORDS_BYTES
               ? told / DISPATCHER_RECORD
               : 0;
}

// Copies the valid records: of kinds that a process may tell, and of a time when somebody wanted
// them. Times in the future become now. Returns how many. A process cannot set id and losses.
static u64 copy(const struct monitor_tracks *tracks, const struct dispatcher *dispatcher, u64 now,
                struct sys_monitor_record *to)
{
    const volatile struct library_record *from = dispatcher->page->records;
    const volatile struct library_record *end = from + begin_anew(dispatcher);
    u64 since = tracks->library_since, count = 0;

    for (; from < end; from++) {
        u64 time = from->time, what = from->what, kind = what >> 24 & 0xff;
        if (time < since || kind >= SYS_MONITOR_KINDS_MAX || (SYS_MONITOR_LIBRARY >> kind & 1) == 0)
            continue;
        to[count].time = time < now ? time : now;
        to[count].kind = (u8)kind;
        to[count].reason = (u8)(what >> 16);
        to[count].word[0] = from->word[0];
        to[count++].word[1] = from->word[1];
    }
    return count;
}

// Appends records to a ring. No time becomes less than that of the ring's last record.
static void give(const struct monitor_track *to, const struct sys_monitor_record *at, u64 count)
{
    struct monitor_ring *ring = to->ring;
    u64 last = monitor_ring_last(ring);
    u32 kinds = to->kinds, id = to->id;

    for (const struct sys_monitor_record *end = at + count; at < end; at++) {
        if ((kinds >> at->kind & 1) == 0)
            continue;
        last = at->time > last ? at->time : last;
        monitor_ring_append(ring, id, monitor_what(at->kind, at->reason, 0), last, at->word[0],
                            at->word[1]);
    }
}

void monitors_library_take(struct monitor_tracks *tracks, u64 now)
{
    const struct dispatcher *dispatcher = tracks->library.ring != NULL ? teller(tracks) : NULL;
    struct sys_monitor_record records[ROOM];

    if (dispatcher == NULL)
        return;
    u64 count = copy(tracks, dispatcher, now, records);
    for (u32 i = 0; i < tracks->count && count != 0; i++)
        give(&tracks->list[i], records, count);
}

void monitors_library_take_here(void *unused)
{
    (void)unused;
    if (percpu()->current->tracks != NULL)
        monitors_library_take(percpu()->current->tracks, timebase());
}

static void dispatcher_ends(void)
{
    monitors_library_take_here(NULL);
}
HANDLES_ALWAYS(dispatcher_ends, 1, dispatcher_ends);

static void take_first(struct monitor_ring *ring, u64 time)
{
    monitors_library_take(container_of(ring, struct monitor_tracks, library_ring), time);
}

void monitors_library_learns(struct monitor_tracks *tracks)
{
    const struct dispatcher *dispatcher = teller(tracks);
    u32 wanted = 0;

    if (dispatcher == NULL)
        return;
    for (u32 i = 0; i < tracks->count; i++) {
        if (tracks->list[i].ring->running)
            wanted |= tracks->list[i].kinds & SYS_MONITOR_LIBRARY;
    }
    dispatcher->page->monitored = wanted;
    if ((wanted != 0) == (tracks->library.ring != NULL))
        return;
    begin_anew(dispatcher); // earlier records were told to nobody
    tracks->library_since = timebase();
    tracks->library_ring.running = true;
    tracks->library_ring.instead = take_first;
    tracks->library_ring.pending = &dispatcher->page->records_used;
    monitor_tracks_ask(tracks, wanted != 0);
}

s64 sys_monitor_tell(u32 kind, u32 reason, u64 word0, u64 word1)
{
    if (kind >= SYS_MONITOR_KINDS_MAX || (SYS_MONITOR_LIBRARY >> kind & 1) == 0 ||
        reason > REASON_MAX)
        return E_INVAL;
    monitors_event((u8)kind, (u8)reason, word0, word1);
    return 0;
}
