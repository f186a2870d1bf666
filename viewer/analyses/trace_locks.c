// SPDX-License-Identifier: MIT
// Adds up waits for locks by lock, call chain and thread while the trace is read, then by process.
// The trace may tell only later to which process a thread belongs.
#include "analyses/trace_locks.h"
#include "tools/number_list.h"
#include "analyses/event_words.h"
#include "analyses/trace_holds.h"

#include <stdlib.h>
#include <string.h>

#define CALLERS TRACE_LOCK_CALLERS
#define OF_PROGRAM (1UL << 63) // with a process, in place of a thread: the process's own lock

struct wait_row {
    u64 key[KEY_WORDS]; // lock, callers, thread or process
    u64 count, ticks, longest, spins, cpus;
};

struct locks {
    struct trace_walk walk;
    struct keyed_rows rows;
    struct trace_holds holds;
    const struct trace_measures *measures; // NULL: none
};

static void add(struct keyed_rows *rows, const struct wait_row *wait)
{
    struct wait_row *row = keyed_rows_get(rows, wait->key);
    row->count += wait->count;
    row->ticks += wait->ticks;
    row->spins += wait->spins;
    row->cpus |= wait->cpus;
    row->longest = wait->longest > row->longest ? wait->longest : row->longest;
}

// values: lock, spins, ticks, callers
static int take_event(void *context, const struct trace_event *event)
{
    struct locks *locks = context;
    const u64 *values = event->values;
    trace_holds_event(&locks->holds, &locks->walk, event);
    if (event_kind_of_any(event) != EVENT_LOCK_CONTENDED ||
        !trace_walk_has_cpu(&locks->walk, event->cpu))
        return KOV_OK;
    const struct trace_measures *measures = locks->measures;
    u64 thread = trace_walk_thread(&locks->walk, event->cpu);
    if (measures != NULL) {
        if (event->pid == 0)
            measures->take(measures->context, MEASURED_WAIT,
                           (const u64[MEASURED_KEYS]){values[3], values[4], values[5]}, thread,
                           event->time - values[2], event->time);
        return KOV_OK;
    }
    struct wait_row wait = {.key = {values[0], values[3], values[4], values[5],
                                    event->pid != 0 ? OF_PROGRAM | event->pid : thread},
                            .count = 1,
                            .ticks = values[2],
                            .longest = values[2],
                            .spins = values[1],
                            .cpus = 1UL << event->cpu};
    add(&locks->rows, &wait);
    return KOV_OK;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct locks *locks = context;
    trace_holds_loss(&locks->holds, loss);
    return KOV_OK;
}

// Joins the rows of threads into those of their processes.
static void join_processes(const struct locks *locks, struct keyed_rows *joined)
{
    for (size_t i = 0; i < locks->rows.count; i++) {
        struct wait_row wait = *(const struct wait_row *)locks->rows.rows[i];
        u64 who = wait.key[1 + CALLERS], wanted = locks->walk.choice->pid;
        bool of_program = who != ACTIVITY_NO_THREAD && (who & OF_PROGRAM) != 0;
        if (!of_program)
            wait.key[1 + CALLERS] = trace_walk_pid(&locks->walk, who);
        if (of_program ? wanted == TRACE_ANY || wanted == (who & ~OF_PROGRAM)
                       : trace_walk_has_thread(&locks->walk, who))
            add(joined, &wait);
    }
}

// ---- order -------------------------------------------------------------------------------------

static int compare(const void *one, const void *other, void *order)
{
    const struct wait_row *a = *(void *const *)one, *b = *(void *const *)other;
    u64 first[] = {a->ticks, a->count, a->longest}, second[] = {b->ticks, b->count, b->longest};
    enum trace_locks_order by = *(enum trace_locks_order *)order;
    if (first[by] != second[by])
        return first[by] > second[by] ? -1 : 1;
    return memcmp(a->key, b->key, sizeof(a->key));
}

// ---- holds ----------------------------------------------------------------------------------

static int held_compare(const struct histogram *one, const struct histogram *other, u32 order)
{
    double a[] = {one->sum, (double)one->count, (double)one->max};
    double b[] = {other->sum, (double)other->count, (double)other->max};
    return a[order] > b[order] ? -1 : a[order] < b[order];
}

static int held_by_time(const struct histogram *one, const struct histogram *other)
{
    return held_compare(one, other, LOCKS_BY_TIME);
}

static int held_by_count(const struct histogram *one, const struct histogram *other)
{
    return held_compare(one, other, LOCKS_BY_COUNT);
}

static int held_by_longest(const struct histogram *one, const struct histogram *other)
{
    return held_compare(one, other, LOCKS_BY_LONGEST);
}

// ---- the answer --------------------------------------------------------------------------------

static void put_numbers(json_t *row, const struct wait_row *wait, u64 hz)
{
    trace_tool_put_time(row, "time", (double)wait->ticks, hz);
    put_u64(row, "count", wait->count);
    put_u64(row, "spins", wait->spins);
    trace_tool_put_time(row, "longest", (double)wait->longest, hz);
    trace_tool_put_time(row, "mean",
                        wait->count == 0 ? 0 : (double)wait->ticks / (double)wait->count, hz);
}

static void put_row(json_t *rows, const struct wait_row *wait, struct trace_names *names,
                    struct trace_walk *walk)
{
    char cpus[NUMBER_LIST_BYTES];
    u64 pid = wait->key[1 + CALLERS];
    bool of_program = pid != ACTIVITY_NO_PID && (pid & OF_PROGRAM) != 0;
    pid = of_program ? pid & ~OF_PROGRAM : pid;
    json_t *row = put_object(rows, NULL);
    put_numbers(row, wait, walk->hz);
    put_text(row, "cpus", number_list_text(wait->cpus, cpus));
    trace_tool_put_process(row, walk, pid, ACTIVITY_NO_THREAD, false);
    put_text(row, "code", of_program ? "program" : "kernel");
    struct symbols *symbols = of_program
                                  ? program_symbols(&names->programs, &names->snapshot, (u32)pid)
                                  : trace_names_kernel(names, walk->choice->descriptions);
    event_words_put_lock(row, of_program ? NULL : walk, symbols, wait->key[0]);
    trace_tool_put_chain(row, wait->key + 1, symbols);
}

static int (*const held_orders[])(const struct histogram *, const struct histogram *) = {
    [LOCKS_BY_TIME] = held_by_time,
    [LOCKS_BY_COUNT] = held_by_count,
    [LOCKS_BY_LONGEST] = held_by_longest};

static void put_answer(json_t *document, struct locks *locks, enum trace_locks_order order,
                       u64 most)
{
    struct keyed_rows joined = {.row_bytes = sizeof(struct wait_row)};
    struct trace_names names = {0};
    struct wait_row all = {0};
    trace_names_by_labels(&names, &locks->walk.labels);
    join_processes(locks, &joined);
    if (joined.count > 1)
        qsort_r(joined.rows, joined.count, sizeof(void *), compare, &order);
    json_t *rows = put_array(document, "locks");
    for (size_t i = 0; i < joined.count; i++) {
        const struct wait_row *wait = joined.rows[i];
        if (most == 0 || i < most)
            put_row(rows, wait, &names, &locks->walk);
        all.count += wait->count;
        all.ticks += wait->ticks;
        all.spins += wait->spins;
        all.longest = wait->longest > all.longest ? wait->longest : all.longest;
    }
    put_u64(document, "rows", joined.count);
    trace_holds_put(&locks->holds, &locks->walk, held_orders[order], most,
                    trace_names_kernel(&names, locks->walk.choice->descriptions), document);
    put_numbers(put_object(document, "all"), &all, locks->walk.hz);
    trace_tool_put_walk(document, &locks->walk);
    trace_names_free(&names);
    keyed_rows_free(&joined);
}

static void begin(struct locks *locks, const struct trace_choice *choice)
{
    *locks = (struct locks){
        .walk = {.choice = choice, .event = take_event, .loss = take_loss, .context = locks},
        .rows = {.row_bytes = sizeof(struct wait_row)}};
    trace_holds_begin(&locks->holds);
}

static void end(struct locks *locks)
{
    keyed_rows_free(&locks->rows);
    trace_holds_free(&locks->holds);
    trace_walk_free(&locks->walk);
}

int trace_locks(struct engine *engine, const struct trace_choice *choice,
                enum trace_locks_order order, u64 most, json_t *document)
{
    struct locks locks;
    begin(&locks, choice);
    int code = trace_walk(&locks.walk, engine);
    if (code == KOV_OK)
        put_answer(document, &locks, order, most);
    end(&locks);
    return code;
}

int trace_locks_measure(struct engine *engine, const struct trace_choice *choice,
                        const struct trace_measures *measures)
{
    struct locks locks;
    begin(&locks, choice);
    locks.measures = locks.holds.measures = measures;
    int code = trace_walk(&locks.walk, engine);
    if (code == KOV_OK)
        measures->end(measures->context, &locks.walk);
    end(&locks);
    return code;
}

static const struct column columns[] = {
    TIME_COLUMN("TIME", "time"),
    COLUMN("COUNT", "count", 8),
    COLUMN("SPINS", "spins", 10, .rank = RANK_RARE),
    TIME_COLUMN("LONGEST", "longest"),
    TIME_COLUMN("MEAN", "mean"),
    COLUMN("CPUS", "cpus", 5, .rank = RANK_RARE),
    COLUMN("PROCESS", "process", -14),
    COLUMN("CODE", "code", -7),
    HIDDEN("pid"),
    COLUMN("LOCK", "lock_name", -18, .rank = RANK_KEEP),
    HIDDEN("lock"),
    COLUMN("CALLED FROM", "chain", -1),
    HIDDEN("time_ticks"),
    HIDDEN("longest_ticks"),
    COLUMNS_END,
};
const struct sheet trace_locks_sheets[] = {
    {"locks", columns}, {"holds", trace_holds_columns}, {NULL, NULL}};

void trace_locks_note(const json_t *document)
{
    const json_t *all = json_object_get(document, "all");
    char time[CELL_BYTES];
    trace_time_cell(&(const struct column){.key = "time"}, all, time);
    printf("all %" JSON_INTEGER_FORMAT " rows: %s waited in %" JSON_INTEGER_FORMAT " waits\n",
           json_integer_value(json_object_get(document, "rows")), time,
           json_integer_value(json_object_get(all, "count")));
}
