// SPDX-License-Identifier: MIT
// Divides the times of threads (state_walk.h). While a thread runs, its CPU's activity decides,
// else whether it waits for an answer. Where CPUs and threads contradict each other, the time is
// unknown. All is added up by thread while the trace is read, because the trace may tell only later
// to which process a thread belongs.
#include "analyses/trace_breakdown.h"
#include "analyses/state_walk.h"
#include "analyses/syscall_name.h"
#include "analyses/event_words.h"
#include "analyses/trace_calls.h"
#include "analyses/trace_needs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The parts of ACTIVITIES, and those of a thread that does not run:
enum part { PART_READY = ACTIVITIES, PART_CALL, PART_BLOCKED, PARTS };
static const char *const part_keys[PARTS] = {
    [ACTIVITY_UNKNOWN] = "unknown",     [ACTIVITY_IDLE] = "idle", [ACTIVITY_RUN] = "user",
    [ACTIVITY_SYSCALL] = "syscall",     [ACTIVITY_IPC] = "ipc",   [ACTIVITY_FAULT] = "fault",
    [ACTIVITY_INTERRUPT] = "interrupt", [PART_READY] = "ready",   [PART_CALL] = "call",
    [PART_BLOCKED] = "blocked",
};

enum { SYSCALLS, FAULTS, CALLS, PART_COUNTS };

struct part_row {
    u64 key[KEY_WORDS]; // thread, or: process, thread if the process is not known, idle
    u64 ticks[PARTS], counts[PART_COUNTS];
    u64 threads, served;
    bool served_unknown; // by a process that the recording leaves out, too
    u64 run[ACTIVITIES]; // of a thread, since it runs
};

struct syscall_row {
    u64 key[KEY_WORDS]; // number, thread or process
    u64 count, ticks, faults, fault_ticks;
};

struct breakdown {
    struct keyed_rows threads, syscalls;
    struct calls calls;
    u64 cpus[ORRERY_MAX_CPUS][ACTIVITIES];
    u32 told; // mask of CPUs
    const struct recorded *recorded;
    u64 for_waits; // majors without which nobody knows for what a thread waits
    u64 most;
    json_t *document;
    const struct trace_measures *measures; // NULL: none
};

const char *trace_breakdown_part(u64 part)
{
    return part_keys[part];
}

static struct part_row *get_thread(struct breakdown *breakdown, u64 id)
{
    return keyed_rows_get(&breakdown->threads, (const u64[KEY_WORDS]){id});
}

static struct syscall_row *get_syscall(struct breakdown *breakdown, u64 number, u64 thread)
{
    return keyed_rows_get(&breakdown->syscalls, (const u64[KEY_WORDS]){number, thread});
}

static void measure(const struct breakdown *breakdown, u64 thread, u64 part, u64 from, u64 to)
{
    const struct trace_measures *measures = breakdown->measures;
    if (measures != NULL)
        measures->take(measures->context, MEASURED_PART, (const u64[MEASURED_KEYS]){part}, thread,
                       from, to);
}

// ---- times -------------------------------------------------------------------------------------

static int take_interval(void *context, const struct activity_interval *interval)
{
    struct breakdown *breakdown = context;
    u64 ticks = interval->to - interval->from;
    breakdown->cpus[interval->cpu][interval->activity] += ticks;
    if (interval->thread == ACTIVITY_NO_THREAD)
        return KOV_OK;
    get_thread(breakdown, interval->thread)->run[interval->activity] += ticks;
    measure(breakdown, interval->thread, interval->activity, interval->from, interval->to);
    calls_interval(&breakdown->calls, interval);
    if (interval->activity == ACTIVITY_SYSCALL)
        get_syscall(breakdown, interval->call, interval->thread)->ticks += ticks;
    else if (interval->call != 0 && interval->activity == ACTIVITY_FAULT)
        get_syscall(breakdown, interval->call, interval->thread)->fault_ticks += ticks;
    return KOV_OK;
}

static void divide_run(struct part_row *thread, u64 ticks)
{
    u64 told = 0;
    for (u32 i = 0; i < ACTIVITIES; i++)
        told += thread->run[i];
    if (told != ticks)
        thread->ticks[ACTIVITY_UNKNOWN] += ticks;
    for (u32 i = 0; i < ACTIVITIES && told == ticks; i++)
        thread->ticks[i] += thread->run[i];
}

static void take_time(void *context, const struct thread_interval *interval)
{
    struct breakdown *breakdown = context;
    enum thread_time on = interval->on;
    struct part_row *thread = get_thread(breakdown, interval->thread);
    bool sleeps = on == THREAD_BLOCKED || calls_sleeps(&breakdown->calls, interval->thread);
    bool told = (breakdown->for_waits & ~breakdown->recorded->ever) == 0;
    u32 part = on == THREAD_READY                                    ? PART_READY
               : !sleeps || !told                                    ? (u32)ACTIVITY_UNKNOWN
               : calls_open(&breakdown->calls, interval->thread) > 0 ? PART_CALL
                                                                     : PART_BLOCKED;
    if (on == THREAD_RUN) {
        divide_run(thread, interval->to - interval->from);
    } else {
        thread->ticks[part] += interval->to - interval->from;
        measure(breakdown, interval->thread, part, interval->from, interval->to);
    }
    memset(thread->run, 0, sizeof(thread->run));
}

// ---- events ------------------------------------------------------------------------------------

static int take_event(void *context, const struct trace_walk *walk, const struct trace_event *event)
{
    struct breakdown *breakdown = context;
    const struct activity_machine *machine = &walk->model.machine;
    u64 doer = machine->doer, call = machine->cpus[event->cpu].call;
    calls_event(&breakdown->calls, walk, event);
    if (event->kind == EVENT_SWITCH) { // both count, even if they have no time
        get_thread(breakdown, event->values[0]);
        get_thread(breakdown, event->values[1]);
    } else if (doer == ACTIVITY_NO_THREAD) {
        return KOV_OK;
    } else if (event->kind == EVENT_IPC_CALL) {
        get_thread(breakdown, doer)->counts[CALLS]++;
    } else if (event->kind == EVENT_SYSCALL_ENTER) {
        get_thread(breakdown, doer)->counts[SYSCALLS]++;
        get_syscall(breakdown, event->values[0], doer)->count++;
    } else if (event->kind == EVENT_FAULT_ENTER) {
        get_thread(breakdown, doer)->counts[FAULTS]++;
        if (call != 0)
            get_syscall(breakdown, call, doer)->faults++;
    }
    return KOV_OK;
}

static void take_loss(void *context, const struct trace_loss *loss)
{
    struct breakdown *breakdown = context;
    (void)loss;
    calls_loss(&breakdown->calls);
}

// ---- by process --------------------------------------------------------------------------------

static void join_thread(struct keyed_rows *joined, const struct trace_walk *walk,
                        const struct part_row *thread)
{
    u64 pid = trace_walk_pid(walk, thread->key[0]);
    bool idle = trace_walk_is_idle(walk, thread->key[0]);
    const u64 key[KEY_WORDS] = {pid, pid == ACTIVITY_NO_PID && !idle ? thread->key[0] : 0, idle};
    struct part_row *row = keyed_rows_get(joined, key);
    for (u32 i = 0; i < PARTS; i++)
        row->ticks[i] += thread->ticks[i];
    for (u32 i = 0; i < PART_COUNTS; i++)
        row->counts[i] += thread->counts[i];
    row->served += thread->served;
    row->served_unknown |= thread->served_unknown;
    row->threads++;
}

static u64 on_cpus(const struct part_row *row)
{
    u64 ticks = 0;
    for (u32 i = ACTIVITY_RUN; i < ACTIVITIES; i++)
        ticks += row->ticks[i];
    return ticks;
}

static int compare(const void *one, const void *other)
{
    const struct part_row *a = *(void *const *)one, *b = *(void *const *)other;
    if (on_cpus(a) != on_cpus(b))
        return on_cpus(a) > on_cpus(b) ? -1 : 1;
    return memcmp(a->key, b->key, sizeof(a->key));
}

static void put_process(json_t *rows, const struct trace_walk *walk, const struct part_row *process)
{
    json_t *row = put_object(rows, NULL);
    bool left_out = activity_leaves_out(&walk->model.machine, process->key[0]);
    u64 wall = 0, untold = 0;
    trace_tool_put_process(row, walk, process->key[0], process->key[1], process->key[2] != 0);
    put_u64(row, "threads", process->threads);
    for (u32 i = 0; i < PARTS; i++) {
        trace_tool_put_time(row, part_keys[i], (double)process->ticks[i], walk->hz);
        wall += process->ticks[i];
        untold += left_out && i < ACTIVITIES ? process->ticks[i] : 0;
    }
    if (left_out) // also before the recording left it out, so that one sum has one meaning
        trace_tool_put_time(row, "unknown", (double)untold, walk->hz);
    trace_tool_put_time(row, "wall", (double)wall, walk->hz);
    put_u64(row, "syscalls", process->counts[SYSCALLS]);
    put_u64(row, "faults", process->counts[FAULTS]);
    put_u64(row, "calls", process->counts[CALLS]);
    u64 kernel = process->ticks[ACTIVITY_SYSCALL] + process->ticks[ACTIVITY_IPC] +
                 process->ticks[ACTIVITY_FAULT];
    trace_tool_put_time(row, "served", (double)process->served, walk->hz);
    trace_tool_put_time(row, "ex_process", (double)(kernel + process->served), walk->hz);
    if (process->served_unknown)
        trace_needs_clear(row, "served,ex_process");
    if (left_out)
        trace_needs_clear(row, "user,syscall,ipc,fault,interrupt,idle,syscalls,faults,"
                               "served,ex_process");
}

static void put_processes(struct breakdown *breakdown, const struct trace_walk *walk)
{
    struct keyed_rows joined = {.row_bytes = sizeof(struct part_row)};
    for (size_t i = 0; i < breakdown->calls.rows.count; i++) {
        const struct call_row *call = breakdown->calls.rows.rows[i];
        struct part_row *client = get_thread(breakdown, call->key[3]);
        client->served += call->worked;
        client->served_unknown |= activity_leaves_out(&walk->model.machine, call->key[0]);
    }
    for (size_t i = 0; i < breakdown->threads.count; i++) {
        const struct part_row *thread = breakdown->threads.rows[i];
        if (trace_walk_has_cpu_of(walk, thread->key[0]) &&
            trace_walk_has_thread(walk, thread->key[0]))
            join_thread(&joined, walk, thread);
    }
    if (joined.count > 1)
        qsort(joined.rows, joined.count, sizeof(void *), compare);
    json_t *rows = put_array(breakdown->document, "processes");
    for (size_t i = 0; i < joined.count; i++)
        put_process(rows, walk, joined.rows[i]);
    keyed_rows_free(&joined);
}

static void put_cpus(const struct breakdown *breakdown, const struct trace_walk *walk)
{
    json_t *rows = put_array(breakdown->document, "cpus");
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++) {
        if ((breakdown->told >> cpu & 1) == 0 || !trace_walk_has_cpu(walk, cpu))
            continue;
        json_t *row = put_object(rows, NULL);
        put_u64(row, "cpu", cpu);
        for (u32 i = 0; i < ACTIVITIES; i++)
            trace_tool_put_time(row, part_keys[i], (double)breakdown->cpus[cpu][i], walk->hz);
    }
}

// ---- by server, by system call -----------------------------------------------------------------

static int compare_calls(const void *one, const void *other)
{
    const struct call_row *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->worked != b->worked)
        return a->worked > b->worked ? -1 : 1;
    return memcmp(a->key, b->key, sizeof(a->key));
}

static void put_servers(const struct breakdown *breakdown, const struct trace_walk *walk)
{
    struct keyed_rows joined = {.row_bytes = sizeof(struct call_row)};
    const struct keyed_rows *all = &breakdown->calls.rows;
    for (size_t i = 0; i < all->count; i++) {
        const struct call_row *call = all->rows[i];
        u64 pid = trace_walk_pid(walk, call->key[3]), wanted = walk->choice->pid;
        if (wanted != TRACE_ANY && wanted != pid && wanted != call->key[0])
            continue;
        struct call_row *row = keyed_rows_get(
            &joined, (const u64[KEY_WORDS]){call->key[0], call->key[1], call->key[2], pid});
        row->count += call->count;
        row->waited += call->waited;
        row->worked += call->worked;
    }
    if (joined.count > 1)
        qsort(joined.rows, joined.count, sizeof(void *), compare_calls);
    json_t *rows = put_array(breakdown->document, "servers");
    for (size_t i = 0; i < joined.count && (breakdown->most == 0 || i < breakdown->most); i++) {
        const struct call_row *call = joined.rows[i];
        json_t *row = put_object(rows, NULL);
        put_u64(row, "server", call->key[0]);
        event_words_put_process(row, "server_name", &walk->labels, call->key[0]);
        event_words_put_endpoint(row, &walk->labels, call->key[1]);
        event_words_put_method(row, call->key[2]);
        trace_tool_put_process(row, walk, call->key[3], ACTIVITY_NO_THREAD, false);
        put_u64(row, "count", call->count);
        trace_tool_put_time(row, "worked", (double)call->worked, walk->hz);
        if (activity_leaves_out(&walk->model.machine, call->key[0]))
            trace_needs_clear(row, "worked");
        trace_tool_put_time(row, "waited", (double)call->waited, walk->hz);
    }
    keyed_rows_free(&joined);
}

static int compare_syscalls(const void *one, const void *other)
{
    const struct syscall_row *a = *(void *const *)one, *b = *(void *const *)other;
    if (a->ticks != b->ticks)
        return a->ticks > b->ticks ? -1 : 1;
    return memcmp(a->key, b->key, sizeof(a->key));
}

static void put_syscalls(const struct breakdown *breakdown, const struct trace_walk *walk)
{
    struct keyed_rows joined = {.row_bytes = sizeof(struct syscall_row)};
    for (size_t i = 0; i < breakdown->syscalls.count; i++) {
        const struct syscall_row *own = breakdown->syscalls.rows[i];
        if (!trace_walk_has_thread(walk, own->key[1]))
            continue;
        struct syscall_row *row = keyed_rows_get(
            &joined, (const u64[KEY_WORDS]){own->key[0], trace_walk_pid(walk, own->key[1])});
        row->count += own->count;
        row->ticks += own->ticks;
        row->faults += own->faults;
        row->fault_ticks += own->fault_ticks;
    }
    if (joined.count > 1)
        qsort(joined.rows, joined.count, sizeof(void *), compare_syscalls);
    json_t *rows = put_array(breakdown->document, "syscalls");
    for (size_t i = 0; i < joined.count && (breakdown->most == 0 || i < breakdown->most); i++) {
        const struct syscall_row *own = joined.rows[i];
        json_t *row = put_object(rows, NULL);
        trace_tool_put_process(row, walk, own->key[1], ACTIVITY_NO_THREAD, false);
        put_u64(row, "number", own->key[0]);
        put_text(row, "call", syscall_name(own->key[0]));
        put_u64(row, "count", own->count);
        trace_tool_put_time(row, "own", (double)own->ticks, walk->hz);
        put_u64(row, "faults", own->faults);
        trace_tool_put_time(row, "fault", (double)own->fault_ticks, walk->hz);
    }
    keyed_rows_free(&joined);
}

// ---- the answer --------------------------------------------------------------------------------

static void end_measures(const struct breakdown *breakdown, const struct trace_walk *walk)
{
    const struct trace_measures *measures = breakdown->measures;
    for (size_t i = 0; i < breakdown->threads.count; i++) {
        const struct part_row *thread = breakdown->threads.rows[i];
        if (trace_walk_is_idle(walk, thread->key[0]))
            measures->idle(measures->context, thread->key[0]);
    }
    measures->end(measures->context, walk);
}

static void put_answer(struct breakdown *breakdown, const struct trace_walk *walk)
{
    if (breakdown->measures != NULL) {
        end_measures(breakdown, walk);
        return;
    }
    put_processes(breakdown, walk);
    put_cpus(breakdown, walk);
    put_servers(breakdown, walk);
    put_syscalls(breakdown, walk);
    put_u64(breakdown->document, "calls_dropped", breakdown->calls.dropped);
    trace_tool_put_walk(breakdown->document, walk);
}

static int follow(struct engine *engine, const struct trace_choice *choice, u64 most,
                  json_t *document, const struct trace_measures *measures)
{
    struct breakdown breakdown = {.threads = {.row_bytes = sizeof(struct part_row)},
                                  .syscalls = {.row_bytes = sizeof(struct syscall_row)},
                                  .told = engine->cpus,
                                  .recorded = &engine->recorded,
                                  .for_waits = recorded_mask("SCHED,EXC,SYSCALL,IPC"),
                                  .most = most,
                                  .document = document,
                                  .measures = measures};
    struct state_walk walk = {.ended = take_time,
                              .interval = take_interval,
                              .event = take_event,
                              .loss = take_loss,
                              .context = &breakdown};
    calls_begin(&breakdown.calls);
    breakdown.calls.measures = measures;
    int code = state_walk(&walk, engine, choice);
    if (code == KOV_OK)
        put_answer(&breakdown, &walk.walk);
    state_walk_free(&walk);
    calls_free(&breakdown.calls);
    keyed_rows_free(&breakdown.threads);
    keyed_rows_free(&breakdown.syscalls);
    return code;
}

int trace_breakdown(struct engine *engine, const struct trace_choice *choice, u64 most,
                    json_t *document)
{
    return follow(engine, choice, most, document, NULL);
}

int trace_breakdown_measure(struct engine *engine, const struct trace_choice *choice,
                            const struct trace_measures *measures)
{
    return follow(engine, choice, 0, NULL, measures);
}

static const struct column process_columns[] = {
    COLUMN("PROCESS", "process", -11),
    COLUMN("THREADS", "threads", 7, .rank = RANK_RARE),
    TIME_COLUMN("WALL", "wall"),
    TIME_COLUMN("USER", "user"),
    COLUMN("#", "syscalls", 6, .rank = RANK_RARE),
    TIME_COLUMN("SYSCALLS", "syscall"),
    COLUMN("#", "faults", 6, .rank = RANK_RARE),
    TIME_COLUMN("FAULTS", "fault"),
    TIME_COLUMN("IPC", "ipc"),
    COLUMN("#", "calls", 6, .rank = RANK_RARE),
    TIME_COLUMN("IN CALLS", "call"),
    TIME_COLUMN("INTERRUPT", "interrupt"),
    TIME_COLUMN("IDLE", "idle"),
    TIME_COLUMN("READY", "ready"),
    TIME_COLUMN("BLOCKED", "blocked"),
    TIME_COLUMN("UNKNOWN", "unknown"),
    TIME_COLUMN("SERVED", "served"),
    TIME_COLUMN("EX-PROCESS", "ex_process"),
    HIDDEN("pid"),
    HIDDEN("wall_ticks"),
    HIDDEN("user_ticks"),
    HIDDEN("syscall_ticks"),
    HIDDEN("fault_ticks"),
    HIDDEN("ipc_ticks"),
    HIDDEN("call_ticks"),
    HIDDEN("interrupt_ticks"),
    HIDDEN("idle_ticks"),
    HIDDEN("ready_ticks"),
    HIDDEN("blocked_ticks"),
    HIDDEN("unknown_ticks"),
    HIDDEN("served_ticks"),
    HIDDEN("ex_process_ticks"),
    COLUMNS_END,
};
static const struct column cpu_columns[] = {
    COLUMN("CPU", "cpu", 3),
    TIME_COLUMN("USER", "user"),
    TIME_COLUMN("SYSCALLS", "syscall"),
    TIME_COLUMN("FAULTS", "fault"),
    TIME_COLUMN("IPC", "ipc"),
    TIME_COLUMN("INTERRUPT", "interrupt"),
    TIME_COLUMN("IDLE", "idle"),
    TIME_COLUMN("UNKNOWN", "unknown"),
    COLUMNS_END,
};
static const struct column server_columns[] = {
    COLUMN("SERVER", "server_name", -8),
    COLUMN("ENDPOINT", "endpoint_name", -12, .rank = RANK_RARE),
    COLUMN("METHOD", "method_name", -14, .rank = RANK_KEEP),
    COLUMN("CLIENT", "process", -8),
    HIDDEN("server"),
    HIDDEN("endpoint"),
    HIDDEN("method"),
    HIDDEN("pid"),
    COLUMN("COUNT", "count", 8),
    TIME_COLUMN("WORKED", "worked"),
    TIME_COLUMN("WAITED FOR", "waited"),
    HIDDEN("worked_ticks"),
    HIDDEN("waited_ticks"),
    COLUMNS_END,
};
static const struct column syscall_columns[] = {
    COLUMN("PROCESS", "process", -11),
    COLUMN("CALL", "call", -22),
    HIDDEN("pid"),
    COLUMN("COUNT", "count", 8),
    TIME_COLUMN("OWN", "own"),
    COLUMN("FAULTS", "faults", 6),
    TIME_COLUMN("IN FAULTS", "fault"),
    HIDDEN("number"),
    HIDDEN("own_ticks"),
    HIDDEN("fault_ticks"),
    COLUMNS_END,
};
const struct sheet trace_breakdown_sheets[] = {{"processes", process_columns},
                                               {"cpus", cpu_columns},
                                               {"servers", server_columns},
                                               {"syscalls", syscall_columns},
                                               {NULL, NULL}};

void trace_breakdown_note(const json_t *document)
{
    json_int_t dropped = json_integer_value(json_object_get(document, "calls_dropped"));
    if (dropped != 0)
        printf("%" JSON_INTEGER_FORMAT " calls were open where events are missing: not followed\n",
               dropped);
}
