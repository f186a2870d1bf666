// SPDX-License-Identifier: MIT
// Shows what a monitor recorded, as threads over time. A row is one id on one CPU. For a process it
// is its dispatcher there. Below it are the threads of its library that ran there last.
#include "monitors/monitor_view.h"
#include "monitors/monitor_compensation.h"
#include "monitors/monitor_sensors.h"
#include "monitors/monitor_threads.h"
#include "tools/memory.h"
#include "analyses/thread_strips.h"

#include <inttypes.h>
#include <orrery/monitors.h>
#include <stdlib.h>
#include <trace/reasons.h>

struct thread {
    u64 key[KEY_WORDS]; // key_of
    bool begun;         // its state is known from `since` on
    bool ended;
    enum strip_state state;
    char letter;
    u64 since;
    u64 switches, stays;               // how often it came; how often it could have left but stayed
    u64 counts[SYS_MONITOR_KINDS_MAX]; // of the other kinds; of calls, those that it made,
    u64 served;                        // … and those that it answered
    struct user_host host;
};

struct view {
    const struct monitor_view_options *options;
    const struct trace_choice *choice;
    struct keyed_rows threads;
    struct user_threads users;
    struct monitor_sensors sensors;
    struct strips strips;
    struct monitor_compensation compensation; // unused without --compensate
    u64 begin;                                // of the recording
    u64 from, to;                             // of what is shown
    u64 told_from[ORRERY_MAX_CPUS];           // end of the last loss
    bool lossless[ORRERY_MAX_CPUS];           // so far
    u64 runs[ORRERY_MAX_CPUS];                // which thread; 0: none is known to run
    u64 violations, when, where;              // how often two ran at once; the first: time, CPU
    u64 one, other;
};

static u64 key_of(u64 id, u32 cpu)
{
    return (id << 8 | cpu) + 1;
}

static u32 id_of(u64 key)
{
    return (u32)((key - 1) >> 8);
}

static u32 cpu_of(u64 key)
{
    return (u32)(key - 1) & 0xff;
}

// Returns a time as it is shown. It comes after the events of the CPU that were taken.
static u64 time_of(const struct view *view, u32 cpu, u64 time)
{
    return view->options->compensate ? monitor_compensation_time(&view->compensation, cpu, time)
                                     : time;
}

// ---- what a thread does ------------------------------------------------------------------------

static void spend(struct view *view, struct thread *thread, u64 until)
{
    if (!thread->ended)
        strips_add(&view->strips, thread->key[0], thread->state, thread->letter, thread->since,
                   until);
    thread->since = until;
}

static void enter(struct view *view, struct thread *thread, enum strip_state state, char letter,
                  u64 time)
{
    spend(view, thread, time);
    thread->state = state;
    thread->letter = letter;
    thread->ended = false;
    thread->host.state = state;
    thread->host.letter = letter;
    user_threads_host_changed(&view->users, &thread->host, time);
}

// Begins a thread. Its first record may say that it ran before, if no record was lost.
static void begin_thread(struct view *view, struct thread *thread, bool ran)
{
    u32 cpu = cpu_of(thread->key[0]);
    if (thread->begun)
        return;
    thread->begun = thread->host.told = true;
    thread->since = view->told_from[cpu];
    thread->state = ran && view->lossless[cpu] ? STRIP_RUN : STRIP_UNKNOWN;
    thread->host.state = thread->state;
}

// Notes who runs. Two at once on a CPU are a violation.
static void note_run(struct view *view, u64 key, u64 time)
{
    u32 cpu = cpu_of(key);
    u64 before = view->runs[cpu];
    view->runs[cpu] = key;
    if (before == 0 || before == key || view->violations++ > 0)
        return;
    view->when = time;
    view->where = cpu;
    view->one = before;
    view->other = key;
}

static void take_switch(struct view *view, struct thread *thread, u32 cpu, u64 time, u64 reason,
                        u64 what)
{
    u64 key = thread->key[0];
    begin_thread(view, thread, what != SYS_MONITOR_COMES);
    if (what == SYS_MONITOR_LEAVES) {
        bool ready = reason == REASON_PREEMPTED || reason == REASON_YIELD;
        enter(view, thread, ready ? STRIP_READY : STRIP_BLOCKED,
              ready ? 0 : thread_strips_letter(reason), time);
        thread->ended = reason == REASON_ENDED;
        view->runs[cpu] = view->runs[cpu] == key ? 0 : view->runs[cpu];
        return;
    }
    if (thread->state != STRIP_RUN)
        enter(view, thread, STRIP_RUN, 0, time);
    thread->switches += what == SYS_MONITOR_COMES;
    thread->stays += what == SYS_MONITOR_STAYS;
    note_run(view, key, time);
}

// Takes a wake-up. What the thread waited for came `ago` ticks earlier; from then on it waits for
// the CPU.
static void take_wake(struct view *view, struct thread *thread, u64 time, u64 ago)
{
    begin_thread(view, thread, false);
    u64 at = ago < time - thread->since ? time - ago : thread->since;
    if (thread->state != STRIP_RUN && thread->state != STRIP_READY)
        enter(view, thread, STRIP_READY, 0, at);
}

// Takes a record of a library. It is told while the dispatcher runs, whatever the dispatcher's own
// records say.
static void take_user(struct view *view, struct thread *thread, const struct trace_event *event)
{
    const u64 *values = event->values;
    user_threads_take(&view->users, &thread->host,
                      &(struct user_record){.id = values[0],
                                            .reason = values[1],
                                            .word0 = values[2],
                                            .word1 = values[3],
                                            .time = event->time,
                                            .cpu = event->cpu});
}

static void count_call(struct thread *thread, u64 what)
{
    thread->counts[SYS_MONITOR_CALL] += what == SYS_MONITOR_CALL_MADE;
    thread->served += what == SYS_MONITOR_CALL_ANSWERED;
}

static int take_event(void *context, const struct trace_event *recorded)
{
    struct view *view = context;
    struct trace_event moved = *recorded;
    const struct trace_event *event = &moved;
    const u64 *values = event->values;
    u64 ago;
    u32 kind = monitor_kind(event);
    if (view->options->compensate)
        monitor_compensation_take(&view->compensation, &moved, &ago);
    if (event->time > view->choice->to)
        return KOV_OK;
    if (monitor_sensors_take(&view->sensors, event, view->strips.from))
        return KOV_OK;
    if (kind == SYS_MONITOR_KINDS_MAX)
        return KOV_OK;
    const u64 key[KEY_WORDS] = {key_of(values[0], event->cpu)};
    struct thread *thread = keyed_rows_get(&view->threads, key);
    if (kind == SYS_MONITOR_CALL)
        count_call(thread, values[2]);
    else
        thread->counts[kind] +=
            kind != SYS_MONITOR_BLOCK || (values[2] & SYS_MONITOR_BLOCK_ENDS) == 0;
    if (kind == SYS_MONITOR_SWITCH)
        take_switch(view, thread, event->cpu, event->time, values[1], values[2]);
    else if (kind == SYS_MONITOR_WAKE)
        take_wake(view, thread, event->time, view->options->compensate ? ago : values[2]);
    else if (kind == SYS_MONITOR_THREAD)
        take_user(view, thread, event);
    return KOV_OK;
}

// Takes a loss. From there on nobody knows who is on this CPU.
static int take_loss(void *context, const struct trace_loss *loss)
{
    struct view *view = context;
    u64 from = time_of(view, loss->cpu, loss->from > view->begin ? loss->from : view->begin);
    if (from > view->choice->to)
        return KOV_OK;
    view->lossless[loss->cpu] = false;
    view->told_from[loss->cpu] = from;
    view->runs[loss->cpu] = 0;
    user_threads_lost(&view->users, loss->cpu, from);
    for (size_t i = 0; i < view->threads.count; i++) {
        struct thread *thread = view->threads.rows[i];
        if (cpu_of(thread->key[0]) == loss->cpu && thread->begun && !thread->ended)
            enter(view, thread, STRIP_UNKNOWN, 0, from);
    }
    return KOV_OK;
}

// ---- the answer --------------------------------------------------------------------------------

// A strip and its place in the order: by dispatcher, then by number of the library's thread.
struct place {
    u64 dispatcher, number; // number 0: the dispatcher itself
    const struct strip *strip;
    const struct user_thread *user; // NULL: the strip is a dispatcher's
};

static int compare(const void *one, const void *other)
{
    const struct place *a = one, *b = other;
    if (a->dispatcher != b->dispatcher)
        return a->dispatcher < b->dispatcher ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void put_thread(json_t *row, const struct view *view, const struct trace_walk *walk,
                       const struct strip *strip)
{
    const struct thread *thread = keyed_rows_find(&view->threads, strip->key);
    u32 id = id_of(strip->key[0]);
    put_u64(row, "cpu", cpu_of(strip->key[0]));
    put_u64(row, "id", id);
    char text[24];
    const char *name = labels_find(&walk->labels, LABEL_THREAD, id);
    snprintf(text, sizeof(text), "id %" PRIu32, id);
    put_text(row, "name", name != NULL ? name : text);
    trace_tool_put_pid(row, trace_walk_pid(walk, id));
    put_u64(row, "switches", thread->switches);
    put_u64(row, "to_itself", thread->stays);
    put_u64(row, "wakes", thread->counts[SYS_MONITOR_WAKE]);
    put_u64(row, "faults", thread->counts[SYS_MONITOR_FAULT]);
    put_u64(row, "syscalls", thread->counts[SYS_MONITOR_SYSCALL]);
    put_u64(row, "blocks", thread->counts[SYS_MONITOR_BLOCK]);
    put_u64(row, "calls", thread->counts[SYS_MONITOR_CALL]);
    put_u64(row, "served", thread->served);
    thread_strips_put(row, &view->strips, strip, view->options->ascii, walk->hz);
}

// Puts a library's thread. A slice is a turn that the library gave it, without the time that others
// had the CPU.
static void put_user(json_t *row, const struct view *view, const struct trace_walk *walk,
                     const struct place *place)
{
    const struct user_thread *user = place->user;
    u64 run = place->strip->ticks[STRIP_RUN];
    char name[40];
    snprintf(name, sizeof(name), " %s/%" PRIu64, user->name, user->key[1]);
    put_u64(row, "cpu", user->cpu);
    put_u64(row, "id", user->key[0]);
    put_text(row, "name", name);
    put_u64(row, "thread", user->key[1]);
    trace_tool_put_pid(row, trace_walk_pid(walk, user->key[0]));
    put_u64(row, "switches", user->switches);
    put_u64(row, "to_itself", user->stays);
    thread_strips_put(row, &view->strips, place->strip, view->options->ascii, walk->hz);
    put_u64(row, "runs", user->turns);
    trace_tool_put_time(row, "mean_slice", user->turns == 0 ? 0 : (double)run / (double)user->turns,
                        walk->hz);
    trace_tool_put_time(row, "longest_slice", (double)user->longest, walk->hz);
}

static void put_rows(const struct view *view, const struct trace_walk *walk, json_t *rows)
{
    const struct keyed_rows *strips = &view->strips.rows;
    struct place *places = memory_get((strips->count + 1) * sizeof(*places));
    for (size_t i = 0; i < strips->count; i++) {
        const struct strip *strip = strips->rows[i];
        const struct user_thread *user = user_threads_of(&view->users, strip);
        places[i] = (struct place){strip->key[0], 0, strip, user};
        if (user != NULL) // behind the thread of the kernel that it runs on
            places[i] =
                (struct place){key_of(user->key[0], user->cpu), user->key[1] + 1, strip, user};
    }
    qsort(places, strips->count, sizeof(*places), compare);
    for (size_t i = 0; i < strips->count; i++) {
        json_t *row = put_object(rows, NULL);
        if (places[i].user != NULL)
            put_user(row, view, walk, &places[i]);
        else
            put_thread(row, view, walk, places[i].strip);
    }
    free(places);
}

// Puts what the records of each CPU cost, and by how much its end is earlier.
static void put_compensation(const struct view *view, u64 end, u64 hz, json_t *document)
{
    json_t *rows = put_array(document, "compensated");
    put_u64(document, "to_ticks", view->to);
    put_bool(document, "approximate", view->compensation.cpu_count > 1);
    for (u32 i = 0; i < ORRERY_MAX_CPUS; i++) {
        const struct compensated_cpu *cpu = &view->compensation.cpus[i];
        if (cpu->records == 0)
            continue;
        json_t *row = put_object(rows, NULL);
        put_u64(row, "cpu", i);
        put_u64(row, "records", cpu->records);
        trace_tool_put_time(row, "cost", (double)monitor_compensation_cost(cpu), hz);
        trace_tool_put_time(row, "less", (double)(end - time_of(view, i, end)), hz);
    }
}

static void put_threads(struct view *view, const struct trace_walk *walk, json_t *document)
{
    u64 ends[ORRERY_MAX_CPUS];
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        u64 end = time_of(view, cpu, walk->end);
        ends[cpu] = end < view->to ? end : view->to;
    }
    // A library may tell of threads before its dispatcher tells anything.
    user_threads_end(&view->users, ends);
    for (size_t i = 0; i < view->threads.count; i++) {
        struct thread *thread = view->threads.rows[i];
        begin_thread(view, thread, false);
        spend(view, thread, ends[cpu_of(thread->key[0])]);
    }
    put_rows(view, walk, put_array(document, "threads"));
    monitor_sensors_put(&view->sensors, walk, document);
    thread_strips_put_cells(document, &view->strips, walk->hz);
    trace_tool_put_walk(document, walk);
    if (view->options->compensate)
        put_compensation(view, walk->end, walk->hz, document);
}

void monitor_view_summary_note(const json_t *document)
{
    const json_t *row, *rows = json_object_get(document, "compensated");
    const struct column less = {.key = "less"};
    size_t i;
    if (rows == NULL)
        return;
    json_array_foreach(rows, i, row)
    {
        char text[CELL_BYTES];
        trace_time_cell(&less, row, text);
        printf("%s %s on CPU %" JSON_INTEGER_FORMAT " for %" JSON_INTEGER_FORMAT " records",
               i == 0 ? "compensated:" : ",", text, json_integer_value(json_object_get(row, "cpu")),
               json_integer_value(json_object_get(row, "records")));
    }
    if (json_array_size(rows) == 0)
        printf("compensated: there is no record");
    printf("%s\n", json_is_true(json_object_get(document, "approximate"))
                       ? "; approximate, as there are several CPUs"
                       : "");
}

void monitor_view_note(const json_t *document)
{
    thread_strips_note(document);
    monitor_view_summary_note(document);
}

static int verdict(const struct view *view, const struct trace_walk *walk)
{
    char time[TRACE_TIME_BYTES];
    if (!view->options->check || view->violations == 0)
        return KOV_OK;
    trace_time_text(view->when, walk->hz, time);
    return fail(KOV_FAILED,
                "%" PRIu64
                " times more threads run than there are CPUs, first at %s on CPU %" PRIu64
                ": id %" PRIu32 " and id %" PRIu32,
                view->violations, time, view->where, id_of(view->one), id_of(view->other));
}

// Finds the time that is shown, as the choice has it. It is not empty.
static int find_range(struct view *view, struct engine *engine)
{
    struct trace_walk range = {.choice = view->choice};
    u64 end;
    engine_range(engine, &view->begin, &end);
    trace_walk_range(&range, engine);
    view->from = range.begin;
    view->to = range.end;
    if (view->options->compensate) {
        int code = monitor_compensation_begin(&view->compensation, engine);
        if (code != KOV_OK)
            return code;
        end = view->compensation.end;
        view->to = range.end < end ? range.end : end;
        view->to = view->to > view->from ? view->to : view->from;
    }
    strips_begin(&view->strips, view->from, view->to + (view->from == view->to),
                 (u32)view->options->cells);
    return KOV_OK;
}

static int begin(struct view *view, struct engine *engine)
{
    if (event_kinds_described(&engine->descriptions, EVENT_MONITOR_SWITCH) == NULL)
        return fail(KOV_FAILED, "%s is no folder of `kov monitor record`", engine->where);
    int code = find_range(view, engine);
    if (code != KOV_OK)
        return code;
    monitor_sensors_begin(&view->sensors);
    user_threads_begin(&view->users, &view->strips);
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        view->told_from[cpu] = view->begin;
        view->lossless[cpu] = true;
    }
    return KOV_OK;
}

int monitor_view(struct engine *engine, const struct trace_choice *choice,
                 const struct monitor_view_options *options, json_t *document)
{
    struct view view = {
        .options = options, .choice = choice, .threads = {.row_bytes = sizeof(struct thread)}};
    // From the beginning, since what was so before the time that is shown goes on in it.
    struct trace_choice all = *choice;
    struct trace_walk walk = {
        .choice = &all, .event = take_event, .loss = take_loss, .context = &view};
    all.from = 0;
    // Compensated times are earlier, so events until then may have been recorded later.
    if (options->compensate)
        all.to = UINT64_MAX;
    int code = begin(&view, engine);
    if (code == KOV_OK)
        code = trace_walk(&walk, engine);
    if (code == KOV_OK) {
        put_threads(&view, &walk, document);
        code = thread_strips_put_meter(document, &view.strips, options->meter, view.begin, walk.hz);
    }
    if (code == KOV_OK)
        code = verdict(&view, &walk);
    trace_walk_free(&walk);
    strips_free(&view.strips);
    keyed_rows_free(&view.threads);
    keyed_rows_free(&view.users.rows);
    monitor_sensors_free(&view.sensors);
    monitor_compensation_free(&view.compensation);
    return code;
}

#define HIDDEN_TIMES                                                                               \
    HIDDEN("run_ticks"), HIDDEN("mean_slice_ticks"), HIDDEN("longest_slice_ticks"),                \
        HIDDEN("ready_ticks"), HIDDEN("longest_ready_ticks"), HIDDEN("blocked_ticks"),             \
        HIDDEN("unknown_ticks"), HIDDEN("id"), HIDDEN("pid")

static const struct column columns[] = {
    COLUMN("CPU", "cpu", 6),
    COLUMN("THREAD", "name", -12),
    COLUMN("OVER TIME", "strip", -1),
    HIDDEN("switches"),
    HIDDEN("to_itself"),
    HIDDEN("wakes"),
    HIDDEN("faults"),
    HIDDEN("syscalls"),
    HIDDEN("blocks"),
    HIDDEN("calls"),
    HIDDEN("served"),
    HIDDEN_TIMES,
    COLUMNS_END,
};
const struct sheet monitor_view_sheets[] = {
    {"threads", columns}, {"sensors", monitor_sensor_columns}, {NULL, NULL}};

static const struct column summary_columns[] = {
    COLUMN("CPU", "cpu", 6),
    COLUMN("THREAD", "name", -12),
    COLUMN("SWITCHES", "switches", 9),
    COLUMN("TO ITSELF", "to_itself", 9),
    COLUMN("WAKES", "wakes", 9),
    COLUMN("FAULTS", "faults", 9),
    COLUMN("SYSCALLS", "syscalls", 9),
    COLUMN("BLOCKS", "blocks", 7),
    COLUMN("CALLS", "calls", 9),
    COLUMN("SERVED", "served", 9),
    TIME_COLUMN("RUN", "run"),
    TIME_COLUMN("MEAN SLICE", "mean_slice"),
    TIME_COLUMN("LONGEST", "longest_slice"),
    TIME_COLUMN("READY", "ready"),
    TIME_COLUMN("LONGEST", "longest_ready"),
    TIME_COLUMN("BLOCKED", "blocked"),
    TIME_COLUMN("UNKNOWN", "unknown"),
    HIDDEN_TIMES,
    COLUMNS_END,
};
const struct sheet monitor_view_summary_sheets[] = {
    {"threads", summary_columns}, {"sensors", monitor_sensor_columns}, {NULL, NULL}};
