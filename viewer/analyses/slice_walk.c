// SPDX-License-Identifier: MIT
// Slices from activities.
#include "analyses/slice_walk.h"
#include "tools/kov.h"

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

static int take_interval(void *context, const struct activity_interval *interval)
{
    struct slice_walk *walk = context;
    struct slice slice = {.from = interval->from > walk->from ? interval->from : walk->from,
                          .to = interval->to < walk->to ? interval->to : walk->to,
                          .thread = interval->thread,
                          .pid = interval->pid,
                          .detail = (u32)interval->detail,
                          .count = 1,
                          .cpu = (u8)interval->cpu,
                          .kind = (u8)interval->activity};
    if (slice.from >= slice.to)
        return KOV_OK;
    slice.ticks = slice.longest = slice.to - slice.from;
    if (slice.pid == ACTIVITY_NO_PID && walk->kernel[interval->cpu])
        slice.pid = 0;
    if (interval->activity == ACTIVITY_UNKNOWN)
        slice.detail = why_unknown(walk, interval);
    slices_add(walk->into, &slice);
    return KOV_OK;
}

// The thread may have ended by the time that its last interval is told.
static void note_kernel(struct slice_walk *walk, u32 cpu)
{
    walk->kernel[cpu] = activity_is_kernel(&walk->machine, walk->machine.cpus[cpu].thread);
}

static int take_event(void *context, const struct trace_event *event)
{
    struct slice_walk *walk = context;
    struct visitor activity = activity_visitor(&walk->machine);
    int code = activity.event(activity.context, event);
    if (walk->machine.cpus[event->cpu].from == event->time)
        note_kernel(walk, event->cpu);
    return code;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct slice_walk *walk = context;
    struct visitor activity = activity_visitor(&walk->machine);
    if (loss->pid != 0 || loss->from < walk->knows)
        return KOV_OK;
    int code = activity.loss(activity.context, loss);
    walk->lost_at[loss->cpu] = walk->machine.cpus[loss->cpu].from;
    note_kernel(walk, loss->cpu);
    return code;
}

void slice_walk_begin(struct slice_walk *walk, struct engine *engine, u64 from)
{
    walk->machine = (struct activity_machine){.interval = take_interval, .context = walk};
    walk->knows = 0;
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
    walk->knows = time + 1;
}

struct visitor slice_walk_visitor(struct slice_walk *walk)
{
    return (struct visitor){take_event, take_loss, walk};
}

int slice_walk_end(struct slice_walk *walk)
{
    int code = activity_end(&walk->machine, walk->to);
    slices_end(walk->into);
    return code;
}
