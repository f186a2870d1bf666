// SPDX-License-Identifier: MIT
// Tells what threads do between switches. A switch says why its thread leaves the CPU. In an older
// trace it does not, and what comes next tells. A wake-up comes: the thread was blocked until then.
// The switch lies in an interrupt: the thread was preempted, and ready all the time. The idle
// thread runs, which it does only when nothing else is ready on the CPU: the thread was blocked,
// and a call handed it the CPU without a wake-up. If nothing tells, or if events are missing, the
// time is unknown.
#include "analyses/trace_sched.h"
#include "tools/histogram.h"
#include "analyses/trace_reasons.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <trace/reasons.h>

#define PRIORITY_IDLE 0 // kernel/thread.h

enum thread_state { STATE_UNKNOWN, STATE_RUNS, STATE_OFF, STATE_ENDED };
static const char *const time_keys[THREAD_TIMES] = {"run", "ready", "blocked", "unknown"};
static const char *const count_keys[THREAD_TIMES] = {"runs", "readies", "blocks", NULL};

struct sched_thread {
    u64 key[KEY_WORDS]; // its id
    u32 cpu;
    bool idle, exits;
    enum thread_state state;
    u64 since;
    bool preempted; // STATE_OFF: it was ready from the beginning
    bool parked;    // STATE_OFF: the recording's state said so
    bool unclear;   // STATE_OFF: nobody knows whether it was ready in the beginning
    u64 woken;      // STATE_OFF: when it was woken, or 0
    u64 reason;     // STATE_OFF: why it left; REASON_UNTOLD: not told
    u64 woken_by, woken_for;
    u64 ticks[THREAD_TIMES], counts[THREAD_TIMES];
    struct histogram latency; // wake to run
    const struct sched_follower *follower;
};

struct sched {
    struct trace_walk walk;
    struct keyed_rows threads;
    struct trace_reasons reasons;
    u64 idle_at[ORRERY_MAX_CPUS];          // when it last had nothing to do
    u64 lost_until;                        // on any CPU: until then a wake-up may be missing
    const struct sched_follower *follower; // NULL: none
};

static struct sched_thread *get_thread(struct sched *sched, u64 id)
{
    struct sched_thread *thread = keyed_rows_get(&sched->threads, (const u64[KEY_WORDS]){id});
    if (thread->since == 0)
        thread->since = sched->walk.begin;
    thread->follower = sched->follower;
    return thread;
}

// ---- where time goes ---------------------------------------------------------------------------

static void spend(struct sched_thread *thread, enum thread_time on, u64 until)
{
    if (until <= thread->since)
        return;
    thread->ticks[on] += until - thread->since;
    thread->counts[on]++;
    const struct sched_follower *follower = thread->follower;
    if (follower != NULL)
        follower->spent(follower->context, thread->key[0], on, thread->reason, thread->since,
                        until);
    thread->since = until;
}

static void wait(struct sched *sched, struct sched_thread *thread, enum thread_time on, u64 until)
{
    if (thread->reason != REASON_UNTOLD && until > thread->since)
        trace_reasons_waited(&sched->reasons, thread->key[0], thread->reason,
                             until - thread->since);
    spend(thread, on, until);
}

// Decides what the thread did until then, while it did not run. Then it runs, or no more is known.
static void settle_off(struct sched *sched, struct sched_thread *thread, u64 until)
{
    u64 idle_at = sched->idle_at[thread->cpu];
    bool gave_way = thread->reason == REASON_PREEMPTED || thread->reason == REASON_YIELD;
    if (thread->idle) {
        spend(thread, READY, until);
    } else if (thread->woken != 0) {
        wait(sched, thread, BLOCKED, thread->woken);
        spend(thread, READY, until);
    } else if (thread->parked) {
        spend(thread, BLOCKED, sched->lost_until < thread->since ? until : thread->since);
    } else if (thread->preempted || gave_way) {
        wait(sched, thread, READY, until);
    } else if (thread->reason != REASON_UNTOLD && !thread->unclear &&
               sched->lost_until < thread->since) {
        wait(sched, thread, BLOCKED, until);
    } else if (!thread->unclear && idle_at >= thread->since) {
        spend(thread, BLOCKED, sched->lost_until >= thread->since ? idle_at : until);
    }
    spend(thread, UNKNOWN, until);
}

static void settle(struct sched *sched, struct sched_thread *thread, u64 until)
{
    if (thread->state == STATE_OFF)
        settle_off(sched, thread, until);
    else if (thread->state != STATE_ENDED)
        spend(thread, thread->state == STATE_RUNS ? RUN : UNKNOWN, until);
}

static void set_state(struct sched_thread *thread, enum thread_state state, u64 since)
{
    thread->state = state;
    thread->since = since;
    thread->woken = 0;
    thread->reason = REASON_UNTOLD;
    thread->preempted = thread->parked = false;
}

// ---- events ------------------------------------------------------------------------------------

// Notes that `to` begins to run. It was woken, or was handed the CPU.
static void take_turn(struct sched *sched, const struct sched_thread *from, struct sched_thread *to,
                      u64 time)
{
    u64 thread = to->key[0];
    if (to->state == STATE_OFF && to->woken != 0) {
        histogram_add(&to->latency, time - to->woken);
        if (to->woken_for != REASON_UNTOLD)
            trace_reasons_woken(&sched->reasons, thread, to->woken_by, to->woken_for,
                                time - to->woken);
    } else if (from->reason == REASON_CALL || from->reason == REASON_REPLY) {
        trace_reasons_woken(&sched->reasons, thread, from->key[0],
                            from->reason == REASON_CALL ? REASON_CALL : REASON_ANSWER, 0);
    }
}

static void take_switch(struct sched *sched, const struct trace_event *event)
{
    const u64 *values = event->values;
    const struct activity_interval *before = &sched->walk.before;
    struct sched_thread *from = get_thread(sched, values[0]), *to = get_thread(sched, values[1]);
    from->cpu = to->cpu = event->cpu;
    from->idle = values[2] == PRIORITY_IDLE;
    to->idle = values[3] == PRIORITY_IDLE;
    settle(sched, from, event->time);
    set_state(from, from->exits ? STATE_ENDED : STATE_OFF, event->time);
    from->reason = values[4];
    from->preempted = from->reason == REASON_UNTOLD && before->activity == ACTIVITY_INTERRUPT &&
                      before->thread == values[0];
    if (to->idle)
        sched->idle_at[event->cpu] = event->time;
    take_turn(sched, from, to, event->time);
    settle(sched, to, event->time);
    set_state(to, STATE_RUNS, event->time);
    to->unclear = false;
}

// Takes a wake-up. Only a parked thread is woken. On another CPU its wake-up may come before it has
// left its own.
static void take_wake(struct sched *sched, const struct trace_event *event)
{
    const u64 *values = event->values;
    struct sched_thread *thread = get_thread(sched, values[0]);
    if (values[1] < ORRERY_MAX_CPUS)
        thread->cpu = (u32)values[1];
    if (thread->state == STATE_RUNS)
        thread->unclear = true;
    if (thread->state == STATE_UNKNOWN) {
        settle(sched, thread, event->time);
        set_state(thread, STATE_OFF, event->time);
    }
    if (thread->state == STATE_OFF && thread->woken == 0) {
        thread->woken = event->time;
        thread->woken_for = values[2];
        thread->woken_by = values[3];
    }
}

static void take_create(struct sched *sched, const struct trace_event *event)
{
    const u64 *values = event->values;
    struct sched_thread *thread = get_thread(sched, values[0]);
    if (values[1] < ORRERY_MAX_CPUS)
        thread->cpu = (u32)values[1];
    set_state(thread, STATE_OFF, event->time);
    thread->unclear = true;
}

// Takes the state at the beginning of the recording, if no event has told it yet.
static void take_state(struct sched *sched, const struct trace_event *event)
{
    const u64 *values = event->values;
    struct sched_thread *thread = get_thread(sched, values[0]);
    bool runs = values[3] == TOLD_RUNS || values[3] == TOLD_ASKS;
    if (thread->state != STATE_UNKNOWN || values[3] == TOLD_ENDED)
        return;
    thread->cpu = event->cpu;
    thread->idle = values[2] == PRIORITY_IDLE;
    settle(sched, thread, event->time);
    set_state(thread, runs ? STATE_RUNS : STATE_OFF, event->time);
    thread->parked = values[3] == TOLD_PARKED;
    thread->preempted = values[3] == TOLD_READY;
}

static int take_event(void *context, const struct trace_event *event)
{
    struct sched *sched = context;
    if (event->kind == EVENT_SWITCH)
        take_switch(sched, event);
    else if (event->kind == EVENT_WAKE)
        take_wake(sched, event);
    else if (event->kind == EVENT_THREAD_CREATE)
        take_create(sched, event);
    else if (event->kind == EVENT_STATE_THREAD)
        take_state(sched, event);
    else if (event->kind == EVENT_THREAD_EXIT)
        get_thread(sched, event->values[0])->exits = true;
    const struct sched_follower *follower = sched->follower;
    return follower != NULL ? follower->event(follower->context, &sched->walk, event) : KOV_OK;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct sched *sched = context;
    if (loss->pid != 0)
        return KOV_OK;
    sched->lost_until = loss->to > sched->lost_until ? loss->to : sched->lost_until;
    for (size_t i = 0; i < sched->threads.count; i++) {
        struct sched_thread *thread = sched->threads.rows[i];
        if (thread->cpu != loss->cpu || thread->state == STATE_ENDED)
            continue;
        u64 from = loss->from > thread->since ? loss->from : thread->since;
        settle(sched, thread, from);
        set_state(thread, thread->exits ? STATE_ENDED : STATE_UNKNOWN, from);
    }
    if (sched->follower != NULL)
        sched->follower->loss(sched->follower->context, loss);
    return KOV_OK;
}

static int take_interval(void *context, const struct activity_interval *interval)
{
    const struct sched_follower *follower = ((struct sched *)context)->follower;
    return follower != NULL ? follower->interval(follower->context, interval) : KOV_OK;
}

// ---- the answer --------------------------------------------------------------------------------

static int compare(const void *one, const void *other)
{
    const struct sched_thread *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->ticks[RUN] != b->ticks[RUN])
        return a->ticks[RUN] > b->ticks[RUN] ? -1 : 1;
    return a->key[0] < b->key[0] ? -1 : a->key[0] > b->key[0];
}

static void put_thread(json_t *rows, const struct trace_walk *walk,
                       const struct sched_thread *thread)
{
    json_t *row = put_object(rows, NULL);
    put_u64(row, "thread", thread->key[0]);
    trace_tool_put_process(row, walk, trace_walk_pid(walk, thread->key[0]), thread->key[0],
                           thread->idle);
    put_u64(row, "cpu", thread->cpu);
    for (u32 i = 0; i < THREAD_TIMES; i++) {
        trace_tool_put_time(row, time_keys[i], (double)thread->ticks[i], walk->hz);
        if (count_keys[i] != NULL)
            put_u64(row, count_keys[i], thread->counts[i]);
    }
    put_u64(row, "wakes", thread->latency.count);
    trace_tool_put_spread(row, &thread->latency, walk->hz);
}

// Returns until when the end of the trace tells what a thread does. Its own CPU tells when it runs.
// Any CPU may wake it; but if its own had nothing to do later, it was not woken until then.
static u64 known_until(const struct sched *sched, const struct sched_thread *thread)
{
    u64 own = trace_walk_known(&sched->walk, thread->cpu), all = trace_walk_all_known(&sched->walk);
    u64 idle_at = sched->idle_at[thread->cpu];
    bool sleeps = thread->state == STATE_OFF && thread->woken == 0 && !thread->preempted;
    return !sleeps ? own : idle_at > all ? idle_at : all;
}

static void settle_all(struct sched *sched)
{
    for (size_t i = 0; i < sched->threads.count; i++) {
        struct sched_thread *thread = sched->threads.rows[i];
        u64 known = known_until(sched, thread);
        settle(sched, thread, known);
        if (thread->state != STATE_ENDED)
            spend(thread, UNKNOWN, sched->walk.end);
    }
}

static void put_answer(json_t *document, struct sched *sched, u64 most)
{
    const struct trace_walk *walk = &sched->walk;
    struct histogram latency = {0};
    u64 shown = 0, count = 0;
    settle_all(sched);
    if (sched->threads.count > 1)
        qsort(sched->threads.rows, sched->threads.count, sizeof(void *), compare);
    json_t *rows = put_array(document, "threads");
    for (size_t i = 0; i < sched->threads.count; i++) {
        const struct sched_thread *thread = sched->threads.rows[i];
        if (!trace_walk_has_cpu(walk, thread->cpu) || !trace_walk_has_thread(walk, thread->key[0]))
            continue;
        count++;
        histogram_join(&latency, &thread->latency);
        if (most == 0 || shown < most) {
            put_thread(rows, walk, thread);
            shown++;
        }
    }
    trace_reasons_put(&sched->reasons, walk, most, document);
    put_u64(document, "count", count);
    json_t *all = put_object(document, "all");
    put_u64(all, "wakes", latency.count);
    trace_tool_put_spread(all, &latency, walk->hz);
    trace_tool_put_walk(document, walk);
    histogram_free(&latency);
}

static void begin(struct sched *sched, const struct trace_choice *choice)
{
    *sched = (struct sched){.walk = {.choice = choice,
                                     .event = take_event,
                                     .loss = take_loss,
                                     .interval = take_interval,
                                     .context = sched},
                            .threads = {.row_bytes = sizeof(struct sched_thread)}};
    trace_reasons_begin(&sched->reasons);
}

static void end(struct sched *sched)
{
    for (size_t i = 0; i < sched->threads.count; i++)
        histogram_free(&((struct sched_thread *)sched->threads.rows[i])->latency);
    keyed_rows_free(&sched->threads);
    trace_reasons_free(&sched->reasons);
    trace_walk_free(&sched->walk);
}

int trace_sched(struct engine *engine, const struct trace_choice *choice, u64 most,
                json_t *document)
{
    struct sched sched;
    begin(&sched, choice);
    int code = trace_walk(&sched.walk, engine);
    if (code == KOV_OK)
        put_answer(document, &sched, most);
    end(&sched);
    return code;
}

int trace_sched_follow(struct engine *engine, const struct trace_choice *choice,
                       const struct sched_follower *follower)
{
    struct sched sched;
    begin(&sched, choice);
    sched.follower = follower;
    int code = trace_walk(&sched.walk, engine);
    if (code == KOV_OK) {
        settle_all(&sched);
        follower->end(follower->context, &sched.walk);
    }
    end(&sched);
    return code;
}

static const struct column columns[] = {
    COLUMN("THREAD", "thread", 6),
    COLUMN("PROCESS", "process", -11),
    COLUMN("CPU", "cpu", 3),
    COLUMN("RUNS", "runs", 6),
    TIME_COLUMN("RUN", "run"),
    COLUMN("#", "readies", 6, .rank = RANK_RARE),
    TIME_COLUMN("READY", "ready"),
    COLUMN("#", "blocks", 6, .rank = RANK_RARE),
    TIME_COLUMN("BLOCKED", "blocked"),
    TIME_COLUMN("UNKNOWN", "unknown"),
    COLUMN("WAKES", "wakes", 6),
    TIME_COLUMN("P50", "p50"),
    TIME_COLUMN("P99", "p99"),
    TIME_COLUMN("MAX", "max"),
    HIDDEN("pid"),
    HIDDEN("run_ticks"),
    HIDDEN("ready_ticks"),
    HIDDEN("blocked_ticks"),
    HIDDEN("unknown_ticks"),
    HIDDEN("p50_ticks"),
    HIDDEN("p99_ticks"),
    HIDDEN("max_ticks"),
    COLUMNS_END,
};
const struct sheet trace_sched_sheets[] = {{"threads", columns},
                                           {"waits", trace_waits_columns},
                                           {"wakers", trace_wakers_columns},
                                           {NULL, NULL}};

void trace_sched_note(const json_t *document)
{
    static const struct column spread[] = {{.key = "p50"}, {.key = "p99"}, {.key = "max"}};
    const json_t *all = json_object_get(document, "all");
    char texts[ARRAY_SIZE(spread)][CELL_BYTES];
    for (size_t i = 0; i < ARRAY_SIZE(spread); i++)
        trace_time_cell(&spread[i], all, texts[i]);
    printf("all %" JSON_INTEGER_FORMAT " threads: %" JSON_INTEGER_FORMAT
           " wake-ups, to run p50 %s, p99 %s, max %s; percentiles ± %.1f %%\n",
           json_integer_value(json_object_get(document, "count")),
           json_integer_value(json_object_get(all, "wakes")), texts[0], texts[1], texts[2],
           HISTOGRAM_ERROR_PERCENT);
}
