// SPDX-License-Identifier: MIT
// `kov events`: the hardware events that the machine can count or sample by,
// and what restricts them.
#include "commands/commands.h"
#include "counts/event_list.h"
#include "output/json.h"
#include "samples/sampled_events.h"
#include "tools/number_list.h"
#include "wire/session.h"

#include <string.h>

#define MAX_WORDS 8

static bool has_word(const struct event_info *event, const char *word)
{
    return strcasestr(event->name, word) != NULL || strcasestr(event->unit, word) != NULL ||
           strcasestr(event->meaning, word) != NULL;
}

static bool is_wanted(const struct event_info *event, const struct arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++)
        if (!has_word(event, arguments->values[i]))
            return false;
    return true;
}

// Which the machine does not list, because they cannot be counted.
static const struct event_info run_cycles = {
    .name = RUN_CYCLES_NAME,
    .unit = "driver",
    .meaning = "nanoseconds of a CPU's time; sampled only, what record and top do without -e",
};

static bool is_counted(const struct event_info *event)
{
    return event != &run_cycles;
}

static const char *how_counted(const struct event_info *event)
{
    return !is_counted(event) ? "no" : event->modelled ? "modelled" : "exact";
}

static void print_text(const struct event_info *event)
{
    char counters[NUMBER_LIST_BYTES];
    printf("%-16s %-8s %-9s %-12s %s\n", event->name, event->unit, how_counted(event),
           number_list_text(event->counters, counters), event->meaning);
}

static void print_json(struct json *json, const struct event_info *event)
{
    json_open_object(json, NULL);
    json_text(json, "name", event->name);
    json_text(json, "unit", event->unit);
    json_bool(json, "counted", is_counted(event));
    json_bool(json, "modelled", event->modelled);
    json_open_array(json, "counters");
    for (u32 counter = 0; counter < 64; counter++)
        if ((event->counters >> counter & 1) != 0)
            json_u64(json, NULL, counter);
    json_close(json);
    json_text(json, "meaning", event->meaning);
    json_close(json);
}

static void print_event(struct json *json, const struct event_info *event,
                        const struct arguments *arguments)
{
    if (!is_wanted(event, arguments))
        return;
    if (settings.json)
        print_json(json, event);
    else
        print_text(event);
}

static void print(const struct event_list *list, const struct arguments *arguments)
{
    struct json json;
    if (settings.json) {
        json = json_begin(stdout);
        json_open_array(&json, "events");
    } else {
        printf("%-16s %-8s %-9s %-12s %s\n", "EVENT", "UNIT", "COUNTED", "COUNTERS", "MEANING");
    }
    for (size_t i = 0; i < list->count; i++)
        print_event(&json, &list->events[i], arguments);
    if (event_list_find(list, RUN_CYCLES_NAME, strlen(RUN_CYCLES_NAME)) == NULL)
        print_event(&json, &run_cycles, arguments);
    if (settings.json) {
        json_close(&json);
        json_end(&json);
    }
}

static int run(const struct arguments *arguments)
{
    struct event_list list = {0};
    int code = session_begin(true);
    if (code == KOV_OK)
        code = event_list_fetch(&list);
    if (code == KOV_OK)
        print(&list, arguments);
    if (code == KOV_OK && list.count == 0 && !settings.json)
        puts("Nothing can be counted: the machine runs without the model unit.");
    event_list_free(&list);
    return code;
}

const struct command command_events = {
    .name = "events",
    .synopsis = "[WORD…]",
    .summary = "List the hardware events that `kov stat -e` counts and `kov record -e` samples by",
    .details =
        "Those with every WORD in name, unit or meaning. An event needs one of its COUNTERS to itself;\n"
        "what cannot be counted at once takes turns. run-cycles are sampled only (`kov record`).",
    .max_arguments = MAX_WORDS,
    .run = run,
};
