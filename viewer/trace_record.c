// SPDX-License-Identifier: MIT
// `kov trace record` and `kov trace snapshot`: the trace as a folder that CTF readers understand,
// with exact counts of what is in it and what was lost.
#include "capture.h"
#include "commands.h"
#include "frame.h"
#include "interrupt.h"
#include "options.h"
#include "progress.h"
#include "resume.h"
#include "session.h"
#include "trace_counters.h"
#include "workload.h"

#include <inttypes.h>

#define DEFAULT_SECONDS 5
#define NO_PID UINT64_MAX

static const char *folder = "trace.ctf";
static double duration;
static u64 pid = NO_PID;
static const char *events_text = "all";
static const char *mode_text = "discard";
static const char *counters_text;

static const struct option record_options[] = {
    TEXT('o', "output", &folder, "FOLDER", "the folder to make (trace.ctf)"),
    SECONDS('d', "duration", &duration, 86400, "how long (5; with a workload, as long as it runs)"),
    TEXT('e', "events", &events_text, "LIST", "majors or events: numbers or names, or all (all)"),
    TEXT(
        0, "counters", &counters_text, "EVENTS",
        "put these hardware counters (at most 6 of `kov events`) behind each of the kernel's events"),
    TEXT(0, "mode", &mode_text, "MODE",
         "when buffers are full: discard new events or overwrite old ones"),
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "only this process; 0: only the kernel"),
    OPTIONS_END,
};

static const struct option snapshot_options[] = {
    TEXT('o', "output", &folder, "FOLDER", "the folder to make (trace.ctf)"),
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "only this process; 0: only the kernel"),
    OPTIONS_END,
};

struct trace_run {
    struct capture capture;
    struct trace_counts counts;
    struct workload_result workload;
    struct trace_counters counters;
    Orrery__Dci__TraceMode mode;
    u64 mask;
    u64 mask_before, process_mask_before;
    bool set_mask;
    double begin, seconds;
};

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct trace_run *run = context;
    if (event->body_case != ORRERY__DCI__EVENT__BODY_PACKET)
        return KOV_OK;
    int code = capture_packet(&run->capture, event->packet);
    progress_show("%5.1f s  %" PRIu64 " KB", frame_now() - run->begin, run->capture.bytes >> 10);
    return code;
}

static struct scan_scope scope(void)
{
    return pid == NO_PID ? SCAN_ALL : scan_scope_of((u32)pid);
}

static int subscribe(const struct trace_run *run)
{
    Orrery__Dci__TraceSubscribeRequest body = ORRERY__DCI__TRACE_SUBSCRIBE_REQUEST__INIT;
    body.mode = run->mode;
    body.set_mask = run->set_mask;
    body.mask = run->mask;
    body.scope = scope().scope;
    body.pid = scope().pid;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_TRACE_SUBSCRIBE;
    request.trace_subscribe = &body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot take the trace", NULL,
                    NULL);
}

static int take_counts(void *context, const dci_response *response)
{
    trace_take_counts(response->trace_unsubscribe, context);
    return KOV_OK;
}

static int unsubscribe(struct trace_run *run)
{
    Orrery__Dci__TraceUnsubscribeRequest body = ORRERY__DCI__TRACE_UNSUBSCRIBE_REQUEST__INIT;
    // A server that was restarted meanwhile does not know what the mask was.
    body.set_mask = resume_account()->times > 0;
    body.mask = run->mask_before;
    body.process_mask = run->process_mask_before;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_TRACE_UNSUBSCRIBE;
    request.trace_unsubscribe = &body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY_TRACE_UNSUBSCRIBE, "cannot end the trace",
                    take_counts, &run->counts);
}

// On a new connection: what the buffers hold is not thrown away.
static int subscribe_again(void *context)
{
    struct trace_run *run = context;
    run->mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_KEEP;
    int code = subscribe(run);
    return code == KOV_OK ? trace_counters_start(&run->counters) : code;
}

// arguments: NULL for a snapshot, which ends at once.
static int trace_window(const struct arguments *arguments, struct trace_run *run)
{
    run->begin = frame_now();
    resume_begin(resume_nothing, NULL);
    int code = subscribe(run);
    if (code == KOV_OK)
        code = trace_counters_start(&run->counters);
    resume_begin(subscribe_again, run);
    if (code == KOV_OK && arguments != NULL)
        code = workload_window(arguments, duration, DEFAULT_SECONDS, &run->workload);
    if (code == KOV_OK)
        code = trace_counters_stop(&run->counters);
    if (code == KOV_OK)
        code = unsubscribe(run);
    resume_end();
    run->seconds = frame_now() - run->begin;
    return code;
}

static int capture_trace(const struct arguments *arguments, struct trace_run *run)
{
    int code = capture_create(&run->capture, folder);
    if (code == KOV_OK)
        code = capture_metadata(&run->capture);
    if (code == KOV_OK)
        code = trace_fetch_counts(&run->counts, SCAN_KERNEL);
    run->mask_before = run->counts.mask;
    run->process_mask_before = run->counts.process_mask;
    trace_free_counts(&run->counts);
    if (code != KOV_OK)
        return code;
    dci_on_event(take_event, run);
    code = trace_window(arguments, run);
    dci_on_event(NULL, NULL);
    progress_end();
    int closed = capture_close(&run->capture);
    return code == KOV_OK ? closed : code;
}

// The streams of one process added up.
struct process_sums {
    u32 pid;
    bool ended; // what it logged in the end is not known
    u64 emitted, logged, discarded, overwritten, received, packets, bytes;
};

static struct process_sums add_streams(const struct trace_run *run, size_t *next)
{
    const struct capture *capture = &run->capture;
    struct process_sums sums = {.pid = capture->streams[*next].pid};
    for (; *next < capture->count && capture->streams[*next].pid == sums.pid; ++*next) {
        const struct capture_stream *stream = &capture->streams[*next];
        const struct trace_cpu_counts *counts =
            trace_counts_of(&run->counts, stream->pid, stream->cpu);
        sums.received += stream->events;
        sums.packets += stream->packets;
        sums.bytes += stream->bytes;
        sums.ended = sums.ended || counts == NULL;
        if (counts == NULL)
            continue;
        sums.emitted += counts->events + counts->discarded;
        sums.logged += counts->events;
        sums.discarded += counts->discarded;
        sums.overwritten += counts->overwritten;
    }
    return sums;
}

static size_t first_process(const struct trace_run *run)
{
    size_t next = 0;
    while (next < run->capture.count && run->capture.streams[next].pid == 0)
        next++;
    return next;
}

static void print_processes(const struct trace_run *run)
{
    size_t next = first_process(run);
    if (next < run->capture.count)
        printf("\n%10s %12s %12s %12s %12s %12s %9s %12s\n", "PID", "EMITTED", "LOGGED",
               "DISCARDED", "OVERWRITTEN", "RECEIVED", "PACKETS", "BYTES");
    while (next < run->capture.count) {
        struct process_sums sums = add_streams(run, &next);
        if (sums.ended)
            printf("%10" PRIu32 " %51s %12" PRIu64 " %9" PRIu64 " %12" PRIu64 "\n", sums.pid,
                   "ended", sums.received, sums.packets, sums.bytes);
        else
            printf("%10" PRIu32 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64
                   " %12" PRIu64 " %9" PRIu64 " %12" PRIu64 "\n",
                   sums.pid, sums.emitted, sums.logged, sums.discarded, sums.overwritten,
                   sums.received, sums.packets, sums.bytes);
    }
    if (run->counts.stuck > 0)
        printf("%" PRIu32 " processes did not answer in the end\n", run->counts.stuck);
}

static void json_processes(struct json *json, const struct trace_run *run)
{
    json_open_array(json, "processes");
    for (size_t next = first_process(run); next < run->capture.count;) {
        struct process_sums sums = add_streams(run, &next);
        json_open_object(json, NULL);
        json_u64(json, "pid", sums.pid);
        json_bool(json, "ended", sums.ended);
        json_u64(json, "emitted", sums.emitted);
        json_u64(json, "logged", sums.logged);
        json_u64(json, "discarded", sums.discarded);
        json_u64(json, "overwritten", sums.overwritten);
        json_u64(json, "received", sums.received);
        json_u64(json, "packets", sums.packets);
        json_u64(json, "bytes", sums.bytes);
        json_close(json);
    }
    json_close(json);
}

static void print_text(const struct trace_run *run, bool workload)
{
    printf("%5s %12s %12s %12s %12s %12s %9s %12s\n", "CPU", "EMITTED", "LOGGED", "DISCARDED",
           "OVERWRITTEN", "RECEIVED", "PACKETS", "BYTES");
    for (u32 i = 0; i < run->counts.cpu_count; i++) {
        const struct trace_cpu_counts *counts = &run->counts.cpus[i];
        struct capture_stream cpu = capture_of(&run->capture, 0, i);
        printf("%5" PRIu32 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64
               " %9" PRIu64 " %12" PRIu64 "\n",
               i, counts->events + counts->discarded, counts->events, counts->discarded,
               counts->overwritten, cpu.events, cpu.packets, cpu.bytes);
    }
    print_processes(run);
    resume_print();
    trace_counters_print(&run->counters);
    printf("%s mode, %.1f s; written to %s; see `babeltrace2 %s`\n",
           trace_mode_name(run->counts.mode), run->seconds, folder, folder);
    if (workload)
        workload_print_account(&run->workload);
}

static void json_cpus(struct json *json, const struct trace_run *run)
{
    json_open_array(json, "cpus");
    for (u32 i = 0; i < run->counts.cpu_count; i++) {
        const struct trace_cpu_counts *counts = &run->counts.cpus[i];
        struct capture_stream cpu = capture_of(&run->capture, 0, i);
        json_open_object(json, NULL);
        json_u64(json, "cpu", i);
        json_u64(json, "emitted", counts->events + counts->discarded);
        json_u64(json, "logged", counts->events);
        json_u64(json, "discarded", counts->discarded);
        json_u64(json, "overwritten", counts->overwritten);
        json_u64(json, "received", cpu.events);
        json_u64(json, "packets", cpu.packets);
        json_u64(json, "missing_packets", cpu.missing_packets);
        json_u64(json, "bytes", cpu.bytes);
        json_close(json);
    }
    json_close(json);
}

static void print_json(const struct trace_run *run, bool workload)
{
    struct json json = json_begin(stdout);
    json_text(&json, "folder", folder);
    json_text(&json, "mode", trace_mode_name(run->counts.mode));
    json_hex(&json, "mask", run->set_mask ? run->mask : run->counts.mask);
    json_number(&json, "seconds", run->seconds);
    json_cpus(&json, run);
    json_processes(&json, run);
    trace_counters_json(&json, &run->counters);
    json_u64(&json, "stuck", run->counts.stuck);
    json_u64(&json, "reconnected", resume_account()->times);
    if (workload)
        workload_json(&json, "workload", &run->workload);
    json_end(&json);
}

// What went with a lost connection is known in the end, but is no failure.
static int check_sum(const char *whose, u64 logged, u64 received, u64 overwritten)
{
    if (received + overwritten == logged)
        return KOV_OK;
    if (resume_account()->times > 0 && received + overwritten < logged) {
        warn("%s: %" PRIu64 " events went with the lost connection", whose,
             logged - received - overwritten);
        return KOV_OK;
    }
    return fail(KOV_FAILED,
                "%s: %" PRIu64 " events logged, but %" PRIu64 " received and %" PRIu64
                " overwritten",
                whose, logged, received, overwritten);
}

// Everything that was logged must have been received or overwritten.
static int check_counts(const struct trace_run *run)
{
    char whose[48];
    int code = KOV_OK;
    for (u32 i = 0; i < run->counts.cpu_count; i++) {
        const struct trace_cpu_counts *counts = &run->counts.cpus[i];
        u64 received = capture_of(&run->capture, 0, i).events;
        snprintf(whose, sizeof(whose), "CPU %" PRIu32, i);
        int checked = check_sum(whose, counts->events, received, counts->overwritten);
        code = code == KOV_OK ? checked : code;
    }
    for (size_t next = first_process(run); next < run->capture.count;) {
        struct process_sums sums = add_streams(run, &next);
        snprintf(whose, sizeof(whose), "process %" PRIu32, sums.pid);
        int checked =
            sums.ended ? KOV_OK : check_sum(whose, sums.logged, sums.received, sums.overwritten);
        code = code == KOV_OK ? checked : code;
    }
    return code;
}

static void show(const struct trace_run *run, bool workload)
{
    if (settings.json)
        print_json(run, workload);
    else
        print_text(run, workload);
}

static int decide(struct trace_run *run)
{
    struct trace_events events = {0};
    int code = trace_fetch_events(&events);
    u64 pmu = 0; // the events that say which counter is which
    if (code == KOV_OK)
        code = trace_parse_mask(events_text, &events, &run->mask);
    if (code == KOV_OK && counters_text != NULL)
        code = trace_parse_mask("pmu", &events, &pmu);
    if (code == KOV_OK && counters_text != NULL)
        code = trace_counters_decide(&run->counters, counters_text, run->mask);
    trace_free_events(&events);
    run->mask |= pmu;
    run->set_mask = true;
    return code;
}

static int record(const struct arguments *arguments)
{
    struct trace_run run = {0};
    int code = trace_parse_mode(mode_text, &run.mode);
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = session_begin(true);
    if (code == KOV_OK)
        code = decide(&run);
    if (code == KOV_OK)
        code = capture_trace(arguments, &run);
    if (code == KOV_OK) {
        show(&run, arguments->has_workload);
        code = check_counts(&run);
    }
    if (code == KOV_OK)
        code = workload_verdict(&run.workload);
    workload_free(&run.workload);
    trace_counters_free(&run.counters);
    capture_free(&run.capture);
    trace_free_counts(&run.counts);
    return code;
}

static int snapshot(const struct arguments *arguments)
{
    (void)arguments;
    struct trace_run run = {0};
    int code = session_begin(true);
    if (code == KOV_OK)
        code = capture_trace(NULL, &run);
    if (code == KOV_OK)
        show(&run, false);
    capture_free(&run.capture);
    trace_free_counts(&run.counts);
    return code;
}

const struct command command_trace_record = {
    .name = "trace record",
    .synopsis =
        "[-o FOLDER] [-d SECONDS] [-e LIST] [--counters EVENTS] [--mode MODE] [--pid PID] [-- WORKLOAD [KEY=VALUE…]]",
    .summary = "Record a trace as a folder for babeltrace2",
    .details =
        "Empties the buffers, traces for some seconds or while a workload runs, and takes\n"
        "everything up to the last event. In the end, of each CPU: EMITTED = LOGGED +\n"
        "DISCARDED, LOGGED = RECEIVED + OVERWRITTEN, or the command fails. Ctrl-C ends it early\n"
        "and keeps the trace. With --counters each event of the kernel is followed by an event\n"
        "`counters`, with the values c0, c1 … of its CPU since the start.",
    .options = {record_options},
    .takes_workload = true,
    .run = record,
};

const struct command command_trace_snapshot = {
    .name = "trace snapshot",
    .synopsis = "[-o FOLDER] [--pid PID]",
    .summary = "Take what the flight recorder holds",
    .details =
        "Takes all unread packets out of the buffers, without emptying them first or changing\n"
        "the mode. What is traced in the meantime is set by `kov trace set` or the boot line.\n"
        "LOGGED counts from the last setting of the mode, so it includes what earlier snapshots\n"
        "have taken.",
    .options = {snapshot_options},
    .run = snapshot,
};
