// SPDX-License-Identifier: MIT
// `kov stat -e`: hardware events counted in a while, or while a workload ran.
#include "stat_events.h"
#include "counting.h"
#include "frame.h"
#include "interrupt.h"
#include "session.h"
#include "stat_print.h"
#include "workload.h"

#define DEFAULT_SECONDS 1
#define LABEL_BYTES 24

static struct {
    const struct stat_events *wanted;
    struct count_request request;
    struct count_reading reading, last, between; // the end, or now; the interval before; since then
    u64 begin;                                   // time base
    double next;                                 // when an interval is due
    struct json json;
    struct workload_result workload;
} run;

static double seconds_between(u64 begin, u64 end)
{
    u64 hz = session_machine()->timebase_hz;
    return hz == 0 || end < begin ? 0 : (double)(end - begin) / (double)hz;
}

static struct stat_view whole(void)
{
    return (struct stat_view){.request = &run.request,
                              .reading = &run.reading,
                              .seconds = seconds_between(run.begin, run.reading.time),
                              .per_cpu = run.wanted->per_cpu,
                              .label = ""};
}

// ---- intervals ---------------------------------------------------------------------------------

static void print_interval(void)
{
    char label[LABEL_BYTES];
    struct stat_view view = whole();
    count_reading_between(&run.last, &run.reading, &run.between);
    snprintf(label, sizeof(label), "%10.3f ", view.seconds);
    view.reading = &run.between;
    view.seconds = seconds_between(run.last.time, run.reading.time);
    view.label = label;
    view.intervals = true;
    if (settings.json) {
        json_open_object(&run.json, NULL);
        json_number(&run.json, "time", seconds_between(run.begin, run.reading.time));
        stat_json(&run.json, &view);
        json_close(&run.json);
    } else {
        if (run.last.cpu_count == 0)
            stat_print_header(&view);
        stat_print_counts(&view);
        stat_print_metrics(&view);
        fflush(stdout);
    }
    run.last = run.reading;
}

static int tick(void *context)
{
    (void)context;
    if (frame_now() < run.next)
        return KOV_OK;
    run.next += run.wanted->interval;
    int code = counting_read(&run.request, &run.reading);
    if (code == KOV_OK)
        print_interval();
    return code;
}

static void begin_intervals(void)
{
    run.last.time = run.begin;
    run.next = frame_now() + run.wanted->interval;
    workload_on_tick(tick, NULL);
    if (settings.json)
        json_open_array(&run.json, "intervals");
}

static void end_intervals(void)
{
    workload_on_tick(NULL, NULL);
    if (settings.json)
        json_close(&run.json);
    else
        putchar('\n');
}

// ---- the session -------------------------------------------------------------------------------

static int count_window(const struct arguments *arguments)
{
    bool intervals = run.wanted->interval > 0;
    if (settings.json)
        run.json = json_begin(stdout);
    if (intervals)
        begin_intervals();
    int code = workload_window(arguments, run.wanted->duration, DEFAULT_SECONDS, &run.workload);
    if (intervals)
        end_intervals();
    return code == KOV_OK ? counting_stop(&run.request, &run.reading) : code;
}

static void print_end(const struct arguments *arguments)
{
    struct stat_view view = whole();
    stat_print_header(&view);
    stat_print_counts(&view);
    putchar('\n');
    if (stat_print_metrics(&view) > 0)
        putchar('\n');
    printf("%.3f s on %u CPU%s\n", view.seconds, run.reading.cpu_count,
           run.reading.cpu_count == 1 ? "" : "s");
    if (arguments->has_workload) {
        fputs("\nThe workload's own account: ", stdout);
        workload_print(stdout, &run.workload);
    }
}

static void json_finish(const struct arguments *arguments)
{
    struct stat_view view = whole();
    stat_json(&run.json, &view);
    if (arguments->has_workload)
        workload_json(&run.json, "workload", &run.workload);
    json_end(&run.json);
}

static int check_cpus(void)
{
    u32 cpus = session_machine()->cpu_count;
    if (cpus < 32 && run.request.cpu_mask >> cpus != 0)
        return fail(KOV_USAGE, "--cpus %s: the machine has %u CPUs, from 0",
                    run.wanted->options->cpus, cpus);
    return KOV_OK;
}

static int count(const struct arguments *arguments, struct event_list *list)
{
    int code = session_begin(true);
    if (code == KOV_OK)
        code = event_list_fetch(list);
    if (code == KOV_OK)
        code = count_request_parse(run.wanted->options, list, &run.request);
    if (code == KOV_OK)
        code = check_cpus();
    if (code == KOV_OK)
        code = counting_start(&run.request, &run.begin);
    return code == KOV_OK ? count_window(arguments) : code;
}

int stat_events(const struct arguments *arguments, const struct stat_events *wanted)
{
    struct event_list list = {0};
    run.wanted = wanted;
    interrupt_catch();
    int code = count(arguments, &list);
    if (code == KOV_OK && settings.json)
        json_finish(arguments);
    else if (code == KOV_OK)
        print_end(arguments);
    else if (run.json.out != NULL)
        json_end(&run.json); // what there was
    if (code == KOV_OK)
        code = workload_verdict(&run.workload);
    workload_free(&run.workload);
    event_list_free(&list);
    return code;
}
