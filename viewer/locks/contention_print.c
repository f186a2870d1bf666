// SPDX-License-Identifier: MIT
// Shows contention for spin locks, as a table or as JSON.
#include "locks/contention_print.h"
#include "samples/event_summary.h"
#include "wire/resume.h"

#include <inttypes.h>
#include <math.h>

static bool has_acquisitions(const struct contention_view *view)
{
    return view->request->events.count > CONTENTION_LARX_ONLY;
}

static size_t shown_rows(const struct contention_view *view)
{
    size_t count = view->contention->count;
    return view->max_rows == 0 || view->max_rows > count ? count : view->max_rows;
}

// ---- for people --------------------------------------------------------------------------------

static void print_row(const struct contention_view *view, const struct contention_row *row)
{
    printf("%7.2f %% %8.2f %9" PRIu64 " %14.0f %8.3f %%", row->share.value, row->share.error,
           row->samples, row->larx.value, row->instructions.value);
    if (has_acquisitions(view))
        printf(" %14.0f", row->acquisitions.value);
    printf("  %s\n", row->object);
}

static void print_rows(const struct contention_view *view)
{
    size_t rows = shown_rows(view);
    printf("%9s %8s %9s %14s %10s", "SHARE", "+-", "SAMPLES", "LARX", "TIME");
    if (has_acquisitions(view))
        printf(" %14s", "ACQUISITIONS");
    printf("  OBJECT\n");
    for (size_t i = 0; i < rows; i++)
        print_row(view, &view->contention->rows[i]);
    if (rows < view->contention->count)
        printf("%9s %zu objects more\n", "", view->contention->count - rows);
}

static void print_events(const struct contention_view *view)
{
    printf("%-12s %9s %9s %9s %11s %14s %12s\n", "EVENT", "SAMPLES", "LOST", "MISSED", "THRESHOLD",
           "EVENTS", "+-");
    for (u32 i = 0; i < view->request->events.count; i++) {
        struct sample_stream sum = samples_sum(view->samples, SAMPLES_ALL, i);
        const struct estimate *total = &view->contention->totals[i];
        const struct sampled_event *event = &view->request->events.events[i];
        printf("%-12s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %11" PRIu64 " %14.0f %12.0f\n",
               event->name, sum.received, sum.lost, sum.missed, event->period, total->value,
               total->error);
    }
}

static void print_metric(const struct estimate *metric)
{
    if (isinf(metric->error))
        puts("spin contention: not known, for want of samples of instructions");
    else
        printf("spin contention %.4f %% ± %.4f %%: 4 larx / instructions\n", metric->value,
               metric->error);
}

void contention_print(const struct contention_view *view)
{
    print_rows(view);
    putchar('\n');
    print_events(view);
    putchar('\n');
    print_metric(&view->contention->metric);
    printf("%.1f s; shares are of larx, ± in 99 of 100 cases\n", view->seconds);
    resume_print();
    if (view->workload != NULL)
        workload_print_account(view->workload);
}

// ---- for programs ------------------------------------------------------------------------------

static void json_estimate(struct json *json, const char *key, struct estimate estimate)
{
    json_open_object(json, key);
    json_number(json, "value", estimate.value);
    json_number(json, "error", estimate.error);
    json_close(json);
}

static void json_row(struct json *json, const struct contention_view *view,
                     const struct contention_row *row)
{
    json_open_object(json, NULL);
    json_text(json, "object", row->object);
    if (row->coid != 0) {
        json_hex(json, "coid", row->coid);
        json_u64(json, "coid_pid", row->pid);
    }
    json_u64(json, "samples", row->samples);
    json_estimate(json, "larx", row->larx);
    json_estimate(json, "share", row->share);
    json_estimate(json, "time", row->instructions);
    if (has_acquisitions(view))
        json_estimate(json, "acquisitions", row->acquisitions);
    json_close(json);
}

void contention_json(const struct contention_view *view)
{
    const struct contention *contention = view->contention;
    struct json json = json_begin(stdout);
    json_number(&json, "seconds", view->seconds);
    json_bool(&json, "precise", view->request->precise);
    json_u64(&json, "threshold", view->request->events.events[CONTENTION_LARX].period);
    json_u64(&json, "lost", samples_lost(view->samples));
    json_u64(&json, "missed", samples_missed(view->samples));
    json_estimate(&json, "larx", contention->totals[CONTENTION_LARX]);
    json_estimate(&json, "instructions", contention->totals[CONTENTION_INSTRUCTIONS]);
    json_estimate(&json, "spin_contention", contention->metric);
    json_u64(&json, "reconnected", resume_account()->times);
    event_summary_json(&json, "events", view->request, view->samples, true);
    json_open_array(&json, "objects");
    for (size_t i = 0; i < shown_rows(view); i++)
        json_row(&json, view, &contention->rows[i]);
    json_close(&json);
    if (view->workload != NULL)
        workload_json(&json, "workload", view->workload);
    json_end(&json);
}
