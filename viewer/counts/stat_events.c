// SPDX-License-Identifier: MIT
// `kov stat -e`: counts hardware events for some seconds, or while a workload runs.
#include "counts/stat_events.h"
#include "counts/counting.h"
#include "counts/stat_print.h"
#include "counts/stat_tasks.h"
#include "machine/program.h"
#include "machine/scan.h"
#include "machine/workload.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "wire/session.h"

#include <inttypes.h>

#define DEFAULT_SECONDS 1
#define LABEL_BYTES 24

static struct {
    const struct stat_events *wanted;
    struct count_request request;
    struct count_reading reading, last, between; // the end, or now; the interval before; since then
    struct task_reading tasks, last_tasks, shown;
    struct pid_list pids, exclude;
    struct snapshot processes; // for their names; when a list of some is given
    u64 begin;                 // time base
    double next;               // when the next interval is due
    struct workload_result workload;
} run;

static double seconds_between(u64 begin, u64 end)
{
    u64 hz = session_machine()->timebase_hz;
    return hz == 0 || end < begin ? 0 : (double)(end - begin) / (double)hz;
}

static struct stat_view whole(void)
{
    return (struct stat_view){.request = &run.request,
                              .reading = &run.reading,
                              .seconds = seconds_between(run.begin, run.reading.time),
                              .per_cpu = run.wanted->per_cpu,
                              .label = ""};
}

// ---- reading -----------------------------------------------------------------------------------

// Reads the counts of tasks. With --pid, the counts of these processes replace those of the CPUs.
static int collect_tasks(void)
{
    int code = counting_tasks(&run.request, &run.tasks);
    if (code == KOV_OK && run.pids.count > 0) {
        task_reading_keep(&run.tasks, &run.pids);
        task_reading_sum(&run.tasks, &run.reading);
    }
    return code;
}

static int collect(int read(const struct count_request *, struct count_reading *))
{
    int code = read(&run.request, &run.reading);
    return code == KOV_OK && run.request.tasks != COUNT_NO_TASKS ? collect_tasks() : code;
}

// Arranges the tasks' counts since the last interval, or since the beginning.
static void arrange_tasks(const struct task_reading *since)
{
    task_reading_between(since, &run.tasks, &run.shown);
    if (run.pids.count > 0 && since == &run.last_tasks)
        task_reading_sum(&run.shown, &run.between);
    task_reading_arrange(&run.shown, run.wanted->per_cpu);
}

// ---- intervals ---------------------------------------------------------------------------------

static void print_rows(const struct stat_view *view)
{
    if (run.wanted->per_task) {
        stat_tasks_print(view, &run.shown);
        putchar('\n');
    } else {
        stat_print(view, run.last.cpu_count == 0);
    }
    fflush(stdout);
}

static json_t *describe_interval(const struct stat_view *view)
{
    json_t *interval = json_object();
    put_number(interval, "time", seconds_between(run.begin, run.reading.time));
    stat_json(interval, view);
    if (run.wanted->per_task)
        stat_put_tasks(interval, view, &run.shown);
    return interval;
}

static void print_interval(void)
{
    char label[LABEL_BYTES];
    struct stat_view view = whole();
    count_reading_between(&run.last, &run.reading, &run.between);
    snprintf(label, sizeof(label), "%10.3f ", view.seconds);
    view.reading = &run.between;
    view.seconds = seconds_between(run.last.time, run.reading.time);
    view.label = label;
    arrange_tasks(&run.last_tasks);
    if (output_form() == OUTPUT_CSV)
        stat_csv_interval(&view, seconds_between(run.begin, run.reading.time),
                          run.last.cpu_count == 0);
    else if (!series_add(describe_interval(&view)))
        print_rows(&view);
    struct task_reading spare = run.last_tasks;
    run.last = run.reading;
    run.last_tasks = run.tasks;
    run.tasks = spare;
}

// Looks twenty times a second. A program that was started here is the only one that is counted,
// unless the user asked for others too.
static int tick(void *context)
{
    (void)context;
    const struct program *program = run.workload.program;
    if (program != NULL && run.pids.count == 0 && !run.wanted->per_task)
        run.pids = (struct pid_list){.count = 1, .pids = {program->pid}};
    if (run.wanted->interval == 0 || clock_now() < run.next)
        return KOV_OK;
    run.next += run.wanted->interval;
    int code = collect(counting_read);
    if (code == KOV_OK)
        print_interval();
    return code;
}

// Prints what came after the last interval, so that the rows add up to the whole.
static void print_rest(void)
{
    if (run.reading.time == run.last.time)
        return;
    print_interval();
    struct task_reading end = run.last_tasks; // print_interval has made room for another reading
    run.last_tasks = run.tasks;
    run.tasks = end;
}

// ---- the session -------------------------------------------------------------------------------

static int count_window(const struct arguments *arguments)
{
    bool intervals = run.wanted->interval > 0;
    if (intervals) {
        run.last.time = run.begin;
        run.next = clock_now() + run.wanted->interval;
        series_begin("intervals");
    }
    const struct workload_watch watch = {.handler = tick};
    int code =
        workload_window(arguments, run.wanted->duration, DEFAULT_SECONDS, &watch, &run.workload);
    if (code == KOV_OK)
        code = collect(counting_stop);
    if (intervals && code == KOV_OK)
        print_rest();
    if (intervals && output_form() != OUTPUT_JSON)
        putchar('\n'); // between the intervals' rows and the table of the end
    return code;
}

static void print_processes(const char *what, const u32 *pids, u32 count)
{
    for (u32 i = 0; i < count; i++) {
        char name[OBJECT_NAME_BYTES] = "the kernel alone";
        if (pids[i] != 0)
            snapshot_process_name(&run.processes, pids[i], name);
        printf("%s%s%s", i == 0 ? what : ", ", name, i + 1 == count ? "\n" : "");
    }
}

static void print_end(const struct arguments *arguments)
{
    struct stat_view view = whole();
    stat_print(&view, true);
    putchar('\n');
    if (run.wanted->per_task) {
        stat_tasks_print(&view, &run.shown);
        putchar('\n');
    }
    print_processes("Only of ", run.pids.pids, run.pids.count);
    print_processes("Left out: ", run.reading.excluded, run.reading.excluded_count);
    printf("%.3f s on %u CPU%s\n", view.seconds, run.reading.cpu_count,
           run.reading.cpu_count == 1 ? "" : "s");
    if (arguments->has_workload)
        workload_print_account(&run.workload);
}

static void json_pids(json_t *json, const char *key, const u32 *pids, u32 count)
{
    json_t *list = put_array(json, key);
    for (u32 i = 0; i < count; i++)
        put_u64(list, NULL, pids[i]);
}

static json_t *describe_end(const struct arguments *arguments)
{
    struct stat_view view = whole();
    json_t *document = json_object();
    stat_json(document, &view);
    if (run.wanted->per_task)
        stat_put_tasks(document, &view, &run.shown);
    json_pids(document, "pids", run.pids.pids, run.pids.count);
    json_pids(document, "excluded", run.reading.excluded, run.reading.excluded_count);
    if (arguments->has_workload)
        workload_json(document, "workload", &run.workload);
    return document;
}

static void print_csv(void)
{
    struct stat_view view = whole();
    struct sheet sheets[4] = {0};
    json_t *document = stat_document(&view);
    stat_sheets(&view, sheets);
    if (run.wanted->per_task) {
        stat_put_tasks(document, &view, &run.shown);
        sheets[2] = (struct sheet){"tasks", stat_task_columns(&view, &run.shown)};
    }
    document_show(document, sheets);
}

int stat_check_cpus(const char *cpus, u32 mask)
{
    u32 count = session_machine()->cpu_count;
    if (count < 32 && mask >> count != 0)
        return fail(KOV_USAGE, "--cpus %s: the machine has %u CPUs, from 0", cpus, count);
    return KOV_OK;
}

static int check_pids(const char *option, const struct pid_list *list)
{
    for (u32 i = 0; i < list->count; i++)
        if (list->pids[i] != 0 && snapshot_process(&run.processes, list->pids[i]) == NULL)
            return fail(KOV_FAILED, "%s %" PRIu32 ": there is no such process: see `kov ps`",
                        option, list->pids[i]);
    return KOV_OK;
}

static int check_processes(void)
{
    if (run.pids.count == 0 && run.exclude.count == 0)
        return KOV_OK;
    int code = scan_processes(&run.processes);
    if (code == KOV_OK)
        code = check_pids("--pid", &run.pids);
    return code == KOV_OK ? check_pids("--exclude", &run.exclude) : code;
}

static int start_and_count(const struct arguments *arguments)
{
    int code = counting_start(&run.request, &run.begin);
    return code == KOV_OK ? count_window(arguments) : code;
}

// Counts without the excluded processes. The machine ends the exclusion when kov's connection ends;
// kov ends it itself, so that it is over before the next command.
static int count_without(const struct arguments *arguments)
{
    int code = counting_exclude(&run.exclude);
    if (code != KOV_OK)
        return code;
    code = start_and_count(arguments);
    if (code != KOV_CONNECTION)
        counting_exclude(&(struct pid_list){0});
    return code;
}

static int count(const struct arguments *arguments, struct event_list *list)
{
    int code = session_begin(true);
    if (code == KOV_OK)
        code = event_list_fetch(list);
    if (code == KOV_OK)
        code = count_request_parse(run.wanted->options, list, &run.request);
    if (code == KOV_OK)
        code = stat_check_cpus(run.wanted->options->cpus, run.request.cpu_mask);
    if (code == KOV_OK)
        code = check_processes();
    if (code != KOV_OK)
        return code;
    code = workload_prepare(arguments, &run.workload);
    if (code != KOV_OK)
        return code;
    bool by_process = run.pids.count > 0 || run.workload.program != NULL;
    if (by_process && run.request.tasks == COUNT_NO_TASKS)
        run.request.tasks = COUNT_PROCESSES;
    return run.exclude.count > 0 ? count_without(arguments) : start_and_count(arguments);
}

static int parse_lists(void)
{
    int code = pid_list_parse("--pid", run.wanted->pids, 0, &run.pids);
    if (code == KOV_OK)
        code = pid_list_parse("--exclude", run.wanted->exclude, 1, &run.exclude);
    for (u32 i = 0; i < run.exclude.count && code == KOV_OK; i++)
        if (pid_list_has(&run.pids, run.exclude.pids[i]))
            code = fail(KOV_USAGE, "--pid and --exclude name the same process, %" PRIu32,
                        run.exclude.pids[i]);
    return code;
}

static void print_result(const struct arguments *arguments)
{
    arrange_tasks(&(struct task_reading){0});
    switch (output_form()) {
    case OUTPUT_TABLES:
        print_end(arguments);
        break;
    case OUTPUT_JSON:
        series_end(describe_end(arguments));
        break;
    case OUTPUT_CSV: // has a row for each event and place; JSON has the places in the event's row
        print_csv();
    }
}

static void free_all(struct event_list *list)
{
    workload_free(&run.workload);
    task_reading_free(&run.tasks);
    task_reading_free(&run.last_tasks);
    task_reading_free(&run.shown);
    snapshot_free(&run.processes);
    event_list_free(list);
}

int stat_events(const struct arguments *arguments, const struct stat_events *wanted)
{
    struct event_list list = {0};
    run.wanted = wanted;
    int code = parse_lists();
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = count(arguments, &list);
    if (code == KOV_OK)
        print_result(arguments);
    else
        series_cut();
    if (code == KOV_OK)
        code = workload_verdict(&run.workload);
    free_all(&list);
    return code;
}
