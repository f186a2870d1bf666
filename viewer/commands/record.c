// SPDX-License-Identifier: MIT
// `kov record`: samples where the machine spends its time, into a file for `kov report`.
#include "commands/commands.h"
#include "machine/failures_print.h"
#include "output/json.h"
#include "samples/event_summary.h"
#include "samples/recording.h"
#include "samples/sampling_window.h"
#include "tools/interrupt.h"
#include "wire/resume.h"
#include "wire/session.h"

#include <inttypes.h>

static const char *path = RECORDING_DEFAULT_PATH;
static double duration;

static const struct option own_options[] = {
    TEXT('o', "output", &path, "FILE", "the file to write (samples.kov)"),
    SECONDS('d', "duration", &duration, 86400, "how long (5; with a workload, as long as it runs)"),
    OPTIONS_END,
};

struct recording_run {
    struct sampling_window window; // its snapshot only passes by on its way into the file
    struct recording_writer writer;
};

static int record(const struct arguments *arguments, struct recording_run *run)
{
    int code = session_begin(true);
    if (code == KOV_OK)
        code = sampling_choose(&run->window.request);
    if (code == KOV_OK)
        code = recording_create(&run->writer, path, &run->window.request);
    if (code != KOV_OK)
        return code;
    dci_on_frame(recording_tap, &run->writer);
    code = session_describe();
    if (code == KOV_OK)
        code = sampling_window_run(arguments, duration, &run->window);
    dci_on_frame(NULL, NULL);
    int finish = recording_finish(&run->writer);
    return code == KOV_OK ? finish : code;
}

static double percent(u64 part, u64 whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static u64 busy_samples(const struct sample_totals *totals)
{
    return totals->samples - totals->idle;
}

static void print_text(const struct recording_run *run, bool workload)
{
    const struct sample_totals *totals = &run->window.samples.totals;
    printf("%" PRIu64 " samples in %.1f s, lost %" PRIu64 "\n", totals->samples,
           run->window.seconds, samples_lost(&run->window.samples));
    for (size_t i = 0; i < run->window.samples.cpu_count; i++) {
        struct sample_stream sum = samples_sum(&run->window.samples, (u32)i, SAMPLES_ALL);
        printf("  CPU %zu: %" PRIu64 " samples, lost %" PRIu64 "\n", i, sum.received, sum.lost);
    }
    event_summary_print(stdout, &run->window.request, &run->window.samples);
    if (samples_missed(&run->window.samples) != 0)
        printf("%" PRIu64 " periods passed without a sample: the emulator interrupted too late\n",
               samples_missed(&run->window.samples));
    printf("of %" PRIu64 " that are not idle: attributed %.2f %%, unattributed %" PRIu64
           ", stale %" PRIu64 ", soft-masked %" PRIu64 "\n",
           busy_samples(totals), percent(totals->attributed, busy_samples(totals)),
           totals->unattributed, totals->stale, totals->soft_masked);
    failures_print(&run->window.snapshot.failures, &run->window.snapshot);
    resume_print();
    printf("written to %s, %" PRIu64 " bytes; see `kov report -i %s`\n", path, run->writer.bytes,
           path);
    if (workload)
        workload_print_account(&run->window.workload);
}

static void json_cpus(struct json *json, const struct sample_set *samples)
{
    json_open_array(json, "cpus");
    for (size_t i = 0; i < samples->cpu_count; i++) {
        struct sample_stream sum = samples_sum(samples, (u32)i, SAMPLES_ALL);
        json_open_object(json, NULL);
        json_u64(json, "cpu", i);
        json_u64(json, "samples", sum.received);
        json_u64(json, "taken", sum.taken);
        json_u64(json, "filtered", sum.filtered);
        json_u64(json, "lost", sum.lost);
        json_u64(json, "missed", sum.missed);
        json_close(json);
    }
    json_close(json);
}

static void print_json(const struct recording_run *run, bool workload)
{
    const struct sample_totals *totals = &run->window.samples.totals;
    struct json json = json_begin(stdout);
    json_text(&json, "file", path);
    json_u64(&json, "bytes", run->writer.bytes);
    json_number(&json, "seconds", run->window.seconds);
    json_bool(&json, "precise", run->window.request.precise);
    json_u64(&json, "samples", totals->samples);
    json_u64(&json, "lost", samples_lost(&run->window.samples));
    json_u64(&json, "missed", samples_missed(&run->window.samples));
    json_u64(&json, "idle", totals->idle);
    json_u64(&json, "kernel", totals->kernel);
    json_u64(&json, "attributed", totals->attributed);
    json_u64(&json, "unattributed", totals->unattributed);
    json_u64(&json, "stale", totals->stale);
    json_u64(&json, "soft_masked", totals->soft_masked);
    json_number(&json, "attributed_percent", percent(totals->attributed, busy_samples(totals)));
    json_u64(&json, "reconnected", resume_account()->times);
    json_number(&json, "disconnected_seconds", resume_account()->seconds);
    failures_json(&json, &run->window.snapshot.failures, &run->window.snapshot);
    json_cpus(&json, &run->window.samples);
    event_summary_json(&json, "events", &run->window.request, &run->window.samples, true);
    if (workload)
        workload_json(&json, "workload", &run->window.workload);
    json_end(&json);
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

// The machine's own count of what it took must be what arrived.
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
    if (settings.json)
        print_json(run, workload);
    else
        print_text(run, workload);
    int code = check_counts(run);
    return code == KOV_OK ? workload_verdict(&run->window.workload) : code;
}

static int run(const struct arguments *arguments)
{
    struct recording_run run = {.window.samples.count_only = true};
    int code = sampling_decide(&run.window.request);
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
        "[-o FILE] [-d SECONDS] [-e EVENTS | --config NAME] [-F HZ | -c THRESHOLD] [--precise] [-g FRAMES] "
        "[--pid PIDS] [-- WORKLOAD [KEY=VALUE…]]",
    .summary = "Sample where the machine spends its time, or where events happen, into a file",
    .details =
        "Samples every CPU by its cycles, or by up to 16 events of `kov events`: each time that one has\n"
        "happened THRESHOLD times. Events that do not fit the counters at once take turns: TIME says\n"
        "how much of the time each was sampled, EVENTS is scaled by it. A sample has the object that was at work, the place in\n"
        "its code and the callers. Ctrl-C ends the sampling early and keeps the file. With a\n"
        "workload, sampling lasts as long as it runs. `kov report` shows the file; `kov threshold`\n"
        "changes a threshold meanwhile.",
    .options = {own_options, sampling_option_table},
    .takes_workload = true,
    .run = run,
};
