// SPDX-License-Identifier: MIT
// Tells what threads do between switches. A switch says why its thread leaves the CPU. In an older
// trace it does not, and what comes next tells. A wake-up comes: the thread was blocked until then.
// The switch lies in an interrupt: the thread was preempted, and ready all the time. The idle
// thread runs, which it does only when nothing else is ready on the CPU: the thread was blocked,
// and a call handed it the CPU without a wake-up. If nothing tells, or if events are missing, the
// time is unknown.
#include "trace/thread_states.h"

#include <trace/reasons.h>

#define PRIORITY_IDLE 0 // kernel/thread.h

// ---- threads -----------------------------------------------------------------------------------

// Returns a thread, until the next one is added.
static struct thread_status *get_thread(struct thread_states *states, u64 id)
{
    size_t known = states->threads.count;
    struct thread_status *thread = id_rows_get(&states->threads, id);
    if (states->threads.count > known)
        thread->track = (u32)known;
    if (thread->since == 0)
        thread->since = states->begin;
    return thread;
}

// ---- where time goes ---------------------------------------------------------------------------

static struct thread_interval interval_of(const struct thread_status *thread, enum thread_time on,
                                          u64 until)
{
    bool woken = on == THREAD_READY && thread->state == STATE_OFF && thread->woken != 0;
    return (struct thread_interval){.thread = thread->row.id,
                                    .from = thread->since,
                                    .to = until,
                                    .on = on,
                                    .track = thread->track,
                                    .cpu = thread->cpu,
                                    .idle = thread->idle,
                                    .reason = thread->reason,
                                    .woken_by = woken ? thread->woken_by : 0,
                                    .woken_for = woken ? thread->woken_for : REASON_UNKNOWN};
}

static void spend_as(struct thread_states *states, struct thread_status *thread,
                     struct thread_interval *interval)
{
    if (interval->to <= thread->since)
        return;
    if (states->ended != NULL)
        states->ended(states->context, interval);
    thread->since = interval->to;
}

static void spend(struct thread_states *states, struct thread_status *thread, enum thread_time on,
                  u64 until)
{
    struct thread_interval interval = interval_of(thread, on, until);
    spend_as(states, thread, &interval);
}

static void wait(struct thread_states *states, struct thread_status *thread, enum thread_time on,
                 u64 until)
{
    struct thread_interval interval = interval_of(thread, on, until);
    interval.waits = thread->reason != REASON_UNKNOWN;
    spend_as(states, thread, &interval);
}

static void spend_unknown(struct thread_states *states, struct thread_status *thread,
                          enum thread_why why, u64 until)
{
    struct thread_interval interval = interval_of(thread, THREAD_UNKNOWN, until);
    interval.why = why;
    spend_as(states, thread, &interval);
}

// Decides what the thread did until then, while it did not run. Then it runs, or no more is known.
static void resolve_off(struct thread_states *states, struct thread_status *thread, u64 until)
{
    u64 idle_at = states->idle_at[thread->cpu];
    bool gave_way = thread->reason == REASON_PREEMPTED || thread->reason == REASON_YIELD;
    bool lost = states->lost_until >= thread->since;
    if (thread->idle) {
        spend(states, thread, THREAD_READY, until);
    } else if (thread->woken != 0) {
        wait(states, thread, THREAD_BLOCKED, thread->woken);
        spend(states, thread, THREAD_READY, until);
    } else if (thread->parked) {
        spend(states, thread, THREAD_BLOCKED, !lost ? until : thread->since);
    } else if (thread->preempted || gave_way) {
        wait(states, thread, THREAD_READY, until);
    } else if (thread->reason != REASON_UNKNOWN && !thread->unclear && !lost) {
        wait(states, thread, THREAD_BLOCKED, until);
    } else if (!thread->unclear && idle_at >= thread->since) {
        spend(states, thread, THREAD_BLOCKED, lost ? idle_at : until);
    }
    spend_unknown(states, thread, lost ? THREAD_LOST : THREAD_UNCLEAR, until);
}

static void resolve(struct thread_states *states, struct thread_status *thread, u64 until)
{
    if (thread->state == STATE_OFF)
        resolve_off(states, thread, until);
    else if (thread->state == STATE_RUNS)
        spend(states, thread, THREAD_RUN, until);
    else if (thread->state == STATE_UNKNOWN)
        spend_unknown(states, thread, thread->why, until);
}

static void set_state(struct thread_status *thread, enum thread_state state, u64 since)
{
    thread->state = state;
    thread->since = since;
    thread->woken = 0;
    thread->reason = REASON_UNKNOWN;
    thread->preempted = thread->parked = false;
}

// ---- events ------------------------------------------------------------------------------------

// Tells that `to` begins to run, if it was woken or was handed the CPU.
static void tell_turn(const struct thread_states *states, const struct thread_status *from,
                      const struct thread_status *to, u64 time)
{
    struct thread_turn turn = {.thread = to->row.id, .time = time};
    bool hands = from->reason == REASON_CALL || from->reason == REASON_REPLY;
    if (states->turn == NULL)
        return;
    if (to->state == STATE_OFF && to->woken != 0) {
        turn.since = to->woken;
        turn.by = to->woken_by;
        turn.reason = to->woken_for;
    } else if (hands) {
        turn.by = from->row.id;
        turn.reason = from->reason == REASON_CALL ? REASON_CALL : REASON_ANSWER;
    } else {
        return;
    }
    states->turn(states->context, &turn);
}

static void take_switch(struct thread_states *states, const struct trace_event *event,
                        const struct activity_interval *before)
{
    const u64 *values = event->values;
    get_thread(states, values[0]);
    get_thread(states, values[1]); // after it, the two stay where they are
    struct thread_status *from = get_thread(states, values[0]);
    struct thread_status *to = get_thread(states, values[1]);
    from->cpu = to->cpu = event->cpu;
    from->idle = values[2] == PRIORITY_IDLE;
    to->idle = values[3] == PRIORITY_IDLE;
    resolve(states, from, event->time);
    set_state(from, from->exits ? STATE_ENDED : STATE_OFF, event->time);
    from->reason = values[4];
    from->preempted = from->reason == REASON_UNKNOWN && before->activity == ACTIVITY_INTERRUPT &&
                      before->thread == values[0];
    if (to->idle)
        states->idle_at[event->cpu] = event->time;
    tell_turn(states, from, to, event->time);
    resolve(states, to, event->time);
    set_state(to, STATE_RUNS, event->time);
    to->unclear = false;
}

// Takes a wake-up. Only a parked thread is woken. On another CPU its wake-up may come before it has
// left its own.
static void take_wake(struct thread_states *states, const struct trace_event *event)
{
    const u64 *values = event->values;
    struct thread_status *thread = get_thread(states, values[0]);
    if (values[1] < ORRERY_MAX_CPUS)
        thread->cpu = (u32)values[1];
    if (thread->state == STATE_RUNS)
        thread->unclear = true;
    if (thread->state == STATE_UNKNOWN) {
        resolve(states, thread, event->time);
        set_state(thread, STATE_OFF, event->time);
    }
    if (thread->state == STATE_OFF && thread->woken == 0) {
        thread->woken = event->time;
        thread->woken_for = values[2];
        thread->woken_by = values[3];
    }
}

static void take_create(struct thread_states *states, const struct trace_event *event)
{
    const u64 *values = event->values;
    struct thread_status *thread = get_thread(states, values[0]);
    if (values[1] < ORRERY_MAX_CPUS)
        thread->cpu = (u32)values[1];
    set_state(thread, STATE_OFF, event->time);
    thread->unclear = true;
}

// Takes the state at the beginning of the recording, if no event has told it yet.
static void take_state(struct thread_states *states, const struct trace_event *event)
{
    const u64 *values = event->values;
    struct thread_status *thread = get_thread(states, values[0]);
    bool runs = values[3] == REPORTED_RUNS || values[3] == REPORTED_ASKS;
    if (thread->state != STATE_UNKNOWN || values[3] == REPORTED_ENDED)
        return;
    thread->cpu = event->cpu;
    thread->idle = values[2] == PRIORITY_IDLE;
    resolve(states, thread, event->time);
    set_state(thread, runs ? STATE_RUNS : STATE_OFF, event->time);
    thread->parked = values[3] == REPORTED_PARKED;
    thread->preempted = values[3] == REPORTED_READY;
}

void thread_states_event(struct thread_states *states, const struct trace_event *event,
                         const struct activity_interval *before)
{
    if (event->kind == EVENT_SWITCH)
        take_switch(states, event, before);
    else if (event->kind == EVENT_WAKE)
        take_wake(states, event);
    else if (event->kind == EVENT_THREAD_CREATE)
        take_create(states, event);
    else if (event->kind == EVENT_STATE_THREAD)
        take_state(states, event);
    else if (event->kind == EVENT_THREAD_EXIT)
        get_thread(states, event->values[0])->exits = true;
}

void thread_states_loss(struct thread_states *states, const struct trace_loss *loss, bool is_off)
{
    if (loss->pid != 0)
        return;
    states->lost_until = loss->to > states->lost_until ? loss->to : states->lost_until;
    for (size_t i = 0; i < states->threads.count; i++) {
        struct thread_status *thread = id_rows_at(&states->threads, i);
        if (thread->cpu != loss->cpu || thread->state == STATE_ENDED)
            continue;
        u64 from = loss->from > thread->since ? loss->from : thread->since;
        resolve(states, thread, from);
        set_state(thread, thread->exits ? STATE_ENDED : STATE_UNKNOWN, from);
        thread->why = is_off ? THREAD_NOT_RECORDED : THREAD_LOST;
    }
}

// The machine tells of a thread's CPU until its stream ends.
void thread_states_activity(struct thread_states *states, const struct activity_machine *machine,
                            const struct activity_interval *interval)
{
    u64 known = machine->known[interval->cpu];
    u64 to = interval->to < known ? interval->to : known;
    struct thread_status *thread = id_rows_find(&states->threads, interval->thread);
    if (thread == NULL || thread->state != STATE_RUNS || thread->cpu != interval->cpu)
        return;
    spend(states, thread, THREAD_RUN, interval->from); // of which the machine has told nothing
    struct thread_interval part = interval_of(thread, THREAD_RUN, to);
    part.activity = interval->activity;
    part.detail = interval->detail;
    spend_as(states, thread, &part);
}

// ---- begin and end -----------------------------------------------------------------------------

void thread_states_begin(struct thread_states *states, u64 begin)
{
    states->threads.row_bytes = sizeof(struct thread_status);
    states->begin = begin;
}

static u64 later(u64 one, u64 other)
{
    return one > other ? one : other;
}

// Returns until when the end of the trace tells what a thread does. Its own CPU tells when it runs.
// Any CPU may wake it; but if its own had nothing to do later, it was not woken until then.
static u64 known_until(const struct thread_states *states, const struct activity_machine *machine,
                       const struct thread_status *thread, u64 end)
{
    u64 own = activity_known(machine, thread->cpu, states->begin, end);
    bool sleeps = thread->state == STATE_OFF && thread->woken == 0 && !thread->preempted;
    return !sleeps ? own
                   : later(states->idle_at[thread->cpu],
                           activity_all_known(machine, states->begin, end));
}

void thread_states_end(struct thread_states *states, const struct activity_machine *machine,
                       u64 end)
{
    for (size_t i = 0; i < states->threads.count; i++) {
        struct thread_status *thread = id_rows_at(&states->threads, i);
        resolve(states, thread, known_until(states, machine, thread, end));
        if (thread->state != STATE_ENDED)
            spend_unknown(states, thread, thread->state == STATE_UNKNOWN ? thread->why : THREAD_END,
                          end);
    }
}

// Returns what a thread seems to do that does not run. It may have been woken before.
static enum thread_time seems(const struct thread_status *thread)
{
    bool gave_way = thread->reason == REASON_PREEMPTED || thread->reason == REASON_YIELD;
    bool ready = thread->idle || thread->preempted || gave_way;
    return ready ? THREAD_READY : THREAD_BLOCKED;
}

// Returns whether nothing will tell what a thread does, unless it is an idle thread.
static bool is_unclear(const struct thread_status *thread)
{
    return thread->unclear && !thread->parked && seems(thread) == THREAD_BLOCKED;
}

void thread_states_stop(struct thread_states *states, u64 to,
                        bool (*known)(void *context, const struct thread_status *thread,
                                      struct thread_interval *interval))
{
    for (size_t i = 0; i < states->threads.count; i++) {
        struct thread_status *thread = id_rows_at(&states->threads, i);
        struct thread_interval at = {.on = seems(thread), .why = thread->why};
        bool is_known = thread->state != STATE_ENDED && known(states->context, thread, &at);
        u64 until = is_known && at.on == THREAD_UNKNOWN && at.from < to ? at.from : to;
        if (thread->state == STATE_ENDED)
            continue;
        bool tells = is_known && (at.on == THREAD_READY || at.on == THREAD_BLOCKED);
        // One that is known to have been ready all the time will turn out to be an idle thread.
        bool ready = tells && at.on == THREAD_READY && at.from <= thread->since;
        bool off = thread->state == STATE_OFF && (thread->woken == 0 || thread->idle || ready);
        if (off && !tells && is_unclear(thread)) {
            until = thread->since;
            at.why = is_known ? at.why : THREAD_UNCLEAR;
        }
        if (off)
            spend(states, thread, tells ? at.on : seems(thread), until);
        else
            resolve(states, thread, until);
        spend_unknown(states, thread, at.why, to);
    }
}

void thread_states_copy(struct thread_states *to, const struct thread_states *from)
{
    *to = *from;
    id_rows_copy(&to->threads, &from->threads);
}

size_t thread_states_bytes(const struct thread_states *states)
{
    return sizeof(*states) + states->threads.count * states->threads.row_bytes;
}

void thread_states_free(struct thread_states *states)
{
    id_rows_free(&states->threads);
}
