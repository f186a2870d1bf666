// SPDX-License-Identifier: MIT
// Where arrows begin and end.
#include "analyses/arrows.h"
#include "tools/memory.h"

#include <orrery/lower_bound.h>
#include <trace/reasons.h>

#include <stdlib.h>
#include <string.h>

enum { WAKE_THREAD = 0, WAKE_BY = 3, CALL_CALL = 2, REPLY_CALL = 0 }; // fields (event_kinds.def)

// ---- marks -------------------------------------------------------------------------------------

static size_t place_of(const struct arrow_marks *marks, u64 id)
{
    return LOWER_BOUND(at, marks->count, marks->marks[at].id < id);
}

static struct arrow_mark *find(const struct arrow_marks *marks, u64 id)
{
    size_t place = place_of(marks, id);
    return place < marks->count && marks->marks[place].id == id ? &marks->marks[place] : NULL;
}

static void drop(struct arrow_marks *marks, struct arrow_mark *mark)
{
    size_t behind = marks->count - (size_t)(mark - marks->marks) - 1;
    memmove(mark, mark + 1, behind * sizeof(*mark));
    marks->count--;
}

// A trace with losses has calls whose reply never comes.
static void forget_earliest(struct arrow_marks *marks)
{
    struct arrow_mark *earliest = marks->marks;
    for (size_t i = 1; i < marks->count; i++)
        if (marks->marks[i].from.time < earliest->from.time)
            earliest = &marks->marks[i];
    drop(marks, earliest);
    marks->forgotten++;
}

// A later one with the same number replaces an earlier one.
static void put(struct arrow_marks *marks, u64 id, const struct arrow_end *from)
{
    struct arrow_mark *mark = find(marks, id);
    if (mark == NULL) {
        if (marks->most != 0 && marks->count == marks->most)
            forget_earliest(marks);
        size_t place = place_of(marks, id);
        marks->marks =
            memory_grow(marks->marks, marks->count, &marks->capacity, sizeof(*marks->marks));
        mark = &marks->marks[place];
        memmove(mark + 1, mark, (marks->count++ - place) * sizeof(*mark));
    }
    *mark = (struct arrow_mark){.id = id, .from = *from};
}

static void copy_marks(struct arrow_marks *to, const struct arrow_marks *from)
{
    *to = *from;
    to->capacity = from->count;
    to->marks = memory_get((from->count + 1) * sizeof(*to->marks));
    if (from->count > 0)
        memcpy(to->marks, from->marks, from->count * sizeof(*to->marks));
}

// ---- who is there ------------------------------------------------------------------------------

u64 arrows_user(const struct arrows *arrows, u64 pid, u32 cpu)
{
    const struct arrow_mark *mark = pid == 0 ? NULL : find(&arrows->users, pid << 8 | cpu);
    return mark == NULL ? 0 : mark->from.user;
}

void arrows_set_user(struct arrows *arrows, u64 pid, u32 cpu, u64 user)
{
    struct arrow_end there = {.user = user};
    put(&arrows->users, pid << 8 | cpu, &there);
}

struct arrow_end arrows_end_at(const struct arrows *arrows, u32 pid, u32 cpu, u64 time)
{
    const struct activity_interval *running = &arrows->running[cpu];
    struct arrow_end end = {.time = time,
                            .cpu = cpu,
                            .thread = running->thread,
                            .pid = running->pid,
                            .user = arrows_user(arrows, pid, cpu)};
    if (pid != 0 && running->pid != pid) {
        end.thread = ACTIVITY_NO_THREAD;
        end.pid = pid;
    }
    return end;
}

static bool runs(const struct arrows *arrows, u64 thread)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        if (arrows->running[cpu].thread == thread)
            return true;
    return false;
}

// ---- arrows ------------------------------------------------------------------------------------

static void tell(const struct arrows *arrows, const struct arrow *arrow)
{
    if (arrows->draw != NULL)
        arrows->draw(arrows->context, arrow);
}

static void note_reply(struct arrows *arrows, u64 id, const struct arrow_end *here)
{
    struct arrow_mark *call = find(&arrows->calls, id);
    if (call == NULL)
        return;
    struct arrow arrow = {ARROW_CALL, call->from, *here};
    drop(&arrows->calls, call);
    tell(arrows, &arrow);
}

// The fast path switches, and then tells of the call or the reply: who did it has left by then. Its
// end is the last tick of its run.
static struct arrow_end end_of_doer(const struct arrows *arrows,
                                    const struct activity_machine *machine,
                                    const struct trace_event *event)
{
    struct arrow_end end = arrows_end_at(arrows, event->pid, event->cpu, event->time);
    u64 doer = machine->doer, switched = arrows->running[event->cpu].from;
    bool told = machine->handovers[event->cpu].reason != REASON_UNKNOWN; // else it is a guess
    if (event->pid != 0 || !told || doer == ACTIVITY_NO_THREAD || doer == end.thread)
        return end;
    end.thread = doer;
    end.pid = activity_pid(machine, doer);
    end.time = switched > 0 ? switched - 1 : 0;
    return end;
}

void arrows_note(struct arrows *arrows, const struct activity_machine *machine,
                 const struct trace_event *event)
{
    enum event_kind kind = event_kind_of_any(event);
    const u64 *values = event->values;
    if (kind != EVENT_WAKE && kind != EVENT_IPC_CALL && kind != EVENT_IPC_REPLY)
        return;
    struct arrow_end here = end_of_doer(arrows, machine, event);
    if (kind == EVENT_WAKE && !runs(arrows, values[WAKE_THREAD])) {
        here.interrupt = event_tells(event, WAKE_BY) && values[WAKE_BY] == 0;
        put(&arrows->woken, values[WAKE_THREAD], &here);
    } else if (kind == EVENT_IPC_CALL) {
        put(&arrows->calls, values[CALL_CALL], &here);
    } else if (kind == EVENT_IPC_REPLY) {
        note_reply(arrows, values[REPLY_CALL], &here);
    }
}

bool arrows_take_wake(struct arrows *arrows, u64 thread, struct arrow_end *from)
{
    struct arrow_mark *mark = find(&arrows->woken, thread);
    if (mark == NULL)
        return false;
    *from = mark->from;
    drop(&arrows->woken, mark);
    return true;
}

// ---- the visit ---------------------------------------------------------------------------------

static void follow(struct arrows *arrows, const struct activity_machine *machine, u32 cpu)
{
    const struct activity_interval *now = &machine->cpus[cpu];
    struct activity_interval *running = &arrows->running[cpu];
    if (now->thread == running->thread && now->pid == running->pid)
        return;
    *running = *now;
    struct arrow arrow = {
        .kind = ARROW_WAKE,
        .to = {.time = now->from, .cpu = cpu, .thread = now->thread, .pid = now->pid}};
    if (now->thread != ACTIVITY_NO_THREAD && arrows_take_wake(arrows, now->thread, &arrow.from))
        tell(arrows, &arrow);
}

void arrows_begin(struct arrows *arrows, const struct activity_machine *machine)
{
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        arrows->running[cpu] = machine->cpus[cpu];
}

void arrows_event(struct arrows *arrows, const struct activity_machine *machine,
                  const struct trace_event *event)
{
    if (event->description == NULL)
        return;
    if (event->pid == 0)
        follow(arrows, machine, event->cpu);
    else if (event_kind_of_any(event) == EVENT_USER_SWITCH)
        arrows_set_user(arrows, event->pid, event->cpu, event->values[0]);
    arrows_note(arrows, machine, event);
}

void arrows_loss(struct arrows *arrows, const struct activity_machine *machine,
                 const struct trace_loss *loss)
{
    if (loss->pid == 0)
        follow(arrows, machine, loss->cpu);
    else
        arrows_set_user(arrows, loss->pid, loss->cpu, 0);
}

void arrows_copy(struct arrows *to, const struct arrows *from)
{
    *to = *from;
    copy_marks(&to->users, &from->users);
    copy_marks(&to->woken, &from->woken);
    copy_marks(&to->calls, &from->calls);
}

size_t arrows_bytes(const struct arrows *arrows)
{
    return sizeof(*arrows) + (arrows->users.count + arrows->woken.count + arrows->calls.count) *
                                 sizeof(struct arrow_mark);
}

void arrows_free(struct arrows *arrows)
{
    free(arrows->users.marks);
    free(arrows->woken.marks);
    free(arrows->calls.marks);
    arrows->users = arrows->woken = arrows->calls = (struct arrow_marks){0};
}
