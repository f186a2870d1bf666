// SPDX-License-Identifier: MIT
// `kov threshold`: shows what is sampled now, and sets another threshold for one of its events.
#include "commands/commands.h"
#include "counts/event_list.h"
#include "counts/stat_cell.h"
#include "samples/event_summary.h"
#include "tools/text.h"
#include "wire/session.h"

#include <inttypes.h>
#include <string.h>

struct running {
    struct event_list list; // of the machine, for the names
    struct sampled_events events;
    bool running;
};

static void name_event(struct sampled_event *event, const struct event_list *list)
{
    snprintf(event->name, sizeof(event->name), "%s",
             event->event == SAMPLED_RUN_CYCLES ? RUN_CYCLES_NAME : "unknown");
    for (size_t i = 0; i < list->count; i++)
        if (event->event == SAMPLED_MODEL + list->events[i].event)
            snprintf(event->name, sizeof(event->name), "%s", list->events[i].name);
}

static int take_stat(void *context, const dci_response *response)
{
    struct running *running = context;
    const Orrery__Dci__SamplingStatReply *reply = response->sampling_stat;
    running->running = reply->running;
    for (size_t i = 0; i < reply->n_events && i < SAMPLED_EVENTS_MAX; i++) {
        struct sampled_event *event = &running->events.events[running->events.count++];
        *event = (struct sampled_event){
            .event = reply->events[i]->event,
            .mode = (enum count_mode)reply->events[i]->mode,
            .period = reply->events[i]->period,
            .randomise = reply->events[i]->randomise,
        };
        name_event(event, &running->list);
    }
    return KOV_OK;
}

static int fetch(struct running *running)
{
    Orrery__Dci__SamplingStatRequest body = ORRERY__DCI__SAMPLING_STAT_REQUEST__INIT;
    int code = event_list_fetch(&running->list);
    if (code == KOV_OK)
        code = dci_call(DCI_REQUEST(SAMPLING_STAT, sampling_stat, &body),
                        ORRERY__DCI__RESPONSE__BODY_SAMPLING_STAT, "cannot tell what is sampled",
                        take_stat, running);
    if (code == KOV_OK && !running->running)
        code = fail(KOV_FAILED, "nobody samples at present");
    return code;
}

static const struct column columns[] = {
    COLUMN("EVENT", "event", -16, .compose = stat_cell_title),
    HIDDEN("mode"),
    COLUMN("THRESHOLD", "period", 11),
    COLUMN("RANDOM", "randomise", 6),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"events", columns}, {NULL, NULL}};

// Changes the threshold of each event that the name means.
static int change(const struct running *running, const char *name, u64 period)
{
    u32 found = sampled_events_find(&running->events, name, strlen(name));
    if (found == 0)
        return fail(KOV_USAGE, "'%s' is not sampled at present: see `kov threshold`", name);
    int code = KOV_OK;
    for (u32 i = 0; i < running->events.count && code == KOV_OK; i++)
        if ((found >> i & 1) != 0)
            code = sampling_change(&sampling_options, i, period);
    return code;
}

static int run(const struct arguments *arguments)
{
    struct running running = {0};
    u64 period = 0;
    if (arguments->count == 1 ||
        (arguments->count == 2 &&
         !text_to_u64(arguments->values[1], SYS_PRECISE_PERIOD_MIN, SYS_PERIOD_MAX, &period)))
        return fail(KOV_USAGE, "threshold: give an event and a number from %d to %d",
                    SYS_PRECISE_PERIOD_MIN, SYS_PERIOD_MAX);
    int code = session_begin(true);
    if (code == KOV_OK)
        code = fetch(&running);
    if (code == KOV_OK && arguments->count == 0) {
        json_t *document = json_object();
        json_t *events = put_array(document, "events");
        for (u32 i = 0; i < running.events.count; i++)
            event_name_json(put_object(events, NULL), &running.events.events[i]);
        document_show(document, sheets);
    } else if (code == KOV_OK) {
        code = change(&running, arguments->values[0], period);
    }
    event_list_free(&running.list);
    return code;
}

const struct command command_threshold = {
    .name = "threshold",
    .synopsis = "[EVENT[:u|:k] THRESHOLD]",
    .summary = "Show or change the thresholds of the sampling that runs",
    .details = "Of `kov record` and `kov top`, whoever has started them. "
               "Samples that they have stay, each\n"
               "stands for as many events as the threshold was when it was taken.",
    .max_arguments = 2,
    .has_csv = true,
    .run = run,
};
