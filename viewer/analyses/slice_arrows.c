// SPDX-License-Identifier: MIT
// Visits a part of the trace again, from the checkpoint before the slice until its arrows have
// ended.
#include "analyses/slice_arrows.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <stdlib.h>

#define ARROW_EVENTS_MOST 4000000 // visited for one answer
#define COUNT_EVERY 256           // events between two counts of what is still open

struct search {
    struct slice_arrows *into;
    struct slice_walk walk; // of no slices: for its activity
    struct arrows arrows;
    u64 events;
    bool is_behind; // the slice
    bool is_over;   // before the trace's end
};

static bool is_its(const struct slice_arrows *of, const struct arrow_end *end)
{
    return of->of_cpu ? end->cpu == of->number : end->thread == of->number;
}

static bool is_in(const struct slice_arrows *of, const struct arrow_end *end)
{
    return of->from <= end->time && end->time < of->to && is_its(of, end);
}

// A thread is blocked until it is woken, and until its call is answered.
static bool touches(const struct slice_arrows *of, u64 time)
{
    return !of->of_cpu && of->from <= time && time <= of->to;
}

static bool is_wanted(const struct slice_arrows *of, const struct arrow *arrow)
{
    if (is_in(of, &arrow->from) || is_in(of, &arrow->to))
        return true;
    return arrow->kind == ARROW_WAKE ? is_its(of, &arrow->to) && touches(of, arrow->from.time)
                                     : is_its(of, &arrow->from) && touches(of, arrow->to.time);
}

static void take_arrow(void *context, const struct arrow *arrow)
{
    struct slice_arrows *into = ((struct search *)context)->into;
    if (!is_wanted(into, arrow))
        return;
    if (into->count == SLICE_ARROWS_MAX)
        into->more = true;
    else
        into->arrows[into->count++] = *arrow;
}

static u32 count_open(const struct search *search)
{
    const struct slice_arrows *of = search->into;
    const struct arrow_marks *woken = &search->arrows.woken, *calls = &search->arrows.calls;
    u32 open = 0;
    for (size_t i = 0; i < woken->count; i++) {
        const struct arrow_mark *mark = &woken->marks[i];
        bool wakes_it = mark->id == of->number && touches(of, mark->from.time);
        open += is_in(of, &mark->from) || wakes_it;
    }
    for (size_t i = 0; i < calls->count; i++)
        open += is_in(of, &calls->marks[i].from);
    return open;
}

// Returns whether nothing more can come.
static bool is_enough(struct search *search, u64 now)
{
    struct slice_arrows *into = search->into;
    if (into->more || search->events == ARROW_EVENTS_MOST)
        return true;
    if (now <= into->to)
        return false;
    bool first = !search->is_behind;
    search->is_behind = true;
    return (first || search->events % COUNT_EVERY == 0) && count_open(search) == 0;
}

static int take_event(void *context, const struct trace_event *event)
{
    struct search *search = context;
    struct visitor walk = slice_walk_visitor(&search->walk);
    search->into->searched = event->time; // the events before it are known
    search->is_over = is_enough(search, event->time);
    if (search->is_over)
        return VISIT_ENOUGH;
    search->events++;
    int code = walk.event(walk.context, event);
    arrows_event(&search->arrows, &search->walk.machine, event);
    return code;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct search *search = context;
    struct visitor walk = slice_walk_visitor(&search->walk);
    if (loss->from < search->walk.knows)
        return KOV_OK; // the checkpoint has it
    int code = walk.loss(walk.context, loss);
    arrows_loss(&search->arrows, &search->walk.machine, loss);
    return code;
}

static int visit(struct timeline *timeline, struct search *search)
{
    struct slice_arrows *into = search->into;
    struct visitor visitor = {take_event, take_loss, search};
    u64 time = timeline_resume(timeline, into->from, &search->walk, &search->arrows);
    search->arrows.draw = take_arrow;
    search->arrows.context = search;
    into->searched = time;
    engine_seek(&timeline->engine, time);
    int code = engine_visit(&timeline->engine, timeline->end, &visitor);
    if (!search->is_over)
        into->searched = timeline->end;
    into->open = count_open(search);
    into->forgotten = search->arrows.woken.forgotten + search->arrows.calls.forgotten;
    slice_walk_free(&search->walk);
    arrows_free(&search->arrows);
    return code;
}

int slice_arrows_find(struct timeline *timeline, struct slice_arrows *into)
{
    struct search *search = memory_get(sizeof(*search));
    *search = (struct search){.into = into};
    into->count = 0;
    into->more = false;
    int code = visit(timeline, search);
    if (code == KOV_OK && search->is_over && !search->is_behind && !into->more)
        code = fail(KOV_USAGE,
                    "more than %d events lie between a known state and the end of this slice: "
                    "choose a shorter one",
                    ARROW_EVENTS_MOST);
    free(search);
    return code;
}
