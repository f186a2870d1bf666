// SPDX-License-Identifier: MIT
// The pass through a trace, and answers of slices.
#include "analyses/timeline.h"
#include "tools/kov.h"
#include "tools/memory.h"
#include "trace/arrange.h"

#include <orrery/lower_bound.h>

#include <stdlib.h>
#include <string.h>

#define INDEX_WIDTH 65536   // the index has this many of its shortest slices
#define ROWS_A_SLICE 8      // at most, for each of them: short ones of all kinds, and a long one
#define APART_FIRST 65536   // events between checkpoints
#define EVENTS_MOST 2000000 // visited for one answer
#define ARROWS_MOST 8192    // of each kind that have begun: a call whose answer was lost never ends
#define EVERYTHING                                                                                 \
    {                                                                                              \
        .to = UINT64_MAX, .cpu = TRACE_ANY, .pid = TRACE_ANY                                       \
    }

// ---- checkpoints -------------------------------------------------------------------------------

static void drop(struct timeline *timeline, size_t place)
{
    struct slice_walk *walk = &timeline->checkpoints[place].walk;
    struct arrows *arrows = &timeline->checkpoints[place].arrows;
    timeline->checkpoint_bytes -= slice_walk_bytes(walk) + arrows_bytes(arrows);
    slice_walk_free(walk);
    arrows_free(arrows);
}

// Drops every second one, so that later ones are as far apart as those that stay.
static void thin_out(struct timeline *timeline)
{
    size_t kept = 0;
    for (size_t i = 0; i < timeline->checkpoint_count; i++) {
        if (i % 2 == 1) {
            drop(timeline, i);
            continue;
        }
        timeline->checkpoints[kept++] = timeline->checkpoints[i];
    }
    timeline->checkpoint_count = kept;
    timeline->apart *= 2;
}

static void add_checkpoint(struct timeline *timeline, u64 time)
{
    if (timeline->checkpoint_count == CHECKPOINTS_MAX ||
        (timeline->checkpoint_count > 1 && timeline->checkpoint_bytes > timeline->bytes_most / 4))
        thin_out(timeline);
    timeline->checkpoints =
        memory_grow(timeline->checkpoints, timeline->checkpoint_count,
                    &timeline->checkpoint_capacity, sizeof(*timeline->checkpoints));
    struct timeline_checkpoint *added = &timeline->checkpoints[timeline->checkpoint_count++];
    added->time = time;
    slice_walk_copy(&added->walk, &timeline->walk, time);
    arrows_copy(&added->arrows, &timeline->arrows);
    timeline->checkpoint_bytes += slice_walk_bytes(&added->walk) + arrows_bytes(&added->arrows);
    timeline->since = 0;
}

// ---- the pass ----------------------------------------------------------------------------------

// Makes the threads' index so coarse that it has room for a while. A thread has a few rows however
// coarse it is. If those alone are too many, there is room for more, or the index would be gone
// through again for each event.
static void coarsen_threads(struct timeline *timeline)
{
    struct slices *index = &timeline->thread_index;
    size_t enough = timeline->thread_rows_most / 4 * 3;
    while (index->count > enough && index->shortest <= (timeline->end - timeline->begin) / 2)
        slices_coarsen(index);
    if (index->count > enough)
        timeline->thread_rows_most = 2 * index->count;
}

static int take_event(void *context, const struct trace_event *event)
{
    struct timeline *timeline = context;
    struct visitor walk = slice_walk_visitor(&timeline->walk);
    bool first_of_time = event->time > timeline->last;
    timeline->events++;
    if (++timeline->since > timeline->apart && first_of_time)
        add_checkpoint(timeline, event->time);
    timeline->last = event->time;
    labels_learn(&timeline->labels, event);
    struct visitor knows = trace_walk_visitor(&timeline->knows);
    knows.event(knows.context, event);
    int code = walk.event(walk.context, event);
    arrows_event(&timeline->arrows, &timeline->walk.machine, event);
    if (timeline->thread_index.count > timeline->thread_rows_most)
        coarsen_threads(timeline);
    return code == KOV_OK && --timeline->portion == 0 ? VISIT_ENOUGH : code;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct timeline *timeline = context;
    struct visitor walk = slice_walk_visitor(&timeline->walk);
    if (loss->pid == 0) {
        timeline->losses = memory_grow(timeline->losses, timeline->loss_count,
                                       &timeline->loss_capacity, sizeof(*timeline->losses));
        struct trace_loss *kept = &timeline->losses[timeline->loss_count++];
        *kept = *loss;
        kept->from = loss->from > timeline->begin ? loss->from : timeline->begin;
        kept->to = loss->to > kept->from ? loss->to : kept->from;
    }
    struct visitor knows = trace_walk_visitor(&timeline->knows);
    knows.loss(knows.context, loss);
    int code = walk.loss(walk.context, loss);
    arrows_loss(&timeline->arrows, &timeline->walk.machine, loss);
    return code;
}

static u64 index_shortest(const struct timeline *timeline)
{
    u64 cpus = (u64)__builtin_popcount(timeline->engine.cpus | 1);
    u64 width = timeline->bytes_most / 2 / (cpus * ROWS_A_SLICE * sizeof(struct slice));
    width = width < INDEX_WIDTH ? width : INDEX_WIDTH;
    return 1 + (timeline->end - timeline->begin) / (width + 1);
}

int timeline_open(struct timeline *timeline, const char *folder, size_t bytes_most)
{
    *timeline = (struct timeline){.bytes_most = bytes_most, .apart = APART_FIRST};
    int code = engine_open_folder(&timeline->engine, folder);
    if (code == KOV_OK && !engine_range(&timeline->engine, &timeline->begin, &timeline->end))
        code = fail(KOV_FAILED, "%s: the trace has no packets", folder);
    if (code == KOV_OK)
        code = recorded_read(&timeline->engine, 0);
    if (code != KOV_OK)
        return code;
    engine_tell_unknown(&timeline->engine);
    slices_begin(&timeline->index, index_shortest(timeline), SIZE_MAX);
    slices_begin(&timeline->thread_index, timeline->index.shortest, SIZE_MAX);
    timeline->thread_rows_most = bytes_most / 8 / sizeof(struct slice);
    timeline->walk.into = &timeline->index;
    timeline->walk.threads = &timeline->thread_index;
    timeline->walk.from = timeline->begin;
    timeline->walk.to = timeline->walk.end = timeline->end;
    timeline->everything = (struct trace_choice)EVERYTHING;
    timeline->knows.choice = &timeline->everything;
    trace_walk_begin(&timeline->knows, &timeline->engine);
    slice_walk_begin(&timeline->walk, &timeline->engine, timeline->begin);
    arrows_begin(&timeline->arrows, &timeline->walk.machine);
    timeline->arrows.users.most = timeline->arrows.woken.most = timeline->arrows.calls.most =
        ARROWS_MOST;
    code = labels_begin(&timeline->labels, &timeline->engine, 0);
    engine_seek(&timeline->engine, 0);
    add_checkpoint(timeline, 0);
    return code;
}

// Takes what is known in the end: of which process each thread was.
static void take_threads(struct timeline *timeline)
{
    const struct thread_states *states = &timeline->walk.states;
    timeline->thread_count = states->threads.count;
    timeline->threads = memory_get((states->threads.count + 1) * sizeof(*timeline->threads));
    for (size_t i = 0; i < states->threads.count; i++) {
        const struct thread_status *status = id_rows_at(&states->threads, i);
        timeline->threads[status->track] =
            (struct timeline_thread){.id = status->row.id,
                                     .pid = trace_walk_pid(&timeline->knows, status->row.id),
                                     .idle = status->idle};
    }
}

// Adds up what each thread did in all of the trace.
static void add_up_threads(struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->thread_index.count; i++) {
        const struct slice *row = &timeline->thread_index.rows[i];
        timeline->threads[row->track].ticks[thread_kind_time(row->kind)] += row->ticks;
    }
}

int timeline_read(struct timeline *timeline, u64 events)
{
    struct visitor visitor = {take_event, take_loss, timeline};
    timeline->portion = events;
    int code = engine_visit(&timeline->engine, UINT64_MAX, &visitor);
    if (code != KOV_OK || timeline->engine.heap_count > 0)
        return code;
    timeline->is_whole = true;
    take_threads(timeline);
    code = slice_walk_end(&timeline->walk);
    add_up_threads(timeline);
    slices_sort(&timeline->thread_index);
    trace_walk_free(&timeline->knows);
    arrows_free(&timeline->arrows);
    return code;
}

double timeline_part(const struct timeline *timeline)
{
    if (timeline->is_whole || timeline->last <= timeline->begin)
        return timeline->is_whole ? 1 : 0;
    return (double)(timeline->last - timeline->begin) /
           (double)(timeline->end - timeline->begin + 1);
}

// ---- answers -----------------------------------------------------------------------------------

// Takes rows of the index. A slice is cut; a group stays whole, as nobody knows what is where in
// it.
static void answer_from_index(const struct slices *index, u64 from, u64 to, struct slices *into)
{
    for (size_t i = 0; i < index->count && !into->is_full; i++) {
        struct slice row = index->rows[i];
        if (row.to <= from || row.from >= to)
            continue;
        if (row.count == 1 && row.ticks == row.to - row.from) {
            row.from = row.from > from ? row.from : from;
            row.to = row.to < to ? row.to : to;
            row.ticks = row.longest = row.to - row.from;
        }
        slices_add(into, &row);
    }
    slices_end(into);
}

struct answer {
    struct slice_walk walk;
    u64 events;
};

static int visit_event(void *context, const struct trace_event *event)
{
    struct answer *answer = context;
    struct visitor walk = slice_walk_visitor(&answer->walk);
    int code = walk.event(walk.context, event);
    const struct slice_walk *walk_of = &answer->walk;
    const struct slices *into = walk_of->into != NULL ? walk_of->into : walk_of->threads;
    bool enough = ++answer->events == EVENTS_MOST || into->is_full;
    return code == KOV_OK && enough ? VISIT_ENOUGH : code;
}

static int visit_loss(void *context, const struct trace_loss *loss)
{
    struct answer *answer = context;
    struct visitor walk = slice_walk_visitor(&answer->walk);
    return walk.loss(walk.context, loss);
}

static const struct timeline_checkpoint *checkpoint_before(const struct timeline *timeline,
                                                           u64 time)
{
    const struct timeline_checkpoint *all = timeline->checkpoints;
    size_t behind = LOWER_BOUND(at, timeline->checkpoint_count, all[at].time <= time);
    return &all[behind > 0 ? behind - 1 : 0];
}

// Returns the time from which a visit with the copy goes on.
static u64 copy_walk(const struct timeline_checkpoint *checkpoint, struct slice_walk *walk)
{
    slice_walk_copy(walk, &checkpoint->walk, checkpoint->time);
    if (checkpoint->time == 0)
        walk->knows = 0; // nothing was visited before
    return checkpoint->time;
}

u64 timeline_resume(const struct timeline *timeline, u64 from, struct slice_walk *walk,
                    struct arrows *arrows)
{
    const struct timeline_checkpoint *checkpoint = checkpoint_before(timeline, from);
    arrows_copy(arrows, &checkpoint->arrows);
    u64 time = copy_walk(checkpoint, walk);
    walk->into = walk->threads = NULL;
    return time;
}

// What is to be answered: of CPUs, or of threads.
struct wanted {
    u64 from, to;
    bool threads;
};

static const struct slices *index_of(const struct timeline *timeline, const struct wanted *wanted)
{
    return wanted->threads ? &timeline->thread_index : &timeline->index;
}

// Begins an answer where a checkpoint is.
static struct answer *begin_answer(const struct timeline *timeline, const struct wanted *wanted,
                                   struct slices *into, u64 *time)
{
    struct answer *answer = memory_get(sizeof(*answer));
    *answer = (struct answer){0};
    *time = copy_walk(checkpoint_before(timeline, wanted->from), &answer->walk);
    answer->walk.from = wanted->from;
    answer->walk.to = wanted->to;
    answer->walk.into = wanted->threads ? NULL : into;
    answer->walk.threads = wanted->threads ? into : NULL;
    answer->walk.known = &timeline->thread_index;
    return answer;
}

// Visits the trace again. *enough: not all of it, since there are too many events. What comes after
// its end tells what threads were in, unless that lasts so long that the index has it.
static int answer_from_trace(struct timeline *timeline, const struct wanted *wanted,
                             struct slices *into, bool *enough)
{
    u64 time, until = wanted->to, rest = timeline->end - wanted->to;
    struct answer *answer = begin_answer(timeline, wanted, into, &time);
    struct visitor visitor = {visit_event, visit_loss, answer};
    if (wanted->threads)
        until += rest < timeline->thread_index.shortest ? rest : timeline->thread_index.shortest;
    engine_seek(&timeline->engine, time);
    int code = engine_visit(&timeline->engine, until, &visitor);
    *enough = answer->events == EVENTS_MOST;
    bool stops = wanted->threads && until < timeline->end;
    int ended = stops ? slice_walk_stop(&answer->walk, until) : slice_walk_end(&answer->walk);
    free(answer);
    return code == KOV_OK ? ended : code;
}

static int answer_once(struct timeline *timeline, const struct wanted *wanted, u64 shortest,
                       size_t most, struct slices *into)
{
    const struct slices *index = index_of(timeline, wanted);
    bool too_many = false;
    slices_begin(into, shortest, most);
    int code = KOV_OK;
    if (shortest < index->shortest)
        code = answer_from_trace(timeline, wanted, into, &too_many);
    if (code != KOV_OK || (shortest < index->shortest && !too_many))
        return code;
    slices_begin(into, shortest, most);
    answer_from_index(index, wanted->from, wanted->to, into);
    return code;
}

static int answer(struct timeline *timeline, struct wanted *wanted, u32 width, size_t most,
                  struct slices *into)
{
    wanted->from = wanted->from > timeline->begin ? wanted->from : timeline->begin;
    wanted->to = wanted->to < timeline->end ? wanted->to : timeline->end;
    slices_begin(into, 1, most);
    if (wanted->from >= wanted->to)
        return KOV_OK;
    u64 time = wanted->to - wanted->from, shortest = 1 + time / (width == 0 ? 1 : width);
    int code = answer_once(timeline, wanted, shortest, most, into);
    // Groups of the index stick out, by less than two of them on each side. So this ends: all of
    // the time is one group.
    u64 widest = time + 4 * index_of(timeline, wanted)->shortest;
    while (code == KOV_OK && into->is_full && shortest < widest && shortest <= UINT64_MAX / 2)
        code = answer_once(timeline, wanted, shortest *= 2, most, into);
    return code;
}

int timeline_slices(struct timeline *timeline, u64 from, u64 to, u32 width, size_t most,
                    struct slices *into)
{
    struct wanted wanted = {from, to, false};
    return answer(timeline, &wanted, width, most, into);
}

int timeline_thread_slices(struct timeline *timeline, u64 from, u64 to, u32 width, size_t most,
                           const u8 *how, struct slices *into)
{
    struct wanted wanted = {from, to, true};
    into->how = how;
    into->hows = timeline->thread_count;
    return answer(timeline, &wanted, width, most, into);
}

void timeline_close(struct timeline *timeline)
{
    if (!timeline->is_whole) {
        slice_walk_free(&timeline->walk);
        trace_walk_free(&timeline->knows);
        arrows_free(&timeline->arrows);
    }
    while (timeline->checkpoint_count > 0)
        drop(timeline, --timeline->checkpoint_count);
    free(timeline->checkpoints);
    slices_free(&timeline->index);
    slices_free(&timeline->thread_index);
    free(timeline->threads);
    labels_free(&timeline->labels);
    free(timeline->losses);
    engine_close(&timeline->engine);
    *timeline = (struct timeline){0};
}
