// SPDX-License-Identifier: MIT
// `kov stat`: counts how often each object was used (DREFs) for some seconds, or while a workload
// runs. With -e it counts hardware events instead: stat_events.c.
#include "commands/commands.h"
#include "counts/event_configuration.h"
#include "counts/dref.h"
#include "counts/stat_events.h"
#include "machine/failures_print.h"
#include "machine/scan.h"
#include "machine/workload.h"
#include "output/columns.h"
#include "samples/sampling.h"
#include "samples/stat_objects.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "tools/pid_list.h"
#include "wire/session.h"

#include <inttypes.h>
#include <orrery/pmu.h>

#define DEFAULT_SECONDS 1
#define NO_PID UINT64_MAX

static double duration;
static bool per_cpu;
static const char *pids, *exclude, *configuration_name;
static u64 pid = NO_PID;
static bool per_process, per_thread, per_object;
static struct count_options events;
static u64 interval; // milliseconds
static u64 top;      // rows

static const struct option own_options[] = {
    SECONDS('d', "duration", &duration, 86400, "how long (1; with a workload, as long as it runs)"),
    FLAG(0, "per-cpu", &per_cpu, "a column for each CPU; of events a row"),
    TEXT(0, "pid", &pids, "PIDS",
         "only this process's own objects, 0: the kernel's; of events what these count"),
    OPTIONS_END,
};

static const struct option event_options[] = {
    LIST('e', "event", &events.sets, "EVENTS",
         "count these: EVENT[:u|:k],… or all; each -e is a set"),
    FLAG(0, "per-object", &per_object,
         "by object: estimated from samples, of EVENT[:u|:k][@THRESHOLD],…"),
    NUMBER(0, "top", &top, 1, UINT32_MAX, "N", "of --per-object: at most so many objects (all)"),
    NUMBER('F', "frequency", &sampling_options.frequency, 1, 1000000, "HZ",
           "of --per-object: samples a second where the event comes most often (1000)"),
    FLAG(0, "precise", &sampling_options.precise,
         "of --per-object: samples that the model unit writes itself"),
    TEXT(0, "config", &configuration_name, "NAME",
         "the events of a configuration: `kov config list`"),
    FLAG(0, "per-process", &per_process, "a table of processes, too"),
    FLAG(0, "per-thread", &per_thread, "a table of threads, too"),
    TEXT(0, "exclude", &exclude, "PIDS",
         "leave these processes out, with the kernel's work for them"),
    TEXT('C', "cpus", &events.cpus, "CPUS", "on these CPUs only, such as 0-2,5 (all)"),
    NUMBER('I', "interval-print", &interval, 100, 3600000, "MS", "print counts each so often, too"),
    TEXT(0, "shares", &events.shares, "LIST", "of the time, one for each -e (1,1,…)"),
    NUMBER(0, "slice", &events.slice, SYS_PMU_SLICE_MIN, SYS_PMU_SLICE_MAX, "COUNT",
           "instructions that a turn takes (1000000)"),
    OPTIONS_END,
};

struct measurement {
    struct dref_reading before, after;
    struct dref_difference difference;
    struct snapshot snapshot;
    struct workload_result workload;
};

static struct scan_scope scope(void)
{
    return pid == NO_PID ? SCAN_ALL : scan_scope_of((u32)pid);
}

static int measure(const struct arguments *arguments, struct measurement *measurement)
{
    int code = session_begin(true);
    if (code == KOV_OK)
        code = workload_prepare(arguments, &measurement->workload);
    if (code == KOV_OK)
        code = scan_objects(&measurement->snapshot, scope());
    if (code == KOV_OK)
        code = dref_enable(true, scope());
    if (code == KOV_OK)
        code = dref_read(&measurement->before, scope());
    if (code == KOV_OK)
        code = workload_window(arguments, duration, DEFAULT_SECONDS, NULL, &measurement->workload);
    if (code == KOV_OK)
        code = dref_read(&measurement->after, scope());
    if (code == KOV_OK)
        code = dref_enable(false, scope());
    if (code == KOV_OK)
        code = scan_objects(&measurement->snapshot, scope());
    if (code == KOV_OK)
        dref_subtract(&measurement->before, &measurement->after, &measurement->difference);
    return code;
}

static double seconds(const struct measurement *measurement)
{
    u64 hz = session_machine()->timebase_hz;
    return hz == 0 ? 0 : (double)(measurement->after.end - measurement->before.begin) / (double)hz;
}

// Returns the columns. With --per-cpu there is one for each CPU.
static const struct column *make_columns(void)
{
    static struct column columns[ORRERY_MAX_CPUS + 9] = {
        COLUMN("DREFS", "drefs", 14),
        COLUMN("PER SECOND", "per_second", 14),
        COLUMN("MISSES", "misses", 9),
    };
    static char headings[ORRERY_MAX_CPUS][16], keys[ORRERY_MAX_CPUS][32];
    u32 count = 3;
    for (u32 cpu = 0; per_cpu && cpu < session_machine()->cpu_count && cpu < ORRERY_MAX_CPUS;
         cpu++) {
        snprintf(headings[cpu], sizeof(headings[cpu]), "CPU%" PRIu32, cpu);
        snprintf(keys[cpu], sizeof(keys[cpu]), "drefs_by_cpu.%" PRIu32, cpu);
        columns[count++] = (struct column)COLUMN(headings[cpu], keys[cpu], 11);
    }
    columns[count++] = (struct column)HIDDEN("pid");
    columns[count++] = (struct column)HIDDEN("coid");
    columns[count++] = (struct column)HIDDEN("class");
    columns[count++] = (struct column)HIDDEN("implementation");
    columns[count++] = (struct column)COLUMN("OBJECT", "object", -1);
    columns[count] = (struct column)COLUMNS_END;
    return columns;
}

static void print_text(const struct measurement *measurement, const json_t *rows, bool workload)
{
    const struct dref_difference *difference = &measurement->difference;
    columns_print(make_columns(), rows, "");
    printf("\n%" PRIu64 " DREFs and %" PRIu64 " misses of %zu objects in %.3f s\n",
           difference->invocations, difference->misses, difference->count, seconds(measurement));
    if (difference->ended > 0)
        printf("%zu objects ended meanwhile; what they counted last is not known\n",
               difference->ended);
    if (measurement->after.failures.count > 0)
        printf("what %zu processes counted is not known:\n", measurement->after.failures.count);
    failures_print(&measurement->after.failures, &measurement->snapshot);
    if (workload)
        workload_print_account(&measurement->workload);
}

static void put_row(json_t *json, const struct measurement *measurement, const struct dref_row *row)
{
    const struct object_info *object = snapshot_object(&measurement->snapshot, row->pid, row->coid);
    const struct class_info *info =
        object == NULL ? NULL : snapshot_class(&measurement->snapshot, row->pid, object->class_id);
    double window = seconds(measurement);
    char name[OBJECT_NAME_BYTES];
    json_t *entry = put_object(json, NULL);
    put_u64(entry, "pid", row->pid);
    put_hex(entry, "coid", row->coid);
    put_text(entry, "class", info == NULL ? NULL : info->name);
    put_text(entry, "implementation", info == NULL ? NULL : info->implementation);
    snapshot_object_name(&measurement->snapshot, row->pid, row->coid, name);
    put_text(entry, "object", name);
    put_u64(entry, "drefs", row->invocations);
    put_number(entry, "per_second", window > 0 ? (double)row->invocations / window : 0.0);
    put_u64(entry, "misses", row->misses);
    json_t *list = put_array(entry, "drefs_by_cpu");
    for (u32 cpu = 0; cpu < session_machine()->cpu_count && cpu < ORRERY_MAX_CPUS; cpu++)
        put_u64(list, NULL, row->by_cpu[cpu]);
}

static void show(const struct measurement *measurement, bool workload)
{
    json_t *document = json_object();
    put_number(document, "seconds", seconds(measurement));
    put_u64(document, "drefs", measurement->difference.invocations);
    put_u64(document, "misses", measurement->difference.misses);
    put_u64(document, "objects_ended", measurement->difference.ended);
    put_u64(document, "processes_stuck", measurement->after.failures.count);
    failures_json(document, &measurement->after.failures, &measurement->snapshot);
    json_t *list = put_array(document, "objects");
    for (size_t i = 0; i < measurement->difference.count; i++)
        put_row(list, measurement, &measurement->difference.rows[i]);
    if (workload)
        workload_json(document, "workload", &measurement->workload);
    const struct sheet sheets[] = {{"objects", make_columns()}, {NULL, NULL}};
    if (!document_for_programs(document, sheets))
        print_text(measurement, list, workload);
    json_decref(document);
}

// ---- events ------------------------------------------------------------------------------------

// Takes from the configuration what the command line does not say.
static int take_configuration(void)
{
    static struct configuration configuration;
    if (events.sets.count > 0)
        return fail(KOV_USAGE, "give either --event or --config");
    int code = configuration_load(configuration_name, &configuration);
    if (code != KOV_OK)
        return code;
    events.sets = configuration_count_sets(&configuration);
    events.shares = events.shares != NULL ? events.shares : configuration.shares;
    events.cpus = events.cpus != NULL ? events.cpus : configuration.cpus;
    events.slice = events.slice != 0 ? events.slice : configuration.slice;
    return KOV_OK;
}

// Estimates by object. Only samples can tell that, and they are no counts: they have thresholds.
static int run_objects(const struct arguments *arguments)
{
    if (per_process || per_thread || per_cpu)
        return fail(KOV_USAGE, "give either --per-object, which is estimated from samples, or "
                               "--per-cpu, --per-process or --per-thread, which are counted");
    if (exclude != NULL || events.shares != NULL || events.slice != 0)
        return fail(KOV_USAGE, "--exclude, --shares and --slice do not go with --per-object");
    u32 cpus;
    int code = cpu_list_parse(events.cpus, &cpus);
    if (code != KOV_OK)
        return code;
    sampling_options.events = events.sets;
    sampling_options.configuration = configuration_name;
    sampling_options.pids = pids;
    sampling_options.cpu_mask = cpus;
    struct stat_objects wanted = {
        .duration = duration > 0 || arguments->has_workload ? duration : DEFAULT_SECONDS,
        .interval = (double)interval / 1000,
        .max_rows = top,
        .cpus = events.cpus,
    };
    return stat_objects(arguments, &wanted);
}

static int run_events(const struct arguments *arguments)
{
    // A CSV holds the end only: its tables have no column for the time of an interval.
    if (output_form() == OUTPUT_CSV && interval != 0 && (per_process || per_thread || per_object))
        return fail(KOV_USAGE, "--csv with --interval-print has counts of CPUs only: no "
                               "--per-process, --per-thread or --per-object");
    if (per_object)
        return run_objects(arguments);
    if (top != 0 || sampling_options.precise || sampling_options.frequency != SAMPLING_NOT_GIVEN)
        return fail(KOV_USAGE, "--top, --precise and --frequency go with --per-object");
    if (per_process && per_thread)
        return fail(KOV_USAGE, "give either --per-process or --per-thread");
    int code = configuration_name != NULL ? take_configuration() : KOV_OK;
    if (code != KOV_OK)
        return code;
    events.tasks = per_thread ? COUNT_THREADS : per_process ? COUNT_PROCESSES : COUNT_NO_TASKS;
    struct stat_events wanted = {
        .options = &events,
        .duration = duration,
        .interval = (double)interval / 1000,
        .per_cpu = per_cpu,
        .per_task = per_process || per_thread,
        .pids = pids,
        .exclude = exclude,
    };
    return stat_events(arguments, &wanted);
}

// ---- the command -------------------------------------------------------------------------------

static int check_without_events(void)
{
    struct pid_list list;
    if (events.cpus != NULL || interval != 0 || events.shares != NULL || events.slice != 0)
        return fail(KOV_USAGE, "--cpus, --interval-print, --shares and --slice go with --event");
    if (per_process || per_thread || exclude != NULL)
        return fail(KOV_USAGE, "--per-process, --per-thread and --exclude go with --event");
    if (per_object || top != 0 || sampling_options.precise ||
        sampling_options.frequency != SAMPLING_NOT_GIVEN)
        return fail(KOV_USAGE, "--per-object, --top, --precise and --frequency go with --event");
    int code = pid_list_parse("--pid", pids, 0, &list);
    if (code == KOV_OK && list.count > 1)
        code = fail(KOV_USAGE, "--pid: without --event only one process");
    if (list.count > 0)
        pid = list.pids[0];
    return code;
}

static int run(const struct arguments *arguments)
{
    struct measurement measurement = {0};
    if (events.sets.count > 0 || configuration_name != NULL)
        return run_events(arguments);
    int code = check_without_events();
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = measure(arguments, &measurement);
    if (code == KOV_OK)
        show(&measurement, arguments->has_workload);
    if (code == KOV_OK)
        code = workload_verdict(&measurement.workload);
    dref_free(&measurement.before);
    dref_free(&measurement.after);
    dref_difference_free(&measurement.difference);
    snapshot_free(&measurement.snapshot);
    workload_free(&measurement.workload);
    return code;
}

const struct command command_stat = {
    .name = "stat",
    .synopsis =
        "[-e EVENTS … | --config NAME] [--per-process | --per-object] [-C CPUS] [-I MS] "
        "[-d SECONDS] [--per-cpu] [--pid PIDS] [--exclude PIDS] [-- WORKLOAD [KEY=VALUE…] | run "
        "PROGRAM…]",
    .summary = "Count how often each object is used (DREFs), or hardware events",
    .details =
        "Counts for some seconds or, with a workload, from before its start to after its end;\n"
        "the workload's own account is then printed too.\n\n"
        "Without -e DREFs are counted, by object. With -e hardware events (`kov events`): in user\n"
        "code with :u behind the event, in the kernel with :k. The events of one -e are measured\n"
        "at the same time as far as the counters can; what cannot be takes turns. "
        "A count that was\n"
        "measured for a part of the time only is scaled up: the percentage in parentheses says "
        "how\n"
        "large the part was, and ± is half of the interval that holds the true count in 99 of 100\n"
        "cases. Below are the metrics whose events are there: IPC, lock acquisition, spin\n"
        "contention, branch misprediction, TLB miss rate.\n\n"
        "--per-process and --per-thread add tables of who counted what, and the same metrics, the\n"
        "most of the first event first. The kernel's work for a process is the process's. "
        "--exclude\n"
        "leaves processes out, for other clients too, as long as the command runs.\n\n"
        "Counts of CPUs, processes and threads are exact, of what was measured. "
        "--per-object is an\n"
        "estimate: it samples like `kov record`, and each sample stands for THRESHOLD events, so\n"
        "that ± is the half width of a 99 % interval as far as chance goes. With each object, its\n"
        "class and process come its share of all samples that are not idle ([idle]: of all), and\n"
        "its metrics.",
    .options = {own_options, event_options},
    .takes_workload = true,
    .has_csv = true,
    .run = run,
};
