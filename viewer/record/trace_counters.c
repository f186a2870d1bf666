// SPDX-License-Identifier: MIT
// Hardware counters in a trace.
#include "record/trace_counters.h"
#include "counts/counting.h"
#include "wire/resume.h"

#include <orrery/pmu.h>

// Forgets the events, which are asked for again on a new connection.
static int forget_events(void *context)
{
    event_list_free(context);
    return KOV_OK;
}

int trace_counters_decide(struct trace_counters *counters, const char *text, u64 majors)
{
    const struct count_options options = {.sets = {.texts = {text}, .count = 1}};
    counters->wanted = true;
    counters->majors = majors;
    resume_begin(forget_events, &counters->events);
    int code = event_list_fetch(&counters->events);
    resume_end();
    if (code == KOV_OK)
        code = count_request_parse(&options, &counters->events, &counters->request);
    if (code == KOV_OK && counters->request.item_count > SYS_PMU_TRACED)
        code = fail(KOV_USAGE, "--counters: at most %d events", SYS_PMU_TRACED);
    return code;
}

int trace_counters_start(struct trace_counters *counters)
{
    u64 time;
    if (!counters->wanted)
        return KOV_OK;
    int code = counting_start(&counters->request, &time);
    counters->count = code == KOV_OK;
    if (code == KOV_OK)
        code = counting_trace(counters->majors);
    counters->traced = code == KOV_OK;
    return code;
}

int trace_counters_start_again(struct trace_counters *counters)
{
    u64 time;
    int code = counters->count ? counting_start(&counters->request, &time) : KOV_OK;
    return code == KOV_OK && counters->traced ? counting_trace(counters->majors) : code;
}

int trace_counters_stop(const struct trace_counters *counters)
{
    struct count_reading reading;
    return counters->wanted ? counting_stop(&counters->request, &reading) : KOV_OK;
}

void trace_counters_print(const struct trace_counters *counters)
{
    char name[COUNT_NAME_BYTES];
    if (!counters->wanted)
        return;
    fputs("counters with events:", stdout);
    for (u32 i = 0; i < counters->request.item_count; i++)
        printf(" c%u %s", i, count_item_name(&counters->request.items[i], name));
    putchar('\n');
}

void trace_counters_json(json_t *json, const struct trace_counters *counters)
{
    char name[COUNT_NAME_BYTES];
    if (!counters->wanted)
        return;
    json_t *list = put_array(json, "counters");
    for (u32 i = 0; i < counters->request.item_count; i++)
        put_text(list, NULL, count_item_name(&counters->request.items[i], name));
}

void trace_counters_free(struct trace_counters *counters)
{
    event_list_free(&counters->events);
}
