// SPDX-License-Identifier: MIT
// Arrows from one track to another. Both ends are written when the second one comes, so every arrow
// leads somewhere. Readers sort by time.
#include "export/chrome.h"

static u64 field(const struct trace_event *event, u32 number)
{
    u64 values[TRACE_MAX_FIELDS] = {0};
    trace_event_fields(event, values);
    return values[number];
}

// Notes where an arrow begins. A second wake-up before the thread runs replaces the first one.
static void note(struct chrome *chrome, struct chrome_marks *marks, u64 id,
                 const struct trace_event *event)
{
    struct chrome_mark *mark = chrome_mark_get(marks, id);
    mark->time = event->time;
    mark->track = chrome_track_now(chrome, event->pid, event->cpu);
}

static void arrive(struct chrome *chrome, const char *name, struct chrome_marks *marks, u64 id,
                   struct chrome_track track, u64 time)
{
    struct chrome_mark *from = chrome_mark_find(marks, id);
    struct chrome_mark to = {.time = time, .track = track};
    if (from == NULL)
        return;
    chrome_write_arrow(chrome, name, from, &to);
    chrome_mark_remove(marks, from);
}

static bool runs(const struct chrome *chrome, u64 thread)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        if (chrome->running[cpu].thread == thread)
            return true;
    return false;
}

void chrome_arrow_event(struct chrome *chrome, enum chrome_kind kind,
                        const struct trace_event *event)
{
    if (kind == CHROME_WAKE && !runs(chrome, field(event, 0)))
        note(chrome, &chrome->woken, field(event, 0), event);
    if (kind == CHROME_CALL)
        note(chrome, &chrome->calls, field(event, 1), event);
    if (kind == CHROME_REPLY)
        arrive(chrome, "call", &chrome->calls, field(event, 0),
               chrome_track_now(chrome, event->pid, event->cpu), event->time);
}

void chrome_thread_runs(struct chrome *chrome, u64 thread, struct chrome_track track, u64 time)
{
    arrive(chrome, "wake", &chrome->woken, thread, track, time);
}
