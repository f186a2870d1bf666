// SPDX-License-Identifier: MIT
// `kov trace list`, `stat` and `set`: which events exist, what was counted, what is traced.
#include "commands/commands.h"
#include "machine/failures_print.h"
#include "output/columns.h"
#include "tools/options.h"
#include "record/trace_requests.h"
#include "wire/session.h"

#include <inttypes.h>

#define NO_PID UINT64_MAX

static const char *events_text, *mode_text;
static u64 pid = NO_PID;

static const struct option set_options[] = {
    TEXT('e', "events", &events_text, "LIST", "trace these majors or events, all, or none"),
    CHOICE(0, "mode", &mode_text, "MODE", "discard overwrite",
           "discard or overwrite; empties the buffers"),
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "only this process; 0: only the kernel"),
    OPTIONS_END,
};

static const struct option stat_options[] = {
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "only this process; 0: only the kernel"),
    OPTIONS_END,
};

static const struct column event_columns[] = {
    COLUMN("MAJOR", "major", 5),
    COLUMN("MINOR", "minor", 5),
    COLUMN("ON", "enabled", -3),
    COLUMN("EVENT", "name", -24),
    HIDDEN("fields"),
    COLUMN("FIELDS", "format", -1),
    COLUMNS_END,
};
static const struct sheet event_sheets[] = {{"events", event_columns}, {NULL, NULL}};

static void show_events(const struct trace_events *events, u64 mask)
{
    json_t *document = json_object();
    json_t *list = put_array(document, "events");
    for (size_t i = 0; i < events->count; i++) {
        const struct trace_event_name *event = &events->events[i];
        json_t *row = put_object(list, NULL);
        put_u64(row, "major", event->major);
        put_u64(row, "minor", event->minor);
        put_text(row, "name", event->name);
        put_text(row, "format", event->format);
        put_u64(row, "fields", event->field_count);
        put_bool(row, "enabled", (mask >> event->major & 1) != 0);
    }
    document_show(document, event_sheets);
}

static int run_list(const struct arguments *arguments)
{
    (void)arguments;
    struct trace_events events = {0};
    struct trace_counts counts = {0};
    int code = session_begin(true);
    if (code == KOV_OK)
        code = trace_fetch_events(&events);
    if (code == KOV_OK)
        code = trace_fetch_counts(&counts, SCAN_KERNEL);
    if (code == KOV_OK)
        show_events(&events, counts.mask);
    trace_free_events(&events);
    trace_free_counts(&counts);
    return code;
}

static void buffer_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    snprintf(text, CELL_BYTES, "%5" JSON_INTEGER_FORMAT " x %5" JSON_INTEGER_FORMAT " KB",
             json_integer_value(json_object_get(row, "subbuffers")),
             json_integer_value(json_object_get(row, "subbuffer_bytes")) >> 10);
}

#define COUNT_COLUMNS                                                                              \
    COLUMN("EMITTED", "emitted", 14), COLUMN("LOGGED", "logged", 14),                              \
        COLUMN("DISCARDED", "discarded", 14), COLUMN("OVERWRITTEN", "overwritten", 14),            \
        COLUMN("UNREAD", "unread", 10), COLUMN("PACKETS", "packets", 10)
static const struct column cpu_columns[] = {
    COLUMN("CPU", "cpu", 5),
    COUNT_COLUMNS,
    COLUMN("PUSHED", "pushed_packets", 10),
    COLUMN("BUFFER", NULL, 16, .compose = buffer_text),
    HIDDEN("subbuffers"),
    HIDDEN("subbuffer_bytes"),
    COLUMNS_END,
};
static const struct column process_columns[] = {
    COLUMN("PID", "pid", 10),
    COLUMN("CPU", "cpu", 5),
    COUNT_COLUMNS,
    COLUMNS_END,
};
static const struct sheet count_sheets[] = {
    {"cpus", cpu_columns}, {"processes", process_columns}, {NULL, NULL}};

static void put_counts(json_t *row, const struct trace_cpu_counts *counts)
{
    put_u64(row, "emitted", counts->events + counts->discarded);
    put_u64(row, "logged", counts->events);
    put_u64(row, "discarded", counts->discarded);
    put_u64(row, "overwritten", counts->overwritten);
    put_u64(row, "unread", counts->unread);
    put_u64(row, "packets", counts->packets);
}

static json_t *describe(const struct trace_counts *counts)
{
    json_t *document = json_object();
    put_text(document, "mode", trace_mode_name(counts->mode));
    put_hex(document, "mask", counts->mask);
    put_bool(document, "recording", counts->subscribed);
    json_t *cpus = put_array(document, "cpus");
    for (u32 i = 0; i < counts->cpu_count; i++) {
        const struct trace_cpu_counts *cpu = &counts->cpus[i];
        json_t *row = put_object(cpus, NULL);
        put_u64(row, "cpu", i);
        put_counts(row, cpu);
        put_u64(row, "pushed_packets", cpu->pushed_packets);
        put_u64(row, "subbuffers", cpu->subbuffers);
        put_u64(row, "subbuffer_bytes", cpu->subbuffer_bytes);
    }
    json_t *processes = put_array(document, "processes");
    for (size_t i = 0; i < counts->process_count; i++) {
        json_t *row = put_object(processes, NULL);
        put_u64(row, "pid", counts->processes[i].pid);
        put_u64(row, "cpu", counts->processes[i].cpu);
        put_counts(row, &counts->processes[i].counts);
    }
    put_u64(document, "stuck", counts->failures.count);
    failures_json(document, &counts->failures, &(struct snapshot){0});
    return document;
}

static void print_counts(const struct trace_counts *counts, const json_t *document)
{
    printf("mode %s, mask 0x%" PRIx64 "%s\n", trace_mode_name(counts->mode), counts->mask,
           counts->subscribed ? ", a client is recording" : "");
    columns_print(cpu_columns, json_object_get(document, "cpus"), "");
    if (counts->process_count > 0) {
        putchar('\n');
        columns_print(process_columns, json_object_get(document, "processes"), "");
    }
    if (counts->failures.count > 0)
        printf("what %zu processes counted is not known:\n", counts->failures.count);
    failures_print(&counts->failures, &(struct snapshot){0});
}

static struct scan_scope scope(void)
{
    return pid == NO_PID ? SCAN_ALL : scan_scope_of((u32)pid);
}

static int show_counts(void)
{
    struct trace_counts counts = {0};
    int code = trace_fetch_counts(&counts, scope());
    if (code == KOV_OK) {
        json_t *document = describe(&counts);
        if (!document_for_programs(document, count_sheets))
            print_counts(&counts, document);
        json_decref(document);
    }
    trace_free_counts(&counts);
    return code;
}

static int run_stat(const struct arguments *arguments)
{
    (void)arguments;
    int code = session_begin(true);
    return code == KOV_OK ? show_counts() : code;
}

static int decide_mask(u64 *mask)
{
    struct trace_events events = {0};
    int code = trace_fetch_events(&events);
    if (code == KOV_OK)
        code = trace_parse_mask(events_text, &events, mask);
    trace_free_events(&events);
    return code;
}

static int set(Orrery__Dci__TraceMode mode)
{
    Orrery__Dci__TraceSetRequest body = ORRERY__DCI__TRACE_SET_REQUEST__INIT;
    body.mode = mode;
    body.set_mask = events_text != NULL;
    body.scope = scope().scope;
    body.pid = scope().pid;
    int code = body.set_mask ? decide_mask(&body.mask) : KOV_OK;
    if (code != KOV_OK)
        return code;
    return dci_call(DCI_REQUEST(TRACE_SET, trace_set, &body), ORRERY__DCI__RESPONSE__BODY__NOT_SET,
                    "cannot set the trace", NULL, NULL);
}

static int run_set(const struct arguments *arguments)
{
    (void)arguments;
    Orrery__Dci__TraceMode mode;
    int code = trace_parse_mode(mode_text, &mode);
    if (code != KOV_OK)
        return code;
    if (events_text == NULL && mode_text == NULL)
        return fail(KOV_USAGE, "nothing to set: give --events or --mode");
    code = session_begin(true);
    if (code == KOV_OK)
        code = set(mode);
    return code == KOV_OK ? show_counts() : code;
}

const struct command command_trace_list = {
    .name = "trace list",
    .synopsis = "",
    .summary = "List the trace events, and which are on",
    .has_csv = true,
    .run = run_list,
};

const struct command command_trace_stat = {
    .name = "trace stat",
    .synopsis = "[--pid PID]",
    .summary = "Show what each CPU has traced and lost since the mode was set",
    .options = {stat_options},
    .has_csv = true,
    .run = run_stat,
};

const struct command command_trace_set = {
    .name = "trace set",
    .synopsis = "[-e LIST] [--mode MODE] [--pid PID]",
    .summary = "Choose what is traced, and what happens when buffers are full",
    .details = "For the flight recorder: `kov trace set --mode overwrite -e all`, and `kov trace\n"
               "snapshot` when something has happened.",
    .options = {set_options},
    .has_csv = true,
    .run = run_set,
};
