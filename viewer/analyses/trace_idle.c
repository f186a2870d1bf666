// SPDX-License-Identifier: MIT
// An idle interval lasts from when the idle thread waits until the first event on its CPU. What the
// CPU does then is for an interrupt. The CPU waits again when it has left the exception. The idle
// thread may have entered exceptions before the trace began, with other threads running in between.
// The trace does not tell which. What the CPU does before it leaves them may add a short interval.
#include "analyses/trace_idle.h"
#include "tools/histogram.h"

#include <string.h>

#define VECTOR_EXTERNAL 0x500
#define VECTOR_DECREMENTER 0x900

enum idle_state { STATE_UNKNOWN, STATE_BUSY, STATE_IDLE, STATE_HANDLING, IDLE_STATES };
static const char *const state_keys[IDLE_STATES] = {"unknown", "busy", "idle", "handling"};
enum idle_end { BY_INTERRUPT, BY_TIMER, BY_WAKE, BY_OTHER, CUT, IDLE_ENDS };
static const char *const end_keys[IDLE_ENDS] = {"interrupt", "timer", "wake", "other", "cut"};

struct idle_cpu {
    enum idle_state state;
    u64 since;
    u32 depth; // of the idle thread's exceptions, even while it does not run
    u64 ticks[IDLE_STATES], ends[IDLE_ENDS];
    struct histogram lengths;
};

struct idle {
    struct trace_walk walk;
    u64 interrupts, timers, switches; // majors
    u64 reports;                      // majors that only report something, and so end nothing
    struct idle_cpu cpus[ORRERY_MAX_CPUS];
};

// ---- states ------------------------------------------------------------------------------------

static void spend(struct idle_cpu *cpu, enum idle_state on, u64 until)
{
    if (until > cpu->since) {
        cpu->ticks[on] += until - cpu->since;
        cpu->since = until;
    }
}

static void go(struct idle_cpu *cpu, enum idle_state next, u64 time, enum idle_end end)
{
    if (cpu->state == STATE_IDLE && time > cpu->since) {
        histogram_add(&cpu->lengths, time - cpu->since);
        cpu->ends[end]++;
    }
    spend(cpu, cpu->state, time);
    cpu->state = next;
}

static bool is_of(const struct trace_event *event, u64 majors)
{
    return event->description != NULL && (majors >> event->description->info.major & 1) != 0;
}

static enum idle_end end_of(const struct idle *idle, const struct trace_event *event)
{
    if (event->kind == EVENT_EXC_ENTER)
        return event->values[0] == VECTOR_EXTERNAL      ? BY_INTERRUPT
               : event->values[0] == VECTOR_DECREMENTER ? BY_TIMER
                                                        : BY_OTHER;
    return is_of(event, idle->interrupts) ? BY_INTERRUPT
           : is_of(event, idle->timers)   ? BY_TIMER
           : is_of(event, idle->switches) ? BY_WAKE
                                          : BY_OTHER;
}

// ---- events ------------------------------------------------------------------------------------

// Takes that another thread runs: after a switch, or because the recording's state tells it, which
// it does in an interrupt. An idle thread that was kept from running in a handler goes on with the
// end of that handler.
static void take_thread(struct idle_cpu *cpu, const struct trace_walk *walk,
                        const struct trace_event *event)
{
    bool switched = event->kind == EVENT_SWITCH;
    if (cpu->state == STATE_UNKNOWN && switched && !trace_walk_is_idle(walk, event->values[0]))
        cpu->depth = 0; // those exceptions were another thread's
    u64 thread = switched ? event->values[1] : trace_walk_thread(walk, event->cpu);
    bool idle = trace_walk_is_idle(walk, thread);
    enum idle_state next = cpu->depth > 0 ? STATE_HANDLING : STATE_IDLE;
    go(cpu, idle ? next : STATE_BUSY, event->time, switched ? BY_WAKE : CUT);
}

// Takes the end of an exception. The CPU was not idle before it, even if its entry is missing.
static void take_leave(struct idle_cpu *cpu, u64 time)
{
    if (cpu->depth > 0)
        cpu->depth--;
    if (cpu->state == STATE_UNKNOWN)
        return;
    spend(cpu, STATE_HANDLING, time);
    cpu->state = cpu->depth > 0 ? STATE_HANDLING : STATE_IDLE;
}

static int take_event(void *context, const struct trace_event *event)
{
    struct idle *idle = context;
    struct idle_cpu *cpu = &idle->cpus[event->cpu];
    u64 before = idle->walk.model.before.thread;
    if (event->kind == EVENT_SWITCH ||
        (before == ACTIVITY_NO_THREAD && trace_walk_thread(&idle->walk, event->cpu) != before))
        take_thread(cpu, &idle->walk, event);
    if (event->pid != 0 || is_of(event, idle->reports))
        return KOV_OK;
    if (cpu->state != STATE_BUSY && event->kind == EVENT_EXC_EXIT)
        take_leave(cpu, event->time);
    else if (cpu->state == STATE_IDLE && event->kind != EVENT_SWITCH)
        go(cpu, STATE_HANDLING, event->time, end_of(idle, event));
    if (cpu->state != STATE_BUSY && event->kind == EVENT_EXC_ENTER)
        cpu->depth++;
    return KOV_OK;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct idle *idle = context;
    struct idle_cpu *cpu = &idle->cpus[loss->cpu];
    if (loss->pid == 0) {
        go(cpu, STATE_UNKNOWN, loss->from > cpu->since ? loss->from : cpu->since, CUT);
        cpu->depth = 0;
    }
    return KOV_OK;
}

// ---- the answer --------------------------------------------------------------------------------

static void put_cpu(json_t *rows, const struct trace_walk *walk, u32 number,
                    const struct idle_cpu *cpu)
{
    json_t *row = put_object(rows, NULL);
    u64 all = walk->end - walk->begin;
    put_u64(row, "cpu", number);
    put_u64(row, "count", cpu->lengths.count);
    for (u32 i = 0; i < IDLE_STATES; i++)
        trace_tool_put_time(row, state_keys[i], (double)cpu->ticks[i], walk->hz);
    put_number(row, "share", all == 0 ? 0 : 100 * (double)cpu->ticks[STATE_IDLE] / (double)all);
    trace_tool_put_spread(row, &cpu->lengths, walk->hz);
    for (u32 i = 0; i < IDLE_ENDS; i++)
        put_u64(row, end_keys[i], cpu->ends[i]);
}

static void put_answer(json_t *document, struct idle *idle, u32 cpus)
{
    struct histogram lengths = {0};
    json_t *rows = put_array(document, "cpus");
    for (u32 number = 0; number < ORRERY_MAX_CPUS; number++) {
        struct idle_cpu *cpu = &idle->cpus[number];
        if ((cpus >> number & 1) == 0 || !trace_walk_has_cpu(&idle->walk, number))
            continue;
        u64 known = trace_walk_known(&idle->walk, number), end = idle->walk.end;
        go(cpu, STATE_UNKNOWN, known > cpu->since ? known : cpu->since, CUT);
        spend(cpu, STATE_UNKNOWN, end);
        put_cpu(rows, &idle->walk, number, cpu);
        histogram_join(&lengths, &cpu->lengths);
    }
    trace_tool_put_buckets(document, "lengths", &lengths, idle->walk.hz);
    trace_tool_put_walk(document, &idle->walk);
    histogram_free(&lengths);
}

int trace_idle(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    struct idle idle = {
        .walk = {.choice = choice, .event = take_event, .loss = take_loss, .context = &idle},
        .interrupts = recorded_mask("IRQ"),
        .timers = recorded_mask("TIMER"),
        .switches = recorded_mask("SCHED"),
        .reports = recorded_mask("TRACE,PMU,STATE")};
    trace_walk_range(&idle.walk, engine);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        idle.cpus[cpu].since = idle.walk.begin;
    int code = trace_walk(&idle.walk, engine);
    if (code == KOV_OK)
        put_answer(document, &idle, engine->cpus);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        histogram_free(&idle.cpus[cpu].lengths);
    trace_walk_free(&idle.walk);
    return code;
}

static const struct column cpu_columns[] = {
    COLUMN("CPU", "cpu", 3),
    COLUMN("COUNT", "count", 7),
    TIME_COLUMN("IDLE", "idle"),
    COLUMN("SHARE", "share", 8, .decimals = 2, .unit = " %"),
    TIME_COLUMN("LONGEST", "max"),
    TIME_COLUMN("MEAN", "mean"),
    TIME_COLUMN("HANDLING", "handling"),
    TIME_COLUMN("BUSY", "busy"),
    TIME_COLUMN("UNKNOWN", "unknown"),
    COLUMN("INTERRUPT", "interrupt", 9),
    COLUMN("TIMER", "timer", 7),
    COLUMN("WAKE", "wake", 7),
    COLUMN("OTHER", "other", 5),
    COLUMN("CUT", "cut", 3),
    HIDDEN("idle_ticks"),
    HIDDEN("max_ticks"),
    HIDDEN("handling_ticks"),
    HIDDEN("busy_ticks"),
    HIDDEN("unknown_ticks"),
    COLUMNS_END,
};
const struct sheet trace_idle_sheets[] = {
    {"cpus", cpu_columns}, {"lengths", trace_bucket_columns}, {NULL, NULL}};
