// SPDX-License-Identifier: MIT
// `kov record`: samples where the machine spends its time, into a file for `kov report`.
#include "commands/commands.h"
#include "machine/failures_print.h"
#include "output/document.h"
#include "samples/event_summary.h"
#include "samples/recording.h"
#include "samples/sampling_window.h"
#include "tools/interrupt.h"
#include "tools/lines.h"
#include "wire/resume.h"
#include "wire/session.h"

#include <inttypes.h>
#include <unistd.h>

static const char *path = RECORDING_DEFAULT_PATH;
static double duration;

static const struct option own_options[] = {
    TEXT('o', "output", &path, "FILE", "the file to write (samples.kov); -: standard output"),
    SECONDS('d', "duration", &duration, 86400, "how long (5; with a workload, as long as it runs)"),
    OPTIONS_END,
};

struct recording_run {
    struct sampling_window window; // its snapshot only passes through on its way into the file
    struct recording_writer writer;
};

// Keeps the recording from its first samples on. This runs once the workload has begun, so samples
// before a workload that cannot start keep nothing.
static int keep(void *context)
{
    struct recording_run *run = context;
    bool samples = run->window.samples.totals.samples > 0;
    return samples || run->writer.error != 0 ? recording_keep(&run->writer) : KOV_OK;
}

static int record(const struct arguments *arguments, struct recording_run *run)
{
    int code = session_begin(true);
    run->window.request.with_workload = arguments->has_workload;
    if (code == KOV_OK)
        code = sampling_choose(&sampling_options, &run->window.request);
    if (code == KOV_OK)
        code = recording_create(&run->writer, path, &run->window.request);
    if (code != KOV_OK)
        return code;
    run->window.watch = (struct workload_watch){.handler = keep, .context = run};
    dci_on_frame(recording_tap, &run->writer);
    code = session_describe();
    if (code == KOV_OK)
        code = sampling_window_run(arguments, duration, &run->window);
    dci_on_frame(NULL, NULL);
    return recording_finish(&run->writer, code);
}

static void print_text(const struct recording_run *run, const json_t *events, bool workload)
{
    const struct sample_totals *totals = &run->window.samples.totals;
    printf("%" PRIu64 " samples in %.1f s, lost %" PRIu64 "\n", totals->samples,
           run->window.seconds, samples_lost(&run->window.samples));
    for (size_t i = 0; i < run->window.samples.cpu_count; i++) {
        struct sample_stream sum = samples_sum(&run->window.samples, (u32)i, SAMPLES_ALL);
        printf("  CPU %zu: %" PRIu64 " samples, lost %" PRIu64 "\n", i, sum.received, sum.lost);
    }
    columns_print(event_summary_columns, events, "");
    frequency_print(&run->window.frequency, &run->window.samples);
    if (samples_missed(&run->window.samples) != 0)
        printf("%" PRIu64 " periods passed without a sample: the emulator interrupted too late\n",
               samples_missed(&run->window.samples));
    printf("of %" PRIu64 " that are not idle: attributed %.2f %%, unattributed %" PRIu64
           ", stale %" PRIu64 ", soft-masked %" PRIu64 "\n",
           totals->samples - totals->idle, samples_attributed_percent(totals), totals->unattributed,
           totals->stale, totals->soft_masked);
    failures_print(&run->window.snapshot.failures, &run->window.snapshot);
    resume_print();
    printf("written to %s, %" PRIu64 " bytes; see `kov report -i %s`\n", path, run->writer.bytes,
           path);
    if (workload)
        workload_print_account(&run->window.workload);
}

// The recording itself is on stdout.
static void warn_of_losses(const struct sample_set *samples)
{
    u64 lost = samples_lost(samples), missed = samples_missed(samples);
    if (lost + missed != 0)
        warn("%" PRIu64 " samples were lost and %" PRIu64 " missed", lost, missed);
}

static void json_cpus(json_t *json, const struct sample_set *samples)
{
    json_t *list = put_array(json, "cpus");
    for (size_t i = 0; i < samples->cpu_count; i++) {
        struct sample_stream sum = samples_sum(samples, (u32)i, SAMPLES_ALL);
        json_t *row = put_object(list, NULL);
        put_u64(row, "cpu", i);
        put_u64(row, "samples", sum.received);
        put_u64(row, "taken", sum.taken);
        put_u64(row, "filtered", sum.filtered);
        put_u64(row, "lost", sum.lost);
        put_u64(row, "missed", sum.missed);
    }
}

static void show(const struct recording_run *run, bool workload)
{
    static const struct sheet sheets[] = {{"events", event_summary_columns}, {NULL, NULL}};
    json_t *document = json_object();
    put_text(document, "file", path);
    put_u64(document, "bytes", run->writer.bytes);
    put_number(document, "seconds", run->window.seconds);
    put_bool(document, "precise", run->window.request.precise);
    sample_totals_put(document, &run->window.samples);
    put_u64(document, "reconnected", resume_account()->times);
    put_number(document, "disconnected_seconds", resume_account()->seconds);
    failures_json(document, &run->window.snapshot.failures, &run->window.snapshot);
    json_cpus(document, &run->window.samples);
    const json_t *events =
        event_summary_put(document, &run->window.request, &run->window.samples, true);
    frequency_put(document, &run->window.frequency, &run->window.samples);
    if (workload)
        workload_json(document, "workload", &run->window.workload);
    if (!document_for_programs(document, sheets))
        print_text(run, events, workload);
    json_decref(document);
}

static int check_stream(const struct sample_stream *stream, size_t cpu,
                        const struct sampled_event *event)
{
    u64 received = stream->received - stream->received_before;
    if (stream->taken == received + stream->filtered)
        return KOV_OK;
    return fail(KOV_FAILED, "CPU %zu took %" PRIu64 " samples of %s, but %" PRIu64 " arrived", cpu,
                stream->taken - stream->filtered, event->name, received);
}

// Checks that what arrived is what the machine counted as taken.
static int check_counts(const struct recording_run *run)
{
    for (size_t i = 0; i < run->window.samples.cpu_count; i++)
        for (u32 j = 0; j < run->window.request.events.count; j++) {
            int code = check_stream(&run->window.samples.cpus[i].streams[j], i,
                                    &run->window.request.events.events[j]);
            if (code != KOV_OK)
                return code;
        }
    return KOV_OK;
}

static int finish(const struct recording_run *run, bool workload)
{
    if (path == NULL)
        warn_of_losses(&run->window.samples);
    else
        show(run, workload);
    int code = check_counts(run);
    return code == KOV_OK ? workload_verdict(&run->window.workload) : code;
}

// Checks what can be checked before the machine is asked for anything.
static int check_output(void)
{
    int code = out_file_check(&path);
    if (code != KOV_OK || path != NULL)
        return code;
    lines_as_they_are(true);
    return isatty(STDOUT_FILENO)
               ? fail(KOV_USAGE, "a recording is not for terminals: give --output FILE")
               : KOV_OK;
}

static int run(const struct arguments *arguments)
{
    struct recording_run run = {.window.samples.count_only = true};
    int code = check_output();
    if (code == KOV_OK)
        code = sampling_decide(&sampling_options, &run.window.request);
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = record(arguments, &run);
    if (code == KOV_OK)
        code = finish(&run, arguments->has_workload);
    sampling_window_free(&run.window);
    return code;
}

const struct command command_record = {
    .name = "record",
    .synopsis =
        "[-o FILE] [-d SECONDS] [-e EVENTS | --config NAME] [-F HZ | -c THRESHOLD] [--precise] "
        "[-g FRAMES] [--pid PIDS] [-- WORKLOAD [KEY=VALUE…] | run PROGRAM…]",
    .summary = "Sample where the machine spends its time, or where events happen, into a file",
    .details =
        "Samples every CPU by its cycles, or by up to 16 events of `kov events`, 1000 times a\n"
        "second on the CPU where an event comes most often: its threshold follows its rate. With "
        "-c and\n"
        "EVENT@THRESHOLD it is fixed. Events that do not fit the counters at once take turns: "
        "TIME says\n"
        "how much of the time each was sampled, EVENTS is scaled by it. "
        "A sample has the object that was at work, the place in\n"
        "its code and the callers. Ctrl-C ends the sampling early and keeps the file. The\n"
        "recording that was there stays as FILE.old; a command that fails before its first\n"
        "samples leaves both as they are. `-o -` is for a pipe, such as to `kov report -i -`.\n"
        "With a "
        "workload, sampling lasts as long as it runs. `kov report` shows the file; "
        "`kov threshold`\n"
        "changes a threshold meanwhile.",
    .options = {own_options, sampling_option_table},
    .takes_workload = true,
    .has_csv = true,
    .run = run,
};
