// SPDX-License-Identifier: MIT
// `kov trace record` and `kov trace snapshot`: write the trace as a folder that CTF readers
// understand, with exact counts of what is in it and what was lost.
#include "commands/commands.h"
#include "output/progress.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "record/trace_run.h"
#include "wire/resume.h"
#include "wire/session.h"

#include <inttypes.h>

#define DEFAULT_SECONDS 5
#define NO_PID UINT64_MAX

static const char *folder = "trace.ctf";
static double duration;
static u64 pid = NO_PID;
static const char *events_text = "all";
static const char *mode_text = "discard";
static const char *counters_text;
static bool all;

static const struct option record_options[] = {
    TEXT('o', "output", &folder, "FOLDER", "the folder to make (trace.ctf)"),
    SECONDS('d', "duration", &duration, 86400, "how long (5; with a workload, as long as it runs)"),
    TEXT('e', "events", &events_text, "LIST", "majors or events: numbers or names, or all (all)"),
    TEXT(0, "counters", &counters_text, "EVENTS",
         "put these hardware counters (at most 6 of `kov events`) "
         "behind each of the kernel's events"),
    CHOICE(0, "mode", &mode_text, "MODE", "discard overwrite",
           "when buffers are full: discard new events or overwrite old ones"),
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "only this process; 0: only the kernel"),
    FLAG(0, "all", &all, "also what the monitor's own processes do (dci and net)"),
    OPTIONS_END,
};

static const struct option snapshot_options[] = {
    TEXT('o', "output", &folder, "FOLDER", "the folder to make (trace.ctf)"),
    NUMBER(0, "pid", &pid, 0, UINT32_MAX, "PID", "only this process; 0: only the kernel"),
    OPTIONS_END,
};

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct trace_run *run = context;
    if (event->body_case != ORRERY__DCI__EVENT__BODY_PACKET)
        return KOV_OK;
    int code = capture_packet(&run->capture, event->packet);
    progress_show("%5.1f s  %" PRIu64 " KB", clock_now() - run->begin, run->capture.bytes >> 10);
    return code;
}

static int subscribe(struct trace_run *run)
{
    Orrery__Dci__TraceSubscribeRequest body = ORRERY__DCI__TRACE_SUBSCRIBE_REQUEST__INIT;
    body.mode = run->mode;
    body.set_mask = run->set_mask;
    body.mask = run->mask;
    // A snapshot takes what the buffers hold: whoever filled them has decided.
    return trace_subscribe(&body, pid == NO_PID ? SCAN_ALL : scan_scope_of((u32)pid),
                           all || !run->set_mask ? NULL : &run->left_out);
}

static int unsubscribe(struct trace_run *run)
{
    Orrery__Dci__TraceUnsubscribeRequest body = ORRERY__DCI__TRACE_UNSUBSCRIBE_REQUEST__INIT;
    // A server that was restarted meanwhile does not know what the mask was.
    body.set_mask = run->reconnected;
    body.mask = run->mask_before;
    body.process_mask = run->process_mask_before;
    return trace_unsubscribe(&body, &run->counts);
}

static int note_reconnection(void *context)
{
    struct trace_run *run = context;
    run->reconnected = true;
    return KOV_OK;
}

// Subscribes on a new connection. It does not throw away what the buffers hold.
static int subscribe_again(void *context)
{
    struct trace_run *run = context;
    run->mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_KEEP;
    run->reconnected = true;
    capture_reset_metadata(&run->capture);
    trace_free_counts(&run->counts); // a part of the last answer
    int code = subscribe(run);
    return code == KOV_OK ? trace_counters_start_again(&run->counters) : code;
}

// Keeps the recording. This runs once the workload has begun: what came before a workload that
// cannot start is of no use.
static int keep(void *context)
{
    struct capture *capture = &((struct trace_run *)context)->capture;
    capture->keep = true;
    return capture_tick(capture);
}

// Takes the trace. arguments is NULL for a snapshot, which ends at once.
static int trace_window(const struct arguments *arguments, struct trace_run *run)
{
    const struct workload_watch watch = {.handler = keep, .context = run};
    run->capture.keep = !run->has_workload;
    run->begin = clock_now();
    resume_begin(note_reconnection, run);
    int code = arguments == NULL ? KOV_OK : workload_prepare(arguments, &run->workload);
    if (code == KOV_OK)
        code = subscribe(run);
    resume_begin(subscribe_again, run);
    if (code == KOV_OK)
        code = trace_counters_start(&run->counters);
    if (code == KOV_OK && arguments != NULL)
        code = workload_window(arguments, duration, DEFAULT_SECONDS, &watch, &run->workload);
    if (code == KOV_OK)
        code = trace_counters_stop(&run->counters);
    if (code == KOV_OK)
        code = unsubscribe(run);
    resume_end();
    run->seconds = clock_now() - run->begin;
    return code;
}

// Forgets the counts. Before the trace is subscribed, a lost connection loses nothing: the request
// is repeated, so its partial answer must go.
static int forget_counts(void *context)
{
    trace_free_counts(context);
    return KOV_OK;
}

static int fetch_masks(struct trace_run *run)
{
    resume_begin(forget_counts, &run->counts);
    int code = trace_fetch_counts(&run->counts, SCAN_KERNEL);
    resume_end();
    run->mask_before = run->counts.mask;
    run->process_mask_before = run->counts.process_mask;
    trace_free_counts(&run->counts);
    return code;
}

static int capture_trace(const struct arguments *arguments, struct trace_run *run)
{
    int code = capture_create(&run->capture, folder);
    if (code == KOV_OK)
        code = capture_metadata(&run->capture);
    if (code == KOV_OK)
        code = fetch_masks(run);
    dci_on_event(take_event, run);
    if (code == KOV_OK)
        code = trace_window(arguments, run);
    dci_on_event(NULL, NULL);
    progress_end();
    if (code == KOV_OK)
        code = capture_metadata(&run->capture);
    return capture_close(&run->capture, code);
}

static int forget_events(void *context)
{
    trace_free_events(context);
    return KOV_OK;
}

static int decide(struct trace_run *run)
{
    struct trace_events events = {0};
    resume_begin(forget_events, &events);
    int code = trace_fetch_events(&events);
    resume_end();
    u64 pmu = 0; // the events that tell which counter is which
    if (code == KOV_OK)
        code = trace_parse_mask(events_text, &events, &run->mask);
    if (code == KOV_OK && counters_text != NULL)
        code = trace_parse_mask("pmu", &events, &pmu);
    if (code == KOV_OK && counters_text != NULL)
        code = trace_counters_decide(&run->counters, counters_text, run->mask);
    if (run->mask != 0)
        run->mask |= trace_state_mask(&events);
    trace_free_events(&events);
    run->mask |= pmu;
    run->set_mask = true;
    return code;
}

static int record(const struct arguments *arguments)
{
    struct trace_run run = {.has_workload = arguments->has_workload};
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
        trace_run_print(&run);
        code = trace_check_counts(&run);
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
        trace_run_print(&run);
    capture_free(&run.capture);
    trace_free_counts(&run.counts);
    return code;
}

const struct command command_trace_record = {
    .name = "trace record",
    .synopsis = "[-o FOLDER] [-d SECONDS] [-e LIST] [--counters EVENTS] [--mode MODE] [--pid PID] "
                "[--all] [-- WORKLOAD [KEY=VALUE…] | run PROGRAM…]",
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
