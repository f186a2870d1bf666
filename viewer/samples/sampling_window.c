// SPDX-License-Identifier: MIT
// Runs a whole sampling session: for some seconds, or while a workload runs.
#include "samples/sampling_window.h"
#include "machine/program.h"
#include "machine/scan.h"
#include "output/progress.h"
#include "samples/decode_samples.h"
#include "tools/clock.h"
#include "wire/resume.h"

#include <inttypes.h>
#include <orrery/process.h>
#include <stdio.h>
#include <string.h>

#define SCAN_SECONDS                                                                               \
    0.3 // from a program's begin to the first scan; the next ones wait twice as long

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct sampling_window *window = context;
    if (event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLING_CHANGED)
        decode_sampling_changed(event->sampling_changed, &window->samples);
    if (event->body_case != ORRERY__DCI__EVENT__BODY_SAMPLES)
        return KOV_OK;
    decode_samples(event->samples, &window->samples);
    progress_show("%5.1f s  %" PRIu64 " samples, %" PRIu64 " lost", clock_now() - window->begin,
                  window->samples.totals.samples, samples_lost(&window->samples));
    return KOV_OK;
}

static int begin(struct sampling_window *window)
{
    int code = sampling_start(&window->request, &window->samples);
    frequency_begin(&window->frequency, &window->request);
    return code;
}

// Starts another session on a new connection, after it has read the names of what has begun
// meanwhile.
static int sample_again(void *context)
{
    struct sampling_window *window = context;
    int code = scan_objects(&window->snapshot, SCAN_ALL);
    return code == KOV_OK ? begin(window) : code;
}

bool sampling_name_program(const struct program *program, struct snapshot *snapshot)
{
    if (program == NULL || program->pid == 0)
        return false;
    char name[PROCESS_NAME_MAX];
    const char *slash = strrchr(program->path, '/');
    snprintf(name, sizeof(name), "%s", slash == NULL ? program->path : slash + 1);
    snapshot_add_process(snapshot, &(struct process_info){.pid = program->pid, .name = name});
    return true;
}

static void name_program(struct sampling_window *window)
{
    if (window->scan_pause != 0 ||
        !sampling_name_program(window->workload.program, &window->snapshot))
        return;
    window->scan_pause = SCAN_SECONDS;
    window->scan_at = clock_now() + window->scan_pause;
}

// Its objects are scanned while it runs.
static int scan_program(struct sampling_window *window)
{
    const struct program *program = window->workload.program;
    name_program(window);
    if (program == NULL || program->pid == 0 || program->ended || clock_now() < window->scan_at)
        return KOV_OK;
    window->scan_pause *= 2;
    int code = scan_objects(&window->snapshot, SCAN_ALL);
    window->scan_at = clock_now() + window->scan_pause;
    return code;
}

static int attend(void *context)
{
    struct sampling_window *window = context;
    int code = frequency_attend(&window->frequency, &window->samples);
    if (code == KOV_OK)
        code = scan_program(window);
    if (code == KOV_OK && window->watch.handler != NULL)
        code = window->watch.handler(window->watch.context);
    return code;
}

static int sample(const struct arguments *arguments, double duration,
                  struct sampling_window *window)
{
    const struct workload_watch watch = {.handler = attend, .context = window};
    int code = begin(window);
    if (code != KOV_OK)
        return code;
    window->begin = clock_now();
    resume_begin(sample_again, window);
    code = workload_window(arguments, duration, SAMPLING_WINDOW_SECONDS, &watch, &window->workload);
    window->seconds = clock_now() - window->begin;
    name_program(window);
    if (code == KOV_OK)
        code = sampling_stop(&window->samples);
    resume_begin(resume_nothing, NULL);
    return code;
}

int sampling_window_run(const struct arguments *arguments, double duration,
                        struct sampling_window *window)
{
    dci_on_event(take_event, window);
    resume_begin(resume_nothing, NULL);
    int code = workload_prepare(arguments, &window->workload);
    if (code == KOV_OK)
        code = scan_objects(&window->snapshot, SCAN_ALL);
    if (code == KOV_OK)
        code = sample(arguments, duration, window);
    if (code == KOV_OK)
        code = scan_objects(&window->snapshot, SCAN_ALL);
    resume_end();
    progress_end();
    dci_on_event(NULL, NULL);
    return code;
}

void sampling_window_free(struct sampling_window *window)
{
    snapshot_free(&window->snapshot);
    samples_free(&window->samples);
    workload_free(&window->workload);
}
