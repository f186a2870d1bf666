// SPDX-License-Identifier: MIT
// Shows each interval of the state machine as a row when it ends.
#include "output/columns.h"
#include "trace/activity.h"
#include "analyses/syscall_name.h"
#include "analyses/trace_needs.h"
#include "analyses/trace_show.h"

static const struct column columns[] = {
    COLUMN("FROM", "from", 18),
    COLUMN("TO", "to", 18),
    COLUMN("CPU", "cpu", 3),
    COLUMN("PID", "pid", 7),
    COLUMN("THREAD", "thread", 10),
    COLUMN("ACTIVITY", "activity", -9),
    COLUMN("VECTOR", "vector", -6),
    COLUMN("CALL", "call", -1),
    HIDDEN("from_ticks"),
    HIDDEN("to_ticks"),
    COLUMNS_END,
};

static const char *const names[] = {
    [ACTIVITY_UNKNOWN] = "unknown",     [ACTIVITY_IDLE] = "idle", [ACTIVITY_RUN] = "run",
    [ACTIVITY_SYSCALL] = "syscall",     [ACTIVITY_IPC] = "ipc",   [ACTIVITY_FAULT] = "fault",
    [ACTIVITY_INTERRUPT] = "interrupt",
};

struct show {
    const struct trace_choice *choice;
    u64 hz, most, shown;
    struct visitor machine;
    u64 lost_packets, discarded;
};

static void put_known(json_t *row, const char *key, u64 value, u64 none)
{
    if (value == none)
        put_text(row, key, NULL);
    else
        put_u64(row, key, value);
}

static json_t *make_row(const struct activity_interval *interval, u64 hz)
{
    char text[TRACE_TIME_BYTES];
    json_t *row = json_object();
    trace_time_text(interval->from, hz, text);
    put_text(row, "from", text);
    trace_time_text(interval->to, hz, text);
    put_text(row, "to", text);
    put_u64(row, "from_ticks", interval->from);
    put_u64(row, "to_ticks", interval->to);
    put_u64(row, "cpu", interval->cpu);
    put_known(row, "pid", interval->pid, ACTIVITY_NO_PID);
    put_known(row, "thread", interval->thread, ACTIVITY_NO_THREAD);
    put_text(row, "activity", names[interval->activity]);
    if (interval->activity == ACTIVITY_FAULT)
        put_hex(row, "vector", interval->detail);
    if (interval->call != 0)
        put_text(row, "call", syscall_name(interval->call));
    return row;
}

static int show_interval(void *context, const struct activity_interval *interval)
{
    struct show *show = context;
    const struct trace_choice *choice = show->choice;
    if ((choice->cpu != TRACE_ANY && choice->cpu != interval->cpu) ||
        (choice->pid != TRACE_ANY && choice->pid != interval->pid))
        return KOV_OK;
    if (show->shown == show->most)
        return VISIT_ENOUGH;
    show->shown++;
    rows_add(columns, make_row(interval, show->hz));
    return KOV_OK;
}

static int show_event(void *context, const struct trace_event *event)
{
    const struct show *show = context;
    return show->machine.event(show->machine.context, event);
}

static int count_loss(void *context, const struct trace_loss *loss)
{
    struct show *show = context;
    if (show->choice->cpu == TRACE_ANY || show->choice->cpu == loss->cpu) {
        show->lost_packets += loss->packets;
        show->discarded += loss->discarded;
    }
    return show->machine.loss(show->machine.context, loss);
}

int trace_show_activity(struct engine *engine, const struct trace_choice *choice, u64 most)
{
    struct show show = {.choice = choice, .hz = engine->descriptions.hz, .most = most};
    struct activity_machine machine = {.interval = show_interval, .context = &show};
    struct visitor visitor = {.event = show_event, .loss = count_loss, .context = &show};
    u64 first, last;
    engine_range(engine, &first, &last);
    int code = recorded_read(engine, choice->from);
    if (code != KOV_OK)
        return code;
    rows_begin("intervals", columns);
    show.machine = activity_visitor(&machine);
    activity_begin(&machine, engine, choice->from > first ? choice->from : first);
    engine_seek(engine, choice->from);
    code = engine_visit(engine, choice->to, &visitor);
    int ended = activity_end(&machine, choice->to < last ? choice->to : last);
    json_t *rest = json_object();
    put_u64(rest, "hz", show.hz);
    put_u64(rest, "lost_packets", show.lost_packets);
    put_u64(rest, "discarded", show.discarded);
    put_u64(rest, "left_out_packets", engine->left_out);
    trace_needs_apply(rest, "activity", &engine->recorded);
    trace_needs_tell(rest, false);
    rows_end(rest);
    return code == KOV_OK && ended != VISIT_ENOUGH ? ended : code;
}
