// SPDX-License-Identifier: MIT
// `kov stat -e --per-object`: hardware events by object, estimated from samples.
#include "samples/stat_objects.h"
#include "counts/stat_events.h"
#include "machine/scan.h"
#include "output/progress.h"
#include "samples/event_summary.h"
#include "samples/object_counts_print.h"
#include "samples/sample_names.h"
#include "samples/sampling_window.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "wire/resume.h"
#include "wire/session.h"

#define LABEL_BYTES 24

static struct {
    const struct stat_objects *wanted;
    struct sampling_window window;
    u64 intervals; // how many were printed
    size_t shown;  // number of samples in them
    json_t *document;
} run;

// Calls `show` with the counts of the samples from number `first` on.
static void show_from(size_t first, const char *label, void show(const struct object_view *))
{
    struct object_counts counts;
    struct sample_share shares[SAMPLED_EVENTS_MAX];
    const struct sample_set *samples = &run.window.samples;
    object_counts_begin(&counts, &run.window.request.events);
    for (size_t i = first; i < samples->count; i++)
        object_counts_add(&counts, &samples->samples[i]);
    for (u32 i = 0; i < SAMPLED_EVENTS_MAX; i++)
        shares[i] = samples_share(samples, i);
    object_counts_order(&counts, shares);
    show(&(struct object_view){.counts = &counts,
                               .snapshot = &run.window.snapshot,
                               .max_rows = run.wanted->max_rows,
                               .label = label});
    object_counts_free(&counts);
}

// ---- intervals ---------------------------------------------------------------------------------

static void show_interval(const struct object_view *view)
{
    json_t *interval = json_object();
    put_number(interval, "time", clock_now() - run.window.begin);
    object_counts_put(interval, view);
    if (!series_add(interval)) {
        progress_end();
        object_counts_print(view);
        putchar('\n');
        fflush(stdout);
    }
}

static int tick(void *context)
{
    (void)context;
    double now = clock_now() - run.window.begin;
    if (now < run.wanted->interval * (double)(run.intervals + 1))
        return KOV_OK;
    run.intervals++;
    int code = KOV_OK;
    if (!samples_have_names(&run.window.samples, run.shown, &run.window.snapshot))
        code = scan_objects(&run.window.snapshot, SCAN_ALL);
    if (code != KOV_OK)
        return code;
    char label[LABEL_BYTES];
    snprintf(label, sizeof(label), "%10.3f ", now);
    series_begin("intervals"); // not before sampling has begun, which may fail
    show_from(run.shown, label, show_interval);
    run.shown = run.window.samples.count;
    return KOV_OK;
}

// ---- the end -----------------------------------------------------------------------------------

static void print_end(const struct object_view *view)
{
    object_counts_print(view);
    putchar('\n');
    event_summary_print(&run.window.request, &run.window.samples);
    frequency_print(&run.window.frequency, &run.window.samples);
    printf(
        "%.3f s. Estimates: samples x threshold; ± is chance alone, in 99 of 100 cases. What was "
        "LOST or MISSED is in no row.\n",
        run.window.seconds);
    resume_print();
}

static void describe_all(const struct object_view *view)
{
    json_t *document = run.document;
    put_number(document, "seconds", run.window.seconds);
    put_bool(document, "estimated", true);
    put_bool(document, "precise", run.window.request.precise);
    put_u64(document, "lost", samples_lost(&run.window.samples));
    put_u64(document, "missed", samples_missed(&run.window.samples));
    put_u64(document, "reconnected", resume_account()->times);
    event_summary_put(document, &run.window.request, &run.window.samples, true);
    frequency_put(document, &run.window.frequency, &run.window.samples);
    const json_t *objects = object_counts_put(document, view);
    const struct sheet sheets[] = {{"objects", object_counts_columns(view, objects)},
                                   {"events", event_summary_columns},
                                   {NULL, NULL}};
    if (output_form() == OUTPUT_CSV) // JSON is printed by series_end, with the workload's account
        document_for_programs(document, sheets);
}

static void show_end(const struct arguments *arguments)
{
    // People see less than the document: their tables are printed from the view itself.
    bool for_people = output_form() == OUTPUT_TABLES;
    if (run.wanted->interval > 0)
        series_begin("intervals");
    run.document = json_object();
    show_from(0, "", for_people ? print_end : describe_all);
    if (arguments->has_workload && for_people)
        workload_print_account(&run.window.workload);
    else if (arguments->has_workload)
        workload_json(run.document, "workload", &run.window.workload);
    series_end(run.document);
}

// ---- the session -------------------------------------------------------------------------------

static int sample(const struct arguments *arguments)
{
    int code = session_begin(true);
    run.window.request.with_workload = arguments->has_workload;
    if (code == KOV_OK)
        code = stat_check_cpus(run.wanted->cpus, run.window.request.cpu_mask);
    if (code == KOV_OK)
        code = sampling_choose(&sampling_options, &run.window.request);
    if (code != KOV_OK)
        return code;
    if (run.wanted->interval > 0)
        run.window.watch.handler = tick;
    return sampling_window_run(arguments, run.wanted->duration, &run.window);
}

int stat_objects(const struct arguments *arguments, const struct stat_objects *wanted)
{
    run.wanted = wanted;
    sampling_options.callers = 0;
    int code = sampling_decide(&sampling_options, &run.window.request);
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = sample(arguments);
    if (code == KOV_OK) {
        show_end(arguments);
        code = workload_verdict(&run.window.workload);
    } else {
        series_cut();
    }
    sampling_window_free(&run.window);
    return code;
}
