// SPDX-License-Identifier: MIT
// `kov ps`: the machine's processes.
#include "commands/commands.h"
#include "machine/scan.h"
#include "output/columns.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "wire/dci.h"
#include "wire/patience.h"
#include "wire/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *sort_text = "pid";
static double interval;

static const struct option own_options[] = {
    CHOICE('s', "sort", &sort_text, "KEY", "pid cpu time mem faults calls name",
           "pid, cpu, time, mem, faults, calls or name (pid)"),
    SECONDS('d', "interval", &interval, 86400,
            "CPU% over so many seconds from now, instead of a process's whole life"),
    OPTIONS_END,
};

struct line {
    const struct process_info *process;
    double seconds; // of CPU time
    double percent; // of one CPU
};

static const char *state_name(u32 state)
{
    switch (state) {
    case ORRERY__DCI__PROCESS_STATE__PROCESS_STATE_NEW:
        return "new";
    case ORRERY__DCI__PROCESS_STATE__PROCESS_STATE_LIVE:
        return "live";
    case ORRERY__DCI__PROCESS_STATE__PROCESS_STATE_ENDING:
        return "ending";
    default:
        return "unknown";
    }
}

// ---- order -------------------------------------------------------------------------------------

// Compares numbers so that the largest comes first.
static int compare_numbers(double left, double right)
{
    return (left < right) - (left > right);
}

static int by_pid(const struct line *a, const struct line *b)
{
    return (a->process->pid > b->process->pid) - (a->process->pid < b->process->pid);
}

static int by_cpu(const struct line *a, const struct line *b)
{
    return compare_numbers(a->percent, b->percent);
}

static int by_time(const struct line *a, const struct line *b)
{
    return compare_numbers(a->seconds, b->seconds);
}

static int by_memory(const struct line *a, const struct line *b)
{
    return compare_numbers((double)a->process->memory_pages, (double)b->process->memory_pages);
}

static int by_faults(const struct line *a, const struct line *b)
{
    return compare_numbers((double)a->process->faults, (double)b->process->faults);
}

static int by_calls(const struct line *a, const struct line *b)
{
    return compare_numbers((double)a->process->calls, (double)b->process->calls);
}

static int by_name(const struct line *a, const struct line *b)
{
    return strcmp(a->process->name, b->process->name);
}

typedef int comparison(const struct line *a, const struct line *b);

static const struct {
    const char *name;
    comparison *compare;
} orders[] = {
    {"pid", by_pid},       {"cpu", by_cpu},     {"time", by_time}, {"mem", by_memory},
    {"faults", by_faults}, {"calls", by_calls}, {"name", by_name},
};

static comparison *order;

static int compare(const void *left, const void *right)
{
    int result = order(left, right);
    return result != 0 ? result : by_pid(left, right);
}

// ---- lines -------------------------------------------------------------------------------------

static struct line make_line(const struct snapshot *snapshot, const struct snapshot *before,
                             const struct process_info *process)
{
    double hz = (double)session_machine()->timebase_hz;
    const struct process_info *earlier = snapshot_process(before, process->pid);
    u64 since = earlier == NULL ? process->start_time : before->process_time;
    u64 ticks = process->cpu_ticks - (earlier == NULL ? 0 : earlier->cpu_ticks);
    double lasted = (double)(snapshot->process_time - since);
    return (struct line){
        .process = process,
        .seconds = hz > 0 ? (double)process->cpu_ticks / hz : 0,
        .percent = lasted > 0 ? 100.0 * (double)ticks / lasted : 0,
    };
}

static struct line *make_lines(const struct snapshot *snapshot, const struct snapshot *before)
{
    struct line *lines = memory_get(snapshot->process_count * sizeof(*lines));
    for (size_t i = 0; i < snapshot->process_count; i++)
        lines[i] = make_line(snapshot, before, &snapshot->processes[i]);
    if (snapshot->process_count > 1)
        qsort(lines, snapshot->process_count, sizeof(*lines), compare);
    return lines;
}

static void cpus_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    snprintf(text, CELL_BYTES, "%llx", json_integer_value(json_object_get(row, "dispatchers")));
}

static const struct column columns[] = {
    COLUMN("PID", "pid", 7),
    COLUMN("PPID", "parent", 7, .rank = RANK_RARE),
    COLUMN("STATE", "state", -7, .rank = RANK_RARE),
    COLUMN("CPU%", "cpu_percent", 6, .decimals = 1),
    COLUMN("TIME", "cpu_seconds", 9, .decimals = 2),
    COLUMN("MEM KB", "memory_bytes", 9, .scale = 1.0 / 1024),
    COLUMN("FAULTS", "faults", 9),
    COLUMN("CALLS", "calls", 9),
    COLUMN("EVENTS", "events", 9),
    COLUMN("CPUS", "dispatchers", -6, .compose = cpus_text),
    HIDDEN("priority"),
    HIDDEN("rights"),
    HIDDEN("object"),
    COLUMN("NAME", "name", -1),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"processes", columns}, {NULL, NULL}};

static void show(const struct line *lines, size_t count)
{
    json_t *document = json_object();
    json_t *list = put_array(document, "processes");
    for (size_t i = 0; i < count; i++) {
        const struct process_info *process = lines[i].process;
        json_t *row = put_object(list, NULL);
        put_u64(row, "pid", process->pid);
        put_u64(row, "parent", process->parent);
        put_text(row, "name", process->name);
        put_text(row, "state", state_name(process->state));
        put_number(row, "cpu_percent", lines[i].percent);
        put_number(row, "cpu_seconds", lines[i].seconds);
        put_u64(row, "memory_bytes", process->memory_pages * 4096);
        put_u64(row, "faults", process->faults);
        put_u64(row, "calls", process->calls);
        put_u64(row, "events", process->events);
        put_u64(row, "dispatchers", process->dispatchers);
        put_u64(row, "priority", process->priority);
        put_u64(row, "rights", process->rights);
        put_hex(row, "object", process->object);
    }
    document_show(document, sheets);
}

static int list(struct snapshot *snapshot, struct snapshot *before)
{
    int code = session_begin(true);
    if (code == KOV_OK && interval > 0) {
        code = scan_processes(before);
        patience_window(interval);
        if (code == KOV_OK)
            code = dci_listen(interval);
        patience_window_over();
    }
    return code == KOV_OK ? scan_processes(snapshot) : code;
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    struct snapshot snapshot = {0}, before = {0};
    order = NULL;
    for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
        if (strcmp(orders[i].name, sort_text) == 0)
            order = orders[i].compare;
    if (order == NULL)
        return fail(KOV_USAGE, "--sort: '%s' is none of pid, cpu, time, mem, faults, calls, name",
                    sort_text);
    interrupt_catch();
    int code = list(&snapshot, &before);
    if (code == KOV_OK) {
        struct line *lines = make_lines(&snapshot, &before);
        show(lines, snapshot.process_count);
        free(lines);
    }
    snapshot_free(&snapshot);
    snapshot_free(&before);
    return code;
}

const struct command command_ps = {
    .name = "ps",
    .synopsis = "[--sort KEY] [-d SECONDS]",
    .summary = "List the processes with CPU time, memory, faults and calls",
    .details = "CPUS is the mask of CPUs where the process has a dispatcher. CPU% is of one CPU.",
    .options = {own_options},
    .has_csv = true,
    .run = run,
};
