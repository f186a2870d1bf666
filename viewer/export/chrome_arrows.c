// SPDX-License-Identifier: MIT
// Arrows from one track to another. Both ends are written when the second one comes, so every arrow
// leads somewhere. Readers sort by time.
#include "export/chrome.h"

// Notes where an arrow begins. A second wake-up before the thread runs replaces the first one.
static void note(struct chrome *chrome, struct chrome_marks *marks, u64 id,
                 const struct trace_event *event)
{
    struct chrome_mark *mark = chrome_mark_get(marks, id);
    mark->time = event->time;
    mark->track = chrome_track_now(chrome, event->pid, event->cpu);
}

static bool runs(const struct chrome *chrome, u64 thread)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        if (chrome->running[cpu].thread == thread)
            return true;
    return false;
}

static void draw_call(struct chrome *chrome, const struct trace_event *event)
{
    struct chrome_mark *call = chrome_mark_find(&chrome->calls, event->values[0]);
    struct chrome_mark reply = {.time = event->time};
    if (call == NULL)
        return;
    reply.track = chrome_track_now(chrome, event->pid, event->cpu);
    chrome_write_arrow(chrome, "call", call, &reply);
    chrome_mark_remove(&chrome->calls, call);
}

void chrome_arrow_event(struct chrome *chrome, enum chrome_kind kind,
                        const struct trace_event *event)
{
    if (kind == CHROME_WAKE && !runs(chrome, event->values[0]))
        note(chrome, &chrome->woken, event->values[0], event);
    if (kind == CHROME_CALL)
        note(chrome, &chrome->calls, event->values[2], event);
    if (kind == CHROME_REPLY)
        draw_call(chrome, event);
}

struct chrome_wake chrome_take_wake(struct chrome *chrome, u64 thread)
{
    struct chrome_mark *mark = chrome_mark_find(&chrome->woken, thread);
    if (mark == NULL)
        return (struct chrome_wake){0};
    struct chrome_wake wake = {mark->time, mark->track};
    chrome_mark_remove(&chrome->woken, mark);
    return wake;
}

void chrome_draw_wake(struct chrome *chrome, const struct chrome_wake *wake,
                      struct chrome_track track, u64 time)
{
    struct chrome_mark from = {.time = wake->time, .track = wake->track};
    struct chrome_mark to = {.time = time, .track = track};
    if (wake->time != 0)
        chrome_write_arrow(chrome, "wake", &from, &to);
}
