// SPDX-License-Identifier: MIT
// Slices from activities.
#include "analyses/slice_walk.h"
#include "tools/kov.h"

#include <orrery/lower_bound.h>
#include <trace/reasons.h>

static enum unknown_why why_unknown(const struct slice_walk *walk,
                                    const struct activity_interval *interval)
{
    const struct activity_machine *machine = &walk->machine;
    if (interval->from >= machine->known[interval->cpu])
        return WHY_END;
    if (interval->from == walk->lost_at[interval->cpu])
        return WHY_LOST;
    if (activity_leaves_out(machine, interval->pid))
        return WHY_LEFT_OUT;
    bool unnamed = interval->thread == ACTIVITY_NO_THREAD;
    u64 needed = machine->switches | (unnamed ? 0 : machine->needed[ACTIVITY_RUN]);
    if ((needed & ~machine->enabled) != 0)
        return WHY_NOT_RECORDED;
    return unnamed ? WHY_NO_SWITCH : WHY_UNTOLD;
}

// ---- CPUs --------------------------------------------------------------------------------------

static void add_slice(struct slice_walk *walk, const struct activity_interval *interval)
{
    struct slice slice = {.from = interval->from > walk->from ? interval->from : walk->from,
                          .to = interval->to < walk->to ? interval->to : walk->to,
                          .thread = interval->thread,
                          .pid = interval->pid,
                          .by = SLICE_NOBODY,
                          .detail = (u32)interval->detail,
                          .count = 1,
                          .track = interval->cpu,
                          .cpu = (u8)interval->cpu,
                          .kind = (u8)interval->activity};
    if (slice.from >= slice.to)
        return;
    slice.ticks = slice.longest = slice.to - slice.from;
    if (slice.pid == ACTIVITY_NO_PID && walk->kernel[interval->cpu])
        slice.pid = 0;
    if (interval->activity == ACTIVITY_UNKNOWN)
        slice.detail = why_unknown(walk, interval);
    slices_add(walk->into, &slice);
}

static int take_interval(void *context, const struct activity_interval *interval)
{
    struct slice_walk *walk = context;
    if (walk->threads != NULL)
        thread_states_activity(&walk->states, &walk->machine, interval);
    if (walk->into != NULL)
        add_slice(walk, interval);
    return KOV_OK;
}

// ---- threads -----------------------------------------------------------------------------------

static enum thread_kind kind_of(const struct slice_walk *walk,
                                const struct thread_interval *interval)
{
    if (interval->on != THREAD_RUN)
        return interval->on == THREAD_READY     ? THREAD_KIND_READY
               : interval->on == THREAD_BLOCKED ? THREAD_KIND_BLOCKED
                                                : THREAD_KIND_UNKNOWN;
    if (interval->activity == ACTIVITY_UNKNOWN)
        return THREAD_KIND_RUN;
    bool own_code = interval->activity == ACTIVITY_RUN && !walk->kernel[interval->cpu];
    return own_code ? THREAD_KIND_USER : THREAD_KIND_KERNEL;
}

static void take_state(void *context, const struct thread_interval *interval)
{
    struct slice_walk *walk = context;
    struct slice slice = {.from = interval->from > walk->from ? interval->from : walk->from,
                          .to = interval->to < walk->to ? interval->to : walk->to,
                          .thread = interval->thread,
                          .pid = ACTIVITY_NO_PID,
                          .by = SLICE_NOBODY,
                          .detail = (u32)interval->detail,
                          .count = 1,
                          .track = interval->track,
                          .cpu = (u8)interval->cpu,
                          .kind = (u8)kind_of(walk, interval),
                          .activity = (u8)interval->activity};
    bool woken = interval->woken_for != REASON_UNKNOWN;
    if (walk->threads == NULL || slice.from >= slice.to)
        return;
    slice.ticks = slice.longest = slice.to - slice.from;
    if (interval->on == THREAD_UNKNOWN)
        slice.detail = interval->why;
    else if (interval->on != THREAD_RUN)
        slice.detail = (u32)(woken ? interval->woken_for : interval->reason);
    if (woken)
        slice.by = interval->woken_by;
    slices_add(walk->threads, &slice);
}

// What a major would tell is missing from here on, on each CPU.
static void lose_majors(struct slice_walk *walk, u64 time)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        const struct trace_loss loss = {.from = time, .to = walk->end, .cpu = cpu};
        if ((walk->machine.told >> cpu & 1) != 0)
            thread_states_loss(&walk->states, &loss, true);
    }
}

// ---- the visit ---------------------------------------------------------------------------------

// The thread may have ended by the time that its last interval is told.
static void note_kernel(struct slice_walk *walk, u32 cpu)
{
    walk->kernel[cpu] = activity_is_kernel(&walk->machine, walk->machine.cpus[cpu].thread);
}

static int take_event(void *context, const struct trace_event *event)
{
    struct slice_walk *walk = context;
    struct visitor activity = activity_visitor(&walk->machine);
    const struct activity_interval before = walk->machine.cpus[event->cpu];
    u64 majors = walk->machine.enabled;
    int code = activity.event(activity.context, event);
    if (walk->machine.cpus[event->cpu].from == event->time)
        note_kernel(walk, event->cpu);
    if (walk->threads == NULL)
        return code;
    if ((majors & ~walk->machine.enabled) != 0 && !walk->machine.beginning)
        lose_majors(walk, event->time);
    thread_states_event(&walk->states, event, &before);
    return code;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct slice_walk *walk = context;
    struct visitor activity = activity_visitor(&walk->machine);
    if (loss->pid != 0 || loss->from < walk->knows)
        return KOV_OK;
    int code = activity.loss(activity.context, loss);
    if (walk->threads != NULL)
        thread_states_loss(&walk->states, loss, false);
    walk->lost_at[loss->cpu] = walk->machine.cpus[loss->cpu].from;
    note_kernel(walk, loss->cpu);
    return code;
}

void slice_walk_begin(struct slice_walk *walk, struct engine *engine, u64 from)
{
    walk->machine = (struct activity_machine){.interval = take_interval, .context = walk};
    walk->states =
        (struct thread_states){.ended = take_state, .divides_runs = true, .context = walk};
    walk->knows = 0;
    thread_states_begin(&walk->states, from);
    activity_begin(&walk->machine, engine, from);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        walk->kernel[cpu] = false;
        walk->lost_at[cpu] = UINT64_MAX;
    }
}

void slice_walk_copy(struct slice_walk *walk, const struct slice_walk *from, u64 time)
{
    *walk = *from;
    activity_copy(&walk->machine, &from->machine);
    walk->machine.context = walk;
    thread_states_copy(&walk->states, &from->states);
    walk->states.context = walk;
    walk->knows = time + 1;
}

struct visitor slice_walk_visitor(struct slice_walk *walk)
{
    return (struct visitor){take_event, take_loss, walk};
}

static void end_slices(struct slice_walk *walk)
{
    if (walk->into != NULL)
        slices_end(walk->into);
    if (walk->threads != NULL)
        slices_end(walk->threads);
    thread_states_free(&walk->states);
}

int slice_walk_end(struct slice_walk *walk)
{
    int code = activity_end(&walk->machine, walk->threads != NULL ? walk->end : walk->to);
    if (walk->threads != NULL)
        thread_states_end(&walk->states, &walk->machine, walk->end);
    end_slices(walk);
    return code;
}

static bool ends_by(const struct slice *row, u32 track, u64 time)
{
    return row->track < track || (row->track == track && row->to <= time);
}

// Returns the first known slice of a track that ends behind `time`, or NULL.
static const struct slice *find_known(const struct slices *known, u32 track, u64 time)
{
    const struct slice *rows = known->rows;
    size_t place = LOWER_BOUND(at, known->count, ends_by(&rows[at], track, time));
    return place < known->count && rows[place].track == track ? &rows[place] : NULL;
}

// Returns whether a thread's state was unknown before, too, for another reason.
static bool goes_on(const struct slice *before, const struct slice *row)
{
    return before->track == row->track && before->kind == THREAD_KIND_UNKNOWN &&
           before->ticks == before->to - before->from && before->to == row->from;
}

// What a thread did at walk->to and goes on with now was longer than what the known slices join.
static bool find_state(void *context, const struct thread_status *thread,
                       struct thread_interval *interval)
{
    const struct slice_walk *walk = context;
    const struct slice *row = find_known(walk->known, thread->track, walk->to - 1);
    if (row == NULL || row->ticks != row->to - row->from || row->from >= walk->to)
        return false;
    while (row->kind == THREAD_KIND_UNKNOWN && row > walk->known->rows && goes_on(row - 1, row))
        row--;
    interval->on = thread_kind_time(row->kind);
    interval->from = row->from;
    if (row->kind == THREAD_KIND_UNKNOWN)
        interval->why = (enum thread_why)row->detail;
    return true;
}

// Tells of threads of which no event has told by now. Those that were there all the same were
// unknown from the trace's begin on.
static void add_unreported(struct slice_walk *walk)
{
    const struct slices *known = walk->known;
    u32 tracks = known->count > 0 ? known->rows[known->count - 1].track + 1 : 0;
    for (u32 track = (u32)walk->states.threads.count; track < tracks; track++) {
        const struct slice *row = find_known(known, track, walk->to - 1);
        if (row == NULL || row->kind != THREAD_KIND_UNKNOWN || row->from >= walk->to)
            continue;
        struct slice slice = *row;
        slice.from = row->from > walk->from ? row->from : walk->from;
        slice.to = walk->to;
        slice.ticks = slice.longest = slice.to - slice.from;
        slices_add(walk->threads, &slice);
    }
}

int slice_walk_stop(struct slice_walk *walk, u64 now)
{
    int code = activity_end(&walk->machine, now);
    thread_states_stop(&walk->states, now, find_state);
    add_unreported(walk);
    end_slices(walk);
    return code;
}

size_t slice_walk_bytes(const struct slice_walk *walk)
{
    return activity_bytes(&walk->machine) + thread_states_bytes(&walk->states);
}

void slice_walk_free(struct slice_walk *walk)
{
    activity_free(&walk->machine);
    thread_states_free(&walk->states);
}
