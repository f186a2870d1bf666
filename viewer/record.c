// SPDX-License-Identifier: MIT
// `kov record`: samples where the machine spends its time, into a file for `kov report`.
#include "commands.h"
#include "decode.h"
#include "frame.h"
#include "interrupt.h"
#include "json.h"
#include "progress.h"
#include "recording.h"
#include "resume.h"
#include "scan.h"
#include "session.h"
#include "workload.h"

#include <inttypes.h>
#include <math.h>

#define DEFAULT_SECONDS 5

static const char *path = RECORDING_DEFAULT_PATH;
static double duration;

static const struct option own_options[] = {
    TEXT('o', "output", &path, "FILE", "the file to write (samples.kov)"),
    SECONDS('d', "duration", &duration, 86400, "how long (5; with a workload, as long as it runs)"),
    OPTIONS_END,
};

struct recording_run {
    struct sampling_request request;
    struct recording_writer writer;
    struct snapshot snapshot; // only passes by on its way into the file
    struct sample_set samples;
    struct workload_result workload;
    double begin, seconds;
};

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct recording_run *run = context;
    if (event->body_case != ORRERY__DCI__EVENT__BODY_SAMPLES)
        return KOV_OK;
    decode_samples(event->samples, &run->samples);
    progress_show("%5.1f s  %" PRIu64 " samples, %" PRIu64 " lost", frame_now() - run->begin,
                  run->samples.totals.samples, samples_lost(&run->samples));
    return KOV_OK;
}

// On a new connection: names of what has begun meanwhile, and another session.
static int sample_again(void *context)
{
    struct recording_run *run = context;
    int code = scan_objects(&run->snapshot, SCAN_ALL);
    if (code == KOV_OK)
        code = sampling_start(&run->request);
    if (code == KOV_OK)
        decode_sampling_start(&run->samples);
    return code;
}

static int sample_window(const struct arguments *arguments, struct recording_run *run)
{
    int code = sampling_start(&run->request);
    if (code != KOV_OK)
        return code;
    run->begin = frame_now();
    resume_begin(sample_again, run);
    code = workload_window(arguments, duration, DEFAULT_SECONDS, &run->workload);
    run->seconds = frame_now() - run->begin;
    if (code == KOV_OK)
        code = sampling_stop(&run->samples);
    resume_begin(resume_nothing, NULL);
    return code;
}

// Scans before and after, so that objects that end or begin meanwhile have names too.
static int sample_and_scan(const struct arguments *arguments, struct recording_run *run)
{
    resume_begin(resume_nothing, NULL);
    int code = session_describe();
    if (code == KOV_OK)
        code = scan_objects(&run->snapshot, SCAN_ALL);
    if (code == KOV_OK)
        code = sample_window(arguments, run);
    if (code == KOV_OK)
        code = scan_objects(&run->snapshot, SCAN_ALL);
    resume_end();
    return code;
}

static int record(const struct arguments *arguments, struct recording_run *run)
{
    int code = session_begin(true);
    if (code == KOV_OK)
        code = recording_create(&run->writer, path, &run->request);
    if (code != KOV_OK)
        return code;
    dci_on_frame(recording_tap, &run->writer);
    dci_on_event(take_event, run);
    code = sample_and_scan(arguments, run);
    progress_end();
    dci_on_frame(NULL, NULL);
    dci_on_event(NULL, NULL);
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
    const struct sample_totals *totals = &run->samples.totals;
    printf("%" PRIu64 " samples in %.1f s, lost %" PRIu64 "\n", totals->samples, run->seconds,
           samples_lost(&run->samples));
    for (size_t i = 0; i < run->samples.cpu_count; i++) {
        const struct sample_cpu *cpu = &run->samples.cpus[i];
        printf("  CPU %" PRIu32 ": %" PRIu64 " samples, lost %" PRIu64 "\n", cpu->cpu,
               cpu->received, cpu->lost);
    }
    if (samples_missed(&run->samples) != 0)
        printf("%" PRIu64 " periods passed without a sample: the emulator interrupted too late\n",
               samples_missed(&run->samples));
    printf("of %" PRIu64 " that are not idle: attributed %.2f %%, unattributed %" PRIu64
           ", stale %" PRIu64 ", soft-masked %" PRIu64 "\n",
           busy_samples(totals), percent(totals->attributed, busy_samples(totals)),
           totals->unattributed, totals->stale, totals->soft_masked);
    resume_print();
    printf("written to %s, %" PRIu64 " bytes; see `kov report -i %s`\n", path, run->writer.bytes,
           path);
    if (workload) {
        fputs("\nThe workload's own account: ", stdout);
        workload_print(stdout, &run->workload);
    }
}

static void json_cpus(struct json *json, const struct sample_set *samples)
{
    json_open_array(json, "cpus");
    for (size_t i = 0; i < samples->cpu_count; i++) {
        const struct sample_cpu *cpu = &samples->cpus[i];
        json_open_object(json, NULL);
        json_u64(json, "cpu", cpu->cpu);
        json_u64(json, "samples", cpu->received);
        json_u64(json, "taken", cpu->taken);
        json_u64(json, "filtered", cpu->filtered);
        json_u64(json, "lost", cpu->lost);
        json_u64(json, "missed", cpu->missed);
        json_close(json);
    }
    json_close(json);
}

static void print_json(const struct recording_run *run, bool workload)
{
    const struct sample_totals *totals = &run->samples.totals;
    struct json json = json_begin(stdout);
    json_text(&json, "file", path);
    json_u64(&json, "bytes", run->writer.bytes);
    json_number(&json, "seconds", run->seconds);
    json_u64(&json, "period", run->request.period);
    json_u64(&json, "randomise", run->request.randomise);
    json_u64(&json, "samples", totals->samples);
    json_u64(&json, "lost", samples_lost(&run->samples));
    json_u64(&json, "missed", samples_missed(&run->samples));
    json_u64(&json, "idle", totals->idle);
    json_u64(&json, "kernel", totals->kernel);
    json_u64(&json, "attributed", totals->attributed);
    json_u64(&json, "unattributed", totals->unattributed);
    json_u64(&json, "stale", totals->stale);
    json_u64(&json, "soft_masked", totals->soft_masked);
    json_number(&json, "attributed_percent", percent(totals->attributed, busy_samples(totals)));
    json_u64(&json, "reconnected", resume_account()->times);
    json_number(&json, "disconnected_seconds", resume_account()->seconds);
    json_cpus(&json, &run->samples);
    if (workload)
        workload_json(&json, "workload", &run->workload);
    json_end(&json);
}

// The machine's own count of what it took must be what arrived.
static int check_counts(const struct sample_set *samples)
{
    for (size_t i = 0; i < samples->cpu_count; i++) {
        const struct sample_cpu *cpu = &samples->cpus[i];
        u64 received = cpu->received - cpu->received_before;
        if (cpu->taken != received + cpu->filtered)
            return fail(KOV_FAILED,
                        "CPU %" PRIu32 " took %" PRIu64 " samples, but %" PRIu64 " arrived",
                        cpu->cpu, cpu->taken - cpu->filtered, received);
    }
    return KOV_OK;
}

static int finish(const struct recording_run *run, bool workload)
{
    if (settings.json)
        print_json(run, workload);
    else
        print_text(run, workload);
    int code = check_counts(&run->samples);
    return code == KOV_OK ? workload_verdict(&run->workload) : code;
}

static int run(const struct arguments *arguments)
{
    struct recording_run run = {.samples.count_only = true};
    int code = sampling_decide(&run.request);
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = record(arguments, &run);
    if (code == KOV_OK)
        code = finish(&run, arguments->has_workload);
    snapshot_free(&run.snapshot);
    samples_free(&run.samples);
    workload_free(&run.workload);
    return code;
}

const struct command command_record = {
    .name = "record",
    .synopsis =
        "[-o FILE] [-d SECONDS] [-F HZ | -c EVENTS] [-g FRAMES] [--pid PIDS] [-- WORKLOAD [KEY=VALUE…]]",
    .summary = "Sample where the machine spends its time, into a file",
    .details =
        "Samples every CPU by cycles; each sample has the object that was at work, the place in\n"
        "its code and the callers. Ctrl-C ends the sampling early and keeps the file. With a\n"
        "workload, sampling lasts as long as it runs. `kov report` shows the file.",
    .options = {own_options, sampling_option_table},
    .takes_workload = true,
    .run = run,
};
