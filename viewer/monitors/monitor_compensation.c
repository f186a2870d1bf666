// SPDX-License-Identifier: MIT
// Compensation for what records cost, by the model of event-based perturbation analysis.
#include "monitors/monitor_compensation.h"
#include "tools/kov.h"

#include <orrery/lower_bound.h>

#include <inttypes.h>

// How much the times of a CPU are reduced from a record on.
struct compensated_point {
    u64 time, less; // as recorded
};

struct compensated_user {
    u64 key[KEY_WORDS]; // id, number
    bool begun;
    u32 cpu;
    u64 last; // compensated
};

// ---- a CPU -------------------------------------------------------------------------------------

u64 monitor_compensation_cost(const struct compensated_cpu *cpu)
{
    u64 ticks = (cpu->records - cpu->fast) * cpu->cost + cpu->fast * cpu->cost_fast;
    return cpu->of == 0 ? 0 : ticks / cpu->of;
}

static u64 less_by(const struct compensated_cpu *cpu)
{
    return monitor_compensation_cost(cpu) - cpu->forgone;
}

static u64 time_on(const struct compensated_cpu *cpu, u64 time)
{
    u64 less = less_by(cpu);
    u64 moved = time > less ? time - less : 0;
    return moved > cpu->last ? moved : cpu->last;
}

// Finds how much was taken off at an earlier time. Returns false if no record is older than that.
static bool less_at(const struct compensated_cpu *cpu, u64 time, u64 *less)
{
    const struct compensated_point *points = (const void *)cpu->before.data;
    size_t older = LOWER_BOUND(at, cpu->before.size / sizeof(*points), points[at].time < time);
    *less = older > 0 ? points[older - 1].less : 0;
    return older > 0;
}

// ---- causes on other CPUs ----------------------------------------------------------------------

// Returns when the thread was woken, compensated. From then on, its CPU has saved no more than any
// other had at that time.
static u64 take_late_wake(struct monitor_compensation *compensation,
                          const struct trace_event *event, u64 ago)
{
    struct compensated_cpu *cpu = &compensation->cpus[event->cpu];
    u64 woken = event->time > ago ? event->time - ago : 0;
    u64 own, least, less, now = less_by(cpu);
    less_at(cpu, woken, &own);
    least = own;
    for (u32 i = 0; i < ORRERY_MAX_CPUS; i++)
        if (i != event->cpu && less_at(&compensation->cpus[i], woken, &less) && less < least)
            least = less;
    cpu->forgone += own - least < now ? own - least : now;
    return woken - least;
}

// Returns the record's time, but not one before the thread's last one.
static u64 take_user(struct monitor_compensation *compensation, const struct trace_event *event,
                     u64 id, u64 number, u64 time)
{
    struct compensated_user *user =
        keyed_rows_get(&compensation->users, (const u64[KEY_WORDS]){id, number});
    if (user->begun && user->cpu != event->cpu && time < user->last) {
        struct compensated_cpu *cpu = &compensation->cpus[event->cpu];
        u64 less = event->time - user->last;
        cpu->forgone += less_by(cpu) > less ? less_by(cpu) - less : 0;
        time = user->last;
    }
    user->begun = true;
    user->cpu = event->cpu;
    user->last = time;
    return time;
}

// ---- records -----------------------------------------------------------------------------------

static bool take_cost(struct monitor_compensation *compensation, const struct trace_event *event)
{
    const u64 *values = event->values;
    if (event->kind != EVENT_MONITOR_COST)
        return false;
    compensation->cpus[event->cpu].cost = values[0];
    compensation->cpus[event->cpu].of = values[1];
    compensation->cpus[event->cpu].cost_fast = values[2];
    return true;
}

void monitor_compensation_take(struct monitor_compensation *compensation, struct trace_event *event,
                               u64 *ago)
{
    struct compensated_cpu *cpu = &compensation->cpus[event->cpu];
    const u64 *values = event->values;
    u64 recorded = event->time, woken = 0;
    u32 kind = monitor_kind(event);
    if (take_cost(compensation, event) || kind == SYS_MONITOR_KINDS_MAX) {
        event->time = time_on(cpu, recorded);
        return;
    }
    bool late = kind == SYS_MONITOR_WAKE && values[2] > 0;
    if (late)
        woken = take_late_wake(compensation, event, values[2]);
    u64 time = time_on(cpu, recorded);
    if (kind == SYS_MONITOR_THREAD)
        time = take_user(compensation, event, values[0], values[2] >> 32, time);
    *ago = late && woken < time ? time - woken : 0;
    cpu->last = event->time = time;
    cpu->records++;
    cpu->fast += kind == SYS_MONITOR_SWITCH && values[3] == SYS_MONITOR_FAST_PATH;
    struct compensated_point point = {recorded, less_by(cpu)};
    if (compensation->cpu_count > 1)
        bytes_append(&cpu->before, &point, sizeof(point));
}

u64 monitor_compensation_time(const struct monitor_compensation *compensation, u32 cpu, u64 time)
{
    return time_on(&compensation->cpus[cpu], time);
}

// ---- the recording -----------------------------------------------------------------------------

// Goes back to before the first event.
static void rewind_records(struct monitor_compensation *compensation)
{
    for (u32 i = 0; i < ORRERY_MAX_CPUS; i++) {
        bytes_free(&compensation->cpus[i].before);
        compensation->cpus[i] = (struct compensated_cpu){0};
    }
    keyed_rows_free(&compensation->users);
    compensation->users = (struct keyed_rows){.row_bytes = sizeof(struct compensated_user)};
}

static int measure_event(void *context, const struct trace_event *event)
{
    struct trace_event moved = *event;
    u64 ago;
    monitor_compensation_take(context, &moved, &ago);
    return KOV_OK;
}

// Checks that each CPU tells what its records cost, and that this is possible.
static int check_costs(const struct monitor_compensation *compensation, const struct engine *engine)
{
    for (u32 i = 0; i < ORRERY_MAX_CPUS; i++) {
        const struct compensated_cpu *cpu = &compensation->cpus[i];
        if (cpu->records > 0 && (cpu->cost == 0 || cpu->cost_fast == 0 || cpu->of == 0))
            return fail(KOV_FAILED,
                        "%s does not tell what a record of CPU %" PRIu32
                        " costs: its times cannot be compensated",
                        engine->where, i);
        u64 cost = cpu->cost > cpu->cost_fast ? cpu->cost : cpu->cost_fast;
        if (cpu->records > 0 && cost > engine->descriptions.hz)
            return fail(KOV_FAILED,
                        "%s tells that %" PRIu64 " records of CPU %" PRIu32 " cost %" PRIu64
                        " ticks, which cannot be",
                        engine->where, cpu->of, i, cost);
    }
    return KOV_OK;
}

// Finds the end: that of the last CPU that has records.
static void find_end(struct monitor_compensation *compensation, u64 begin, u64 end)
{
    compensation->end = begin;
    bool any = false;
    for (u32 i = 0; i < ORRERY_MAX_CPUS; i++) {
        u64 time = monitor_compensation_time(compensation, i, end);
        if (compensation->cpus[i].records == 0)
            continue;
        any = true;
        compensation->end = time > compensation->end ? time : compensation->end;
    }
    if (!any)
        compensation->end = end;
}

int monitor_compensation_begin(struct monitor_compensation *compensation, struct engine *engine)
{
    const struct visitor visitor = {.event = measure_event, .context = compensation};
    u64 begin = 0, end = 0;
    for (size_t i = 0; i < engine->count; i++)
        compensation->cpu_count += engine->streams[i]->pid == 0;
    engine_range(engine, &begin, &end);
    rewind_records(compensation);
    engine_seek(engine, 0);
    int code = engine_visit(engine, UINT64_MAX, &visitor);
    if (code == KOV_OK)
        code = check_costs(compensation, engine);
    if (code == KOV_OK)
        find_end(compensation, begin, end);
    rewind_records(compensation);
    return code;
}

void monitor_compensation_free(struct monitor_compensation *compensation)
{
    rewind_records(compensation);
}
