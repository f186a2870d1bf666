// SPDX-License-Identifier: MIT
// `kov ps`: the machine's processes.
#include "commands/commands.h"
#include "machine/scan.h"
#include "output/json.h"
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
    TEXT('s', "sort", &sort_text, "KEY", "pid, cpu, time, mem, faults, calls or name (pid)"),
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

// Most first.
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

static comparison *find_order(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
        if (strcmp(orders[i].name, sort_text) == 0)
            return orders[i].compare;
    fail(KOV_USAGE, "--sort: '%s' is none of pid, cpu, time, mem, faults, calls, name", sort_text);
    return NULL;
}

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

static void print_text(const struct line *lines, size_t count)
{
    printf("%7s %7s %-7s %6s %9s %9s %9s %9s %9s %-6s %s\n", "PID", "PPID", "STATE", "CPU%", "TIME",
           "MEM KB", "FAULTS", "CALLS", "EVENTS", "CPUS", "NAME");
    for (size_t i = 0; i < count; i++) {
        const struct process_info *process = lines[i].process;
        printf("%7" PRIu32 " %7" PRIu32 " %-7s %6.1f %9.2f %9" PRIu64 " %9" PRIu64 " %9" PRIu64
               " %9" PRIu64 " %-6" PRIx32 " %s\n",
               process->pid, process->parent, state_name(process->state), lines[i].percent,
               lines[i].seconds, process->memory_pages * 4, process->faults, process->calls,
               process->events, process->dispatchers, process->name);
    }
}

static void print_json(const struct line *lines, size_t count)
{
    struct json json = json_begin(stdout);
    json_open_array(&json, "processes");
    for (size_t i = 0; i < count; i++) {
        const struct process_info *process = lines[i].process;
        json_open_object(&json, NULL);
        json_u64(&json, "pid", process->pid);
        json_u64(&json, "parent", process->parent);
        json_text(&json, "name", process->name);
        json_text(&json, "state", state_name(process->state));
        json_number(&json, "cpu_percent", lines[i].percent);
        json_number(&json, "cpu_seconds", lines[i].seconds);
        json_u64(&json, "memory_bytes", process->memory_pages * 4096);
        json_u64(&json, "faults", process->faults);
        json_u64(&json, "calls", process->calls);
        json_u64(&json, "events", process->events);
        json_u64(&json, "dispatchers", process->dispatchers);
        json_u64(&json, "priority", process->priority);
        json_u64(&json, "rights", process->rights);
        json_hex(&json, "object", process->object);
        json_close(&json);
    }
    json_close(&json);
    json_end(&json);
}

static int pause_for(double seconds)
{
    patience_window(seconds);
    int code = dci_listen(seconds);
    patience_window_over();
    return code;
}

static int list(struct snapshot *snapshot, struct snapshot *before)
{
    int code = session_begin(true);
    if (code == KOV_OK && interval > 0) {
        code = scan_processes(before);
        if (code == KOV_OK)
            code = pause_for(interval);
    }
    return code == KOV_OK ? scan_processes(snapshot) : code;
}

static int run(const struct arguments *arguments)
{
    (void)arguments;
    struct snapshot snapshot = {0}, before = {0};
    order = find_order();
    if (order == NULL)
        return KOV_USAGE;
    interrupt_catch();
    int code = list(&snapshot, &before);
    if (code == KOV_OK) {
        struct line *lines = make_lines(&snapshot, &before);
        if (settings.json)
            print_json(lines, snapshot.process_count);
        else
            print_text(lines, snapshot.process_count);
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
    .run = run,
};
