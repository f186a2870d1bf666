// SPDX-License-Identifier: MIT
// Prints the account of sleep locks: tables and time lines.
#include "locks/sleep_print.h"
#include "machine/failures_print.h"
#include "symbols/place.h"

#include <inttypes.h>

#define THREADS_SHOWN 4
#define NAME_BYTES 160

static const char *const operation_names[SLEEP_OPERATIONS] = {"", "enqueue", "time-out", "wake-up",
                                                              "present"};

static double seconds_of(const struct sleep_report *report, u64 ticks)
{
    return report->timebase_hz == 0 ? 0 : (double)ticks / (double)report->timebase_hz;
}

static double window(const struct sleep_report *report)
{
    const struct sleep_account *account = &report->account;
    return seconds_of(report, account->end > account->begin ? account->end - account->begin : 0);
}

static double average_length(const struct sleep_report *report, const struct sleep_queue *queue)
{
    double all = window(report) * (double)report->timebase_hz;
    return all > 0 ? queue->length_ticks / all : 0;
}

// Writes the variable that the queue's word is or lies in, or its address. Returns whether it has a
// name.
static bool word_name(const struct sleep_report *report, const struct sleep_queue *queue,
                      char name[NAME_BYTES])
{
    struct symbols *symbols = program_symbols(report->programs, &report->snapshot, queue->pid);
    return place_variable(symbols_find(symbols, queue->queue), queue->queue, name, NAME_BYTES);
}

static u64 all_lost(const struct sleep_account *account)
{
    u64 lost = 0;
    for (size_t i = 0; i < account->object_count; i++)
        lost += account->objects[i].lost;
    return lost;
}

// ---- the rows ----------------------------------------------------------------------------------

static void put_process(json_t *json, const struct sleep_report *report, u32 pid)
{
    const struct process_info *process = snapshot_process(&report->snapshot, pid);
    put_u64(json, "pid", pid);
    put_text(json, "process", process == NULL ? NULL : process->name);
}

static void put_changes(json_t *json, const struct sleep_report *report,
                        const struct sleep_queue *queue)
{
    json_t *list = put_array(json, "timeline");
    for (size_t i = 0; i < queue->change_count; i++) {
        const struct sleep_change *change = &queue->changes[i];
        json_t *row = put_object(list, NULL);
        put_number(row, "seconds",
                   change->time > report->account.begin
                       ? seconds_of(report, change->time - report->account.begin)
                       : 0);
        put_text(row, "operation", operation_names[change->operation]);
        put_u64(row, "thread", change->thread);
        put_u64(row, "length", change->length);
        put_u64(row, "lost", change->lost);
        json_t *rows = put_array(row, "members");
        for (u32 member = 0; member < change->count; member++)
            put_u64(rows, NULL, queue->change_members[change->first + member]);
    }
}

static void put_threads(json_t *json, const struct sleep_report *report,
                        const struct sleep_queue *queue)
{
    json_t *list = put_array(json, "threads");
    for (size_t i = 0; i < queue->thread_count; i++) {
        const struct sleep_thread *thread = &queue->threads[i];
        json_t *row = put_object(list, NULL);
        put_u64(row, "thread", thread->thread);
        put_u64(row, "waits", thread->waits);
        put_number(row, "seconds", seconds_of(report, thread->ticks));
        put_number(row, "max_seconds", seconds_of(report, thread->longest));
    }
}

static void put_queue(json_t *json, const struct sleep_report *report,
                      const struct sleep_queue *queue)
{
    char name[NAME_BYTES];
    bool known = word_name(report, queue, name);
    json_t *row = put_object(json, NULL);
    put_process(row, report, queue->pid);
    put_hex(row, "coid", queue->coid);
    put_hex(row, "queue", queue->queue);
    put_text(row, "name", known ? name : NULL);
    put_u64(row, "enqueues", queue->operations[SLEEP_ENQUEUE]);
    put_u64(row, "present", queue->operations[SLEEP_PRESENT]);
    put_u64(row, "wake_ups", queue->operations[SLEEP_WAKEUP]);
    put_u64(row, "time_outs", queue->operations[SLEEP_DEQUEUE]);
    put_u64(row, "waits", queue->waits);
    put_u64(row, "waits_unknown", queue->unknown);
    put_u64(row, "still_waiting", queue->still);
    double seconds = seconds_of(report, queue->ticks);
    put_number(row, "seconds", seconds);
    put_number(row, "mean_seconds", queue->waits == 0 ? 0 : seconds / (double)queue->waits);
    put_number(row, "max_seconds", seconds_of(report, queue->longest));
    put_u64(row, "longest", queue->length_max);
    put_number(row, "average_length", average_length(report, queue));
    put_threads(row, report, queue);
    put_changes(row, report, queue);
}

static void put_lock_object(json_t *json, const struct sleep_report *report,
                            const struct sleep_object *object)
{
    json_t *row = put_object(json, NULL);
    put_process(row, report, object->pid);
    put_hex(row, "coid", object->coid);
    put_u64(row, "records", object->logged);
    put_u64(row, "lost", object->lost);
    put_u64(row, "buffer_bytes", object->buffer_bytes);
    put_number(row, "seconds", seconds_of(report, object->ticks));
}

// ---- tables ------------------------------------------------------------------------------------

static double ms(const struct sleep_report *report, u64 ticks)
{
    return seconds_of(report, ticks) * 1e3;
}

static void print_threads(const struct sleep_report *report, const struct sleep_queue *queue)
{
    printf("%10s", "");
    for (size_t i = 0; i < queue->thread_count && i < THREADS_SHOWN; i++)
        printf("%sthread %" PRIu32 ": %.3f ms in %" PRIu64, i == 0 ? "" : ", ",
               queue->threads[i].thread, ms(report, queue->threads[i].ticks),
               queue->threads[i].waits);
    if (queue->thread_count > THREADS_SHOWN)
        printf(", %zu more", queue->thread_count - THREADS_SHOWN);
    if (queue->still > 0)
        printf("; %" PRIu64 " still wait", queue->still);
    if (queue->unknown > 0)
        printf("; of %" PRIu64 " waits a part was lost", queue->unknown);
    printf("\n");
}

static void print_timeline(const struct sleep_report *report, const struct sleep_queue *queue)
{
    for (size_t i = 0; i < queue->change_count; i++) {
        const struct sleep_change *change = &queue->changes[i];
        if (change->lost > 0)
            printf("%14s  %" PRIu32 " records lost\n", "", change->lost);
        double time = change->time > report->account.begin
                          ? ms(report, change->time - report->account.begin)
                          : 0;
        printf("%11.3f ms  %-8s  thread %-6" PRIu32 " %4" PRIu32 " wait:", time,
               operation_names[change->operation], change->thread, change->length);
        for (u32 member = 0; member < change->count; member++)
            printf(" %" PRIu32, queue->change_members[change->first + member]);
        printf("%s\n", change->count < change->length ? " …" : "");
    }
}

static void enqueues_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    snprintf(text, CELL_BYTES, "%" JSON_INTEGER_FORMAT,
             json_integer_value(json_object_get(row, column->key)) +
                 json_integer_value(json_object_get(row, "present")));
}

static void name_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const char *name = json_string_value(json_object_get(row, column->key));
    snprintf(text, CELL_BYTES, "  %s",
             name != NULL ? name : json_string_value(json_object_get(row, "queue")));
}

static const struct column queue_columns[] = {
    HIDDEN("pid"),
    HIDDEN("process"),
    HIDDEN("coid"),
    HIDDEN("queue"),
    COLUMN("ENQUEUES", "enqueues", 9, .compose = enqueues_text),
    HIDDEN("present"),
    COLUMN("WAKE-UPS", "wake_ups", 9),
    COLUMN("TIME-OUTS", "time_outs", 9),
    COLUMN("WAITED ms", "seconds", 11, .decimals = 3, .scale = 1e3),
    COLUMN("MEAN ms", "mean_seconds", 11, .decimals = 3, .scale = 1e3),
    COLUMN("MAX ms", "max_seconds", 11, .decimals = 3, .scale = 1e3),
    COLUMN("LONGEST", "longest", 7),
    COLUMN("AVERAGE", "average_length", 9, .decimals = 3),
    COLUMN("  QUEUE", "name", -1, .compose = name_text),
    COLUMNS_END,
};
static const struct column object_columns[] = {
    HIDDEN("pid"),  HIDDEN("process"),      HIDDEN("coid"),    HIDDEN("records"),
    HIDDEN("lost"), HIDDEN("buffer_bytes"), HIDDEN("seconds"), COLUMNS_END,
};
static const struct sheet sheets[] = {
    {"queues", queue_columns}, {"objects", object_columns}, {NULL, NULL}};

// Prints an object and its queues. `queues` has the rows of account->queues.
static void print_object(const struct sleep_report *report, const struct sleep_object *object,
                         const json_t *queues, bool timeline)
{
    const struct sleep_account *account = &report->account;
    char name[OBJECT_NAME_BYTES];
    if (object->logged == 0 && object->lost == 0)
        return;
    snapshot_object_name(&report->snapshot, object->pid, object->coid, name);
    printf("\n%s: %" PRIu64 " records, %" PRIu64 " lost, buffer of %" PRIu64 " KB\n", name,
           object->logged, object->lost, object->buffer_bytes / 1024);
    for (size_t i = 0; i < account->queue_count; i++) {
        const struct sleep_queue *queue = &account->queues[i];
        if (queue->pid != object->pid || queue->coid != object->coid)
            continue;
        columns_row(queue_columns, json_array_get(queues, i));
        if (queue->thread_count > 0 || queue->unknown > 0)
            print_threads(report, queue);
        if (timeline)
            print_timeline(report, queue);
    }
}

static void print_text(const struct sleep_report *report, const json_t *queues, bool timeline)
{
    const struct sleep_account *account = &report->account;
    columns_heading(queue_columns, "");
    for (size_t i = 0; i < account->object_count; i++)
        print_object(report, &account->objects[i], queues, timeline);
    printf("\n%zu queues of %zu objects in %.3f s; %" PRIu64 " records lost\n",
           account->queue_count, account->object_count, window(report), all_lost(account));
    failures_print(&report->failures, &report->snapshot);
    if (report->nonsense > 0)
        printf("%" PRIu64 " records cannot be, or were too many, and were left out\n",
               report->nonsense);
}

void sleep_show(const struct sleep_report *report, bool timeline,
                const struct workload_result *workload)
{
    const struct sleep_account *account = &report->account;
    json_t *document = json_object();
    put_number(document, "seconds", window(report));
    put_u64(document, "lost", all_lost(account));
    put_u64(document, "nonsense", report->nonsense);
    failures_json(document, &report->failures, &report->snapshot);
    json_t *objects = put_array(document, "objects");
    for (size_t i = 0; i < account->object_count; i++)
        put_lock_object(objects, report, &account->objects[i]);
    json_t *queues = put_array(document, "queues");
    for (size_t i = 0; i < account->queue_count; i++)
        put_queue(queues, report, &account->queues[i]);
    if (workload != NULL)
        workload_json(document, "workload", workload);
    if (!document_for_programs(document, sheets)) {
        print_text(report, queues, timeline);
        if (workload != NULL)
            workload_print_account(workload);
    }
    json_decref(document);
}
