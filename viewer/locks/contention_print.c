// SPDX-License-Identifier: MIT
// Shows contention for spin locks, as a table or as JSON.
#include "locks/contention_print.h"
#include "samples/event_summary.h"
#include "samples/frequency.h"
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

// ---- for programs ------------------------------------------------------------------------------

static void put_estimate(json_t *json, const char *key, struct estimate estimate)
{
    json_t *row = put_object(json, key);
    put_number(row, "value", estimate.value);
    put_number(row, "error", estimate.error);
}

static void put_row(json_t *json, const struct contention_view *view,
                    const struct contention_row *row)
{
    json_t *entry = put_object(json, NULL);
    put_text(entry, "object", row->object);
    if (row->coid != 0) {
        put_hex(entry, "coid", row->coid);
        put_u64(entry, "coid_pid", row->pid);
    }
    put_u64(entry, "samples", row->samples);
    put_estimate(entry, "larx", row->larx);
    put_estimate(entry, "share", row->share);
    put_number(json_object_get(entry, "larx"), "chance", row->chance.larx);
    put_number(json_object_get(entry, "share"), "chance", row->chance.share);
    put_estimate(entry, "time", row->instructions);
    if (has_acquisitions(view))
        put_estimate(entry, "acquisitions", row->acquisitions);
}

static json_t *describe(const struct contention_view *view)
{
    const struct contention *contention = view->contention;
    json_t *document = json_object();
    put_number(document, "seconds", view->seconds);
    put_bool(document, "precise", view->request->precise);
    put_u64(document, "threshold", view->request->events.events[CONTENTION_LARX].period);
    put_u64(document, "lost", samples_lost(view->samples));
    put_u64(document, "missed", samples_missed(view->samples));
    put_estimate(document, "larx", contention->totals[CONTENTION_LARX]);
    put_estimate(document, "instructions", contention->totals[CONTENTION_INSTRUCTIONS]);
    put_estimate(document, "spin_contention", contention->metric);
    put_u64(document, "reconnected", resume_account()->times);
    event_summary_put(document, view->request, view->samples, true);
    frequency_put(document, view->frequency, view->samples);
    json_t *list = put_array(document, "objects");
    for (size_t i = 0; i < shown_rows(view); i++)
        put_row(list, view, &contention->rows[i]);
    if (view->workload != NULL)
        workload_json(document, "workload", view->workload);
    return document;
}

#define SHARE_COLUMNS                                                                              \
    COLUMN("SHARE", "share.value", 9, .decimals = 2, .unit = " %"),                                \
        COLUMN("+-", "share.error", 8, .decimals = 2), COLUMN("SAMPLES", "samples", 9),            \
        COLUMN("LARX", "larx.value", 14, .scale = 1),                                              \
        COLUMN("TIME", "time.value", 10, .decimals = 3, .unit = " %")
static const struct column with_acquisitions[] = {
    SHARE_COLUMNS,
    COLUMN("ACQUISITIONS", "acquisitions.value", 14, .scale = 1),
    HIDDEN("coid"),
    HIDDEN("coid_pid"),
    COLUMN("OBJECT", "object", -1),
    COLUMNS_END,
};
static const struct column larx_only[] = {
    SHARE_COLUMNS, HIDDEN("coid"), HIDDEN("coid_pid"), COLUMN("OBJECT", "object", -1), COLUMNS_END,
};

void contention_show(const struct contention_view *view)
{
    const struct sheet sheets[] = {
        {"objects", has_acquisitions(view) ? with_acquisitions : larx_only},
        {"events", event_summary_columns},
        {NULL, NULL}};
    json_t *document = describe(view);
    if (!document_for_programs(document, sheets)) {
        columns_print(sheets[0].columns, json_object_get(document, "objects"), "");
        if (shown_rows(view) < view->contention->count)
            printf("%9s %zu objects more\n", "", view->contention->count - shown_rows(view));
        putchar('\n');
        columns_print(event_summary_columns, json_object_get(document, "events"), "");
        frequency_print(view->frequency, view->samples);
        putchar('\n');
        const struct estimate *metric = &view->contention->metric;
        if (isinf(metric->error))
            puts("spin contention: not known, for want of samples of instructions");
        else
            printf("spin contention %.4f %% ± %.4f %%: 4 larx / instructions\n", metric->value,
                   metric->error);
        printf("%.1f s; shares are of larx, ± in 99 of 100 cases, whosesoever "
               "those without a sample were\n",
               view->seconds);
        resume_print();
        if (view->workload != NULL)
            workload_print_account(view->workload);
    }
    json_decref(document);
}
