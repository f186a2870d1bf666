// SPDX-License-Identifier: MIT
// `kov trace list`, `stat` and `set`: which events there are, what was counted, what is traced.
#include "commands/commands.h"
#include "machine/failures_print.h"
#include "tools/options.h"
#include "trace/trace_requests.h"
#include "wire/session.h"

#include <inttypes.h>

#define NO_PID UINT64_MAX

static const char *events_text, *mode_text;
static u64 pid = NO_PID;

static const struct option set_options[] = {
    TEXT('e', "events", &events_text, "LIST", "trace these majors or events, all, or none"),
    TEXT(0, "mode", &mode_text, "MODE", "discard or overwrite; empties the buffers"),
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "only this process; 0: only the kernel"),
    OPTIONS_END,
};

static const struct option stat_options[] = {
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "only this process; 0: only the kernel"),
    OPTIONS_END,
};

static void print_events(const struct trace_events *events, u64 mask)
{
    printf("%5s %5s %-3s %-24s %s\n", "MAJOR", "MINOR", "ON", "EVENT", "FIELDS");
    for (size_t i = 0; i < events->count; i++) {
        const struct trace_event_name *event = &events->events[i];
        printf("%5" PRIu32 " %5" PRIu32 " %-3s %-24s %s\n", event->major, event->minor,
               (mask >> event->major & 1) != 0 ? "yes" : "no", event->name, event->format);
    }
}

static void json_events(const struct trace_events *events, u64 mask)
{
    struct json json = json_begin(stdout);
    json_open_array(&json, "events");
    for (size_t i = 0; i < events->count; i++) {
        const struct trace_event_name *event = &events->events[i];
        json_open_object(&json, NULL);
        json_u64(&json, "major", event->major);
        json_u64(&json, "minor", event->minor);
        json_text(&json, "name", event->name);
        json_text(&json, "format", event->format);
        json_u64(&json, "fields", event->field_count);
        json_bool(&json, "enabled", (mask >> event->major & 1) != 0);
        json_close(&json);
    }
    json_close(&json);
    json_end(&json);
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
    if (code == KOV_OK && settings.json)
        json_events(&events, counts.mask);
    else if (code == KOV_OK)
        print_events(&events, counts.mask);
    trace_free_events(&events);
    trace_free_counts(&counts);
    return code;
}

static void print_counts(const struct trace_counts *counts)
{
    printf("mode %s, mask 0x%" PRIx64 "%s\n", trace_mode_name(counts->mode), counts->mask,
           counts->subscribed ? ", a client is recording" : "");
    printf("%5s %14s %14s %14s %14s %10s %10s %10s %16s\n", "CPU", "EMITTED", "LOGGED", "DISCARDED",
           "OVERWRITTEN", "UNREAD", "PACKETS", "PUSHED", "BUFFER");
    for (u32 i = 0; i < counts->cpu_count; i++) {
        const struct trace_cpu_counts *cpu = &counts->cpus[i];
        printf("%5" PRIu32 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %10" PRIu64
               " %10" PRIu64 " %10" PRIu64 " %5" PRIu64 " x %5" PRIu64 " KB\n",
               i, cpu->events + cpu->discarded, cpu->events, cpu->discarded, cpu->overwritten,
               cpu->unread, cpu->packets, cpu->pushed_packets, cpu->subbuffers,
               cpu->subbuffer_bytes >> 10);
    }
    if (counts->process_count > 0)
        printf("\n%10s %5s %14s %14s %14s %14s %10s %10s\n", "PID", "CPU", "EMITTED", "LOGGED",
               "DISCARDED", "OVERWRITTEN", "UNREAD", "PACKETS");
    for (size_t i = 0; i < counts->process_count; i++) {
        const struct trace_process_counts *process = &counts->processes[i];
        printf("%10" PRIu32 " %5" PRIu32 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64
               " %10" PRIu64 " %10" PRIu64 "\n",
               process->pid, process->cpu, process->counts.events + process->counts.discarded,
               process->counts.events, process->counts.discarded, process->counts.overwritten,
               process->counts.unread, process->counts.packets);
    }
    if (counts->failures.count > 0)
        printf("what %zu processes counted is not known:\n", counts->failures.count);
    failures_print(&counts->failures, &(struct snapshot){0});
}

static void json_counts(const struct trace_counts *counts)
{
    struct json json = json_begin(stdout);
    json_text(&json, "mode", trace_mode_name(counts->mode));
    json_hex(&json, "mask", counts->mask);
    json_bool(&json, "recording", counts->subscribed);
    json_open_array(&json, "cpus");
    for (u32 i = 0; i < counts->cpu_count; i++) {
        const struct trace_cpu_counts *cpu = &counts->cpus[i];
        json_open_object(&json, NULL);
        json_u64(&json, "cpu", i);
        json_u64(&json, "emitted", cpu->events + cpu->discarded);
        json_u64(&json, "logged", cpu->events);
        json_u64(&json, "discarded", cpu->discarded);
        json_u64(&json, "overwritten", cpu->overwritten);
        json_u64(&json, "unread", cpu->unread);
        json_u64(&json, "packets", cpu->packets);
        json_u64(&json, "pushed_packets", cpu->pushed_packets);
        json_u64(&json, "subbuffers", cpu->subbuffers);
        json_u64(&json, "subbuffer_bytes", cpu->subbuffer_bytes);
        json_close(&json);
    }
    json_close(&json);
    json_open_array(&json, "processes");
    for (size_t i = 0; i < counts->process_count; i++) {
        const struct trace_process_counts *process = &counts->processes[i];
        json_open_object(&json, NULL);
        json_u64(&json, "pid", process->pid);
        json_u64(&json, "cpu", process->cpu);
        json_u64(&json, "emitted", process->counts.events + process->counts.discarded);
        json_u64(&json, "logged", process->counts.events);
        json_u64(&json, "discarded", process->counts.discarded);
        json_u64(&json, "overwritten", process->counts.overwritten);
        json_u64(&json, "unread", process->counts.unread);
        json_u64(&json, "packets", process->counts.packets);
        json_close(&json);
    }
    json_close(&json);
    json_u64(&json, "stuck", counts->failures.count);
    failures_json(&json, &counts->failures, &(struct snapshot){0});
    json_end(&json);
}

static struct scan_scope scope(void)
{
    return pid == NO_PID ? SCAN_ALL : scan_scope_of((u32)pid);
}

static int show_counts(void)
{
    struct trace_counts counts = {0};
    int code = trace_fetch_counts(&counts, scope());
    if (code == KOV_OK && settings.json)
        json_counts(&counts);
    else if (code == KOV_OK)
        print_counts(&counts);
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
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_TRACE_SET;
    request.trace_set = &body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot set the trace", NULL,
                    NULL);
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
    .run = run_list,
};

const struct command command_trace_stat = {
    .name = "trace stat",
    .synopsis = "[--pid PID]",
    .summary = "Show what each CPU has traced and lost since the mode was set",
    .options = {stat_options},
    .run = run_stat,
};

const struct command command_trace_set = {
    .name = "trace set",
    .synopsis = "[-e LIST] [--mode MODE] [--pid PID]",
    .summary = "Choose what is traced, and what happens when buffers are full",
    .details = "For the flight recorder: `kov trace set --mode overwrite -e all`, and `kov trace\n"
               "snapshot` when something has happened.",
    .options = {set_options},
    .run = run_set,
};
