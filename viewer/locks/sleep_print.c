// SPDX-License-Identifier: MIT
// The account of sleep locks as tables, time lines and JSON.
#include "locks/sleep_print.h"
#include "machine/failures_print.h"
#include "symbols/programs.h"

#include <inttypes.h>

#define THREADS_SHOWN 4
#define NAME_BYTES 160
#define MAX_WORD_OFFSET 0x10000 // in what has the name: a structure

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

static double mean(const struct sleep_report *report, const struct sleep_queue *queue)
{
    return queue->waits == 0 ? 0 : seconds_of(report, queue->ticks) / (double)queue->waits;
}

static double average_length(const struct sleep_report *report, const struct sleep_queue *queue)
{
    double all = window(report) * (double)report->timebase_hz;
    return all > 0 ? queue->length_ticks / all : 0;
}

// "word", "table+0x10", or the address of a word that has no name: of one on the heap.
static bool word_name(const struct sleep_report *report, const struct sleep_queue *queue,
                      char name[NAME_BYTES])
{
    struct symbol symbol =
        symbols_find(program_symbols(&report->snapshot, queue->pid), queue->queue);
    bool known = symbol.function != NULL && symbol.offset < MAX_WORD_OFFSET;
    if (known && symbol.offset == 0)
        snprintf(name, NAME_BYTES, "%s", symbol.function);
    else if (known)
        snprintf(name, NAME_BYTES, "%s+0x%" PRIx64, symbol.function, symbol.offset);
    else
        snprintf(name, NAME_BYTES, "0x%" PRIx64, queue->queue);
    return known;
}

static u64 all_lost(const struct sleep_account *account)
{
    u64 lost = 0;
    for (size_t i = 0; i < account->object_count; i++)
        lost += account->objects[i].lost;
    return lost;
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

static void print_queue(const struct sleep_report *report, const struct sleep_queue *queue,
                        bool timeline)
{
    char name[NAME_BYTES];
    word_name(report, queue, name);
    printf("%9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %11.3f %11.3f %11.3f %7" PRIu32 " %9.3f    %s\n",
           queue->operations[SLEEP_ENQUEUE] + queue->operations[SLEEP_PRESENT],
           queue->operations[SLEEP_WAKEUP], queue->operations[SLEEP_DEQUEUE],
           ms(report, queue->ticks), mean(report, queue) * 1e3, ms(report, queue->longest),
           queue->length_max, average_length(report, queue), name);
    if (queue->thread_count > 0 || queue->unknown > 0)
        print_threads(report, queue);
    if (timeline)
        print_timeline(report, queue);
}

static void print_object(const struct sleep_report *report, const struct sleep_object *object,
                         bool timeline)
{
    const struct sleep_account *account = &report->account;
    char name[OBJECT_NAME_BYTES];
    if (object->logged == 0 && object->lost == 0)
        return;
    snapshot_object_name(&report->snapshot, object->pid, object->coid, name);
    printf("\n%s: %" PRIu64 " records, %" PRIu64 " lost, buffer of %" PRIu64 " KB\n", name,
           object->logged, object->lost, object->buffer_bytes / 1024);
    for (size_t i = 0; i < account->queue_count; i++) {
        if (account->queues[i].pid == object->pid && account->queues[i].coid == object->coid)
            print_queue(report, &account->queues[i], timeline);
    }
}

static void print_failures(const struct sleep_report *report)
{
    failures_print(&report->failures, &report->snapshot);
    if (report->nonsense > 0)
        printf("%" PRIu64 " records cannot be, and were left out\n", report->nonsense);
}

void sleep_print(const struct sleep_report *report, bool timeline)
{
    const struct sleep_account *account = &report->account;
    printf("%9s %9s %9s %11s %11s %11s %7s %9s    %s\n", "ENQUEUES", "WAKE-UPS", "TIME-OUTS",
           "WAITED ms", "MEAN ms", "MAX ms", "LONGEST", "AVERAGE", "QUEUE");
    for (size_t i = 0; i < account->object_count; i++)
        print_object(report, &account->objects[i], timeline);
    printf("\n%zu queues of %zu objects in %.3f s; %" PRIu64 " records lost\n",
           account->queue_count, account->object_count, window(report), all_lost(account));
    print_failures(report);
}

// ---- JSON --------------------------------------------------------------------------------------

static void json_process(struct json *json, const struct sleep_report *report, u32 pid)
{
    const struct process_info *process = snapshot_process(&report->snapshot, pid);
    json_u64(json, "pid", pid);
    json_text(json, "process", process == NULL ? NULL : process->name);
}

static void json_changes(struct json *json, const struct sleep_report *report,
                         const struct sleep_queue *queue)
{
    json_open_array(json, "timeline");
    for (size_t i = 0; i < queue->change_count; i++) {
        const struct sleep_change *change = &queue->changes[i];
        json_open_object(json, NULL);
        json_number(json, "seconds",
                    change->time > report->account.begin
                        ? seconds_of(report, change->time - report->account.begin)
                        : 0);
        json_text(json, "operation", operation_names[change->operation]);
        json_u64(json, "thread", change->thread);
        json_u64(json, "length", change->length);
        json_u64(json, "lost", change->lost);
        json_open_array(json, "members");
        for (u32 member = 0; member < change->count; member++)
            json_u64(json, NULL, queue->change_members[change->first + member]);
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void json_threads(struct json *json, const struct sleep_report *report,
                         const struct sleep_queue *queue)
{
    json_open_array(json, "threads");
    for (size_t i = 0; i < queue->thread_count; i++) {
        const struct sleep_thread *thread = &queue->threads[i];
        json_open_object(json, NULL);
        json_u64(json, "thread", thread->thread);
        json_u64(json, "waits", thread->waits);
        json_number(json, "seconds", seconds_of(report, thread->ticks));
        json_number(json, "max_seconds", seconds_of(report, thread->longest));
        json_close(json);
    }
    json_close(json);
}

static void json_queue(struct json *json, const struct sleep_report *report,
                       const struct sleep_queue *queue)
{
    char name[NAME_BYTES];
    bool known = word_name(report, queue, name);
    json_open_object(json, NULL);
    json_process(json, report, queue->pid);
    json_hex(json, "coid", queue->coid);
    json_hex(json, "queue", queue->queue);
    json_text(json, "name", known ? name : NULL);
    json_u64(json, "enqueues", queue->operations[SLEEP_ENQUEUE]);
    json_u64(json, "present", queue->operations[SLEEP_PRESENT]);
    json_u64(json, "wake_ups", queue->operations[SLEEP_WAKEUP]);
    json_u64(json, "time_outs", queue->operations[SLEEP_DEQUEUE]);
    json_u64(json, "waits", queue->waits);
    json_u64(json, "waits_unknown", queue->unknown);
    json_u64(json, "still_waiting", queue->still);
    json_number(json, "seconds", seconds_of(report, queue->ticks));
    json_number(json, "mean_seconds", mean(report, queue));
    json_number(json, "max_seconds", seconds_of(report, queue->longest));
    json_u64(json, "longest", queue->length_max);
    json_number(json, "average_length", average_length(report, queue));
    json_threads(json, report, queue);
    json_changes(json, report, queue);
    json_close(json);
}

static void json_object(struct json *json, const struct sleep_report *report,
                        const struct sleep_object *object)
{
    json_open_object(json, NULL);
    json_process(json, report, object->pid);
    json_hex(json, "coid", object->coid);
    json_u64(json, "records", object->logged);
    json_u64(json, "lost", object->lost);
    json_u64(json, "buffer_bytes", object->buffer_bytes);
    json_number(json, "seconds", seconds_of(report, object->ticks));
    json_close(json);
}

void sleep_json(struct json *json, const struct sleep_report *report)
{
    const struct sleep_account *account = &report->account;
    json_number(json, "seconds", window(report));
    json_u64(json, "lost", all_lost(account));
    json_u64(json, "nonsense", report->nonsense);
    failures_json(json, &report->failures, &report->snapshot);
    json_open_array(json, "objects");
    for (size_t i = 0; i < account->object_count; i++)
        json_object(json, report, &account->objects[i]);
    json_close(json);
    json_open_array(json, "queues");
    for (size_t i = 0; i < account->queue_count; i++)
        json_queue(json, report, &account->queues[i]);
    json_close(json);
}
