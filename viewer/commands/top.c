// SPDX-License-Identifier: MIT
// `kov top`: shows where the machine spends its time, or where events happen, and refreshes that
// again and again.
#include "commands/top.h"
#include "commands/commands.h"
#include "machine/scan.h"
#include "samples/decode_samples.h"
#include "samples/sample_names.h"
#include "symbols/kernel.h"
#include "symbols/programs.h"
#include "tools/clock.h"
#include "tools/interrupt.h"
#include "tools/terminal.h"
#include "wire/resume.h"
#include "wire/session.h"

#include <math.h>
#include <orrery/sys.h>
#include <string.h>
#include <unistd.h>

static u64 iterations;
static double delay = 2;
static const char *sort_text = "object";
static bool with_idle;

static const struct option own_options[] = {
    NUMBER('n', "iterations", &iterations, 1, UINT32_MAX, "COUNT",
           "end after so many refreshes (never)"),
    SECONDS('d', "delay", &delay, 3600, "between refreshes (2)"),
    CHOICE('s', "sort", &sort_text, "KEYS", "process object class function line thread cpu",
           "by these, of process,object,class,function,line,thread,cpu (object)"),
    FLAG(0, "idle", &with_idle, "count idle samples too"),
    OPTIONS_END,
};

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct top *top = context;
    if (event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLES)
        decode_samples(event->samples, &top->samples);
    if (event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLING_CHANGED) {
        const Orrery__Dci__SamplingChanged *changed = event->sampling_changed;
        decode_sampling_changed(changed, &top->samples);
        if (changed->index < top->request.events.count)
            top->request.events.events[changed->index].period = changed->period;
    }
    return KOV_OK;
}

static void fill(const struct top *top, u32 index, struct aggregate *aggregate)
{
    *aggregate = (struct aggregate){.snapshot = &top->snapshot,
                                    .symbols = top->symbols,
                                    .programs = top->programs,
                                    .sort = top->sort,
                                    .share = samples_share(&top->samples, index)};
    for (size_t i = 0; i < top->samples.count; i++) {
        const struct sample *sample = &top->samples.samples[i];
        if (sample->index == index && (with_idle || (sample->flags & SYS_SAMPLE_IDLE) == 0))
            aggregate_add(aggregate, sample);
    }
    aggregate_order(aggregate);
}

// Shows a refresh: on a terminal the event that keys have chosen, else all events.
static void show(struct top *top)
{
    u64 lost = samples_lost(&top->samples);
    top_begin(top, round((clock_now() - top->since) * 10) / 10, lost - top->lost_before);
    for (u32 i = 0; i < top->request.events.count; i++) {
        struct aggregate aggregate;
        if (top->keys && i != top->shown)
            continue;
        fill(top, i, &aggregate);
        top_show(top, i, &aggregate);
        aggregate_free(&aggregate);
    }
    top_end(top);
    top->lost_before = lost;
}

// Forgets the samples. Keeps counts of losses and of turns, and the periods, which go on.
static void forget_samples(struct top *top)
{
    static struct sample_set empty; // static because it is large
    empty = (struct sample_set){.began = top->samples.began, .now = top->samples.now};
    memcpy(empty.periods, top->samples.periods, sizeof(empty.periods));
    for (u32 i = 0; i < top->samples.cpu_count * SAMPLED_EVENTS_MAX; i++) {
        u32 cpu = i / SAMPLED_EVENTS_MAX, index = i % SAMPLED_EVENTS_MAX;
        const struct sample_stream *stream = samples_stream(&top->samples, cpu, index);
        struct sample_stream *kept = samples_stream(&empty, cpu, index);
        kept->lost = stream->lost;
        kept->lost_before = stream->lost_before;
        kept->share = stream->share;
    }
    samples_free(&top->samples);
    top->samples = empty;
}

static int refresh(struct top *top)
{
    sampling_name_program(top->workload.program, &top->snapshot);
    if (!samples_have_names(&top->samples, 0, &top->snapshot)) {
        int code = scan_objects(&top->snapshot, SCAN_ALL);
        if (code != KOV_OK)
            return code;
    }
    show(top);
    forget_samples(top);
    top->since = clock_now();
    top->due = top->since + delay;
    top->quit = ++top->shown_times == iterations;
    return KOV_OK;
}

static int attend(void *context)
{
    struct top *top = context;
    int code = frequency_attend(&top->frequency, &top->samples);
    if (code == KOV_OK && top->keys)
        code = top_keys(top);
    if (code != KOV_OK || top->quit || clock_now() < top->due)
        return code;
    return refresh(top);
}

static int watch_again(void *context)
{
    struct top *top = context;
    int code = scan_objects(&top->snapshot, SCAN_ALL);
    if (code == KOV_OK)
        code = sampling_start(&top->request, &top->samples);
    frequency_begin(&top->frequency, &top->request);
    return code;
}

static int watch(struct top *top, const struct arguments *arguments)
{
    const struct workload_watch ticks = {attend, top, &top->quit};
    dci_on_event(take_event, top);
    resume_begin(resume_nothing, NULL);
    int code = workload_prepare(arguments, &top->workload);
    if (code == KOV_OK)
        code = watch_again(top);
    resume_begin(watch_again, top);
    top->since = clock_now();
    top->due = top->since + delay;
    if (code == KOV_OK)
        code = workload_window(arguments, 0, INFINITY, &ticks, &top->workload);
    if (code == KOV_OK && !top->quit)
        code = refresh(top); // what came since the last one
    if (code == KOV_OK)
        code = sampling_stop(&top->samples);
    resume_end();
    dci_on_event(NULL, NULL);
    return code;
}

// Watches, with keys if people look on a terminal. What they type is a program's that runs.
static int watch_with_keys(struct top *top, const struct arguments *arguments)
{
    top->keys = output_form() == OUTPUT_TABLES && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
                !arguments->has_workload;
    if (top->keys)
        terminal_raw();
    series_begin("refreshes");
    int code = watch(top, arguments);
    series_end(top_counts(top));
    terminal_restore();
    return code;
}

static int run(const struct arguments *arguments)
{
    struct kernel kernel = {0};
    struct programs programs = {0};
    struct top top = {.programs = &programs};
    int code = sampling_decide(&sampling_options, &top.request);
    if (code == KOV_OK)
        code = sort_parse(sort_text, &top.sort);
    if (code != KOV_OK)
        return code;
    interrupt_catch();
    code = session_begin(true);
    top.request.with_workload = arguments->has_workload;
    if (code == KOV_OK)
        code = sampling_choose(&sampling_options, &top.request);
    if (code != KOV_OK)
        return code;
    const dci_system_info *machine = session_machine();
    kernel_use_build_id(&kernel, machine->build_id.data, machine->build_id.len);
    top.symbols = kernel_symbols(&kernel);
    code = watch_with_keys(&top, arguments);
    if (code == KOV_OK)
        code = workload_verdict(&top.workload);
    programs_close(&programs);
    kernel_close(&kernel);
    snapshot_free(&top.snapshot);
    samples_free(&top.samples);
    workload_free(&top.workload);
    return code;
}

const struct command command_top = {
    .name = "top",
    .synopsis =
        "[-n COUNT] [-d SECONDS] [-e EVENTS | --config NAME] [-F HZ | -c THRESHOLD] [--precise] "
        "[--sort KEYS] [--pid PIDS] [--idle] [-- WORKLOAD [KEY=VALUE…] | run PROGRAM…]",
    .summary = "Watch where the machine spends its time, or where events happen",
    .details =
        "Ctrl-C ends it. On a terminal q does, too; + doubles the threshold of the event shown, "
        "so that\n"
        "samples get fewer, - halves it; 1 … 8 and Tab choose another one of several events. "
        "Without a\n"
        "terminal the tables follow each other. With a workload it watches as long as that runs,\n"
        "without keys.",
    .options = {own_options, sampling_option_table},
    .takes_workload = true,
    .run = run,
};
