// SPDX-License-Identifier: MIT
// Prints the result of recording a trace.
#include "machine/failures_print.h"
#include "output/columns.h"
#include "record/trace_run.h"
#include "wire/resume.h"

#include <string.h>

static void put_sums(json_t *json, const struct trace_sums *sums)
{
    put_u64(json, "emitted", sums->emitted);
    put_u64(json, "logged", sums->logged);
    put_u64(json, "discarded", sums->discarded);
    put_u64(json, "overwritten", sums->overwritten);
    put_u64(json, "unread", sums->unread);
    put_u64(json, "received", sums->received);
    put_u64(json, "packets", sums->packets);
    put_u64(json, "bytes", sums->bytes);
}

static void put_cpus(json_t *json, const struct trace_run *run)
{
    json_t *list = put_array(json, "cpus");
    for (u32 i = 0; i < run->counts.cpu_count; i++) {
        struct trace_sums sums = trace_cpu_sums(run, i);
        json_t *row = put_object(list, NULL);
        put_u64(row, "cpu", i);
        put_sums(row, &sums);
        put_u64(row, "missing_packets", capture_of(&run->capture, 0, i).missing_packets);
    }
}

static void put_processes(json_t *json, const struct trace_run *run)
{
    json_t *list = put_array(json, "processes");
    for (size_t next = trace_first_process(run); next < run->capture.count;) {
        struct trace_sums sums = trace_process_sums(run, &next);
        json_t *row = put_object(list, NULL);
        put_u64(row, "pid", sums.pid);
        put_bool(row, "ended", sums.ended);
        put_sums(row, &sums);
    }
}

static json_t *describe(const struct trace_run *run)
{
    json_t *document = json_object();
    put_text(document, "folder", run->capture.folder.path);
    put_text(document, "mode", trace_mode_name(run->counts.mode));
    put_hex(document, "mask", run->set_mask ? run->mask : run->counts.mask);
    put_number(document, "seconds", run->seconds);
    put_cpus(document, run);
    put_processes(document, run);
    trace_left_out_json(document, &run->left_out);
    trace_counters_json(document, &run->counters);
    put_u64(document, "stuck", run->counts.failures.count);
    failures_json(document, &run->counts.failures, &(struct snapshot){0});
    put_u64(document, "reconnected", resume_account()->times);
    if (run->has_workload)
        workload_json(document, "workload", &run->workload);
    return document;
}

// Writes a count. Nobody knows what a process that has ended logged, but what it lost is known.
static void count_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const struct column plain = {.key = column->key};
    bool told = strcmp(column->key, "discarded") == 0 || strcmp(column->key, "overwritten") == 0;
    if (told || !json_is_true(json_object_get(row, "ended")))
        column_text(&plain, row, text);
    else
        strcpy(text, strcmp(column->key, "unread") == 0 ? "ended" : "");
}

#define COUNT(heading, key) COLUMN(heading, key, 12, .compose = count_text)
#define COUNT_COLUMNS                                                                              \
    COUNT("EMITTED", "emitted"), COUNT("LOGGED", "logged"), COUNT("DISCARDED", "discarded"),       \
        COUNT("OVERWRITTEN", "overwritten"), COUNT("UNREAD", "unread"),                            \
        COLUMN("RECEIVED", "received", 12), COLUMN("PACKETS", "packets", 9),                       \
        COLUMN("BYTES", "bytes", 12)
static const struct column cpu_columns[] = {COLUMN("CPU", "cpu", 5), COUNT_COLUMNS,
                                            HIDDEN("missing_packets"), COLUMNS_END};
static const struct column process_columns[] = {COLUMN("PID", "pid", 10), HIDDEN("ended"),
                                                COUNT_COLUMNS, COLUMNS_END};
static const struct sheet sheets[] = {
    {"cpus", cpu_columns}, {"processes", process_columns}, {NULL, NULL}};

static void print_text(const struct trace_run *run, const json_t *document)
{
    const json_t *processes = json_object_get(document, "processes");
    columns_print(cpu_columns, json_object_get(document, "cpus"), "");
    if (json_array_size(processes) > 0) {
        putchar('\n');
        columns_print(process_columns, processes, "");
    }
    if (run->counts.failures.count > 0)
        printf("what %zu processes logged in the end is not known:\n", run->counts.failures.count);
    failures_print(&run->counts.failures, &(struct snapshot){0});
    resume_print();
    trace_counters_print(&run->counters);
    trace_left_out_print(&run->left_out);
    printf("%s mode, %.1f s; written to %s; see `babeltrace2 %s`\n",
           trace_mode_name(run->counts.mode), run->seconds, run->capture.folder.path,
           run->capture.folder.path);
    if (run->has_workload)
        workload_print_account(&run->workload);
}

void trace_run_print(const struct trace_run *run)
{
    json_t *document = describe(run);
    if (!document_for_programs(document, sheets))
        print_text(run, document);
    json_decref(document);
}
