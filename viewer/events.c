// SPDX-License-Identifier: MIT
// `kov events`: the hardware events that the machine can count, and what restricts them.
#include "commands.h"
#include "event_list.h"
#include "json.h"
#include "number_list.h"
#include "session.h"

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

static void print_text(const struct event_info *event)
{
    char counters[NUMBER_LIST_BYTES];
    printf("%-16s %-8s %-9s %-12s %s\n", event->name, event->unit,
           event->modelled ? "modelled" : "exact", number_list_text(event->counters, counters),
           event->meaning);
}

static void print_json(struct json *json, const struct event_info *event)
{
    json_open_object(json, NULL);
    json_text(json, "name", event->name);
    json_text(json, "unit", event->unit);
    json_bool(json, "modelled", event->modelled);
    json_open_array(json, "counters");
    for (u32 counter = 0; counter < 64; counter++)
        if ((event->counters >> counter & 1) != 0)
            json_u64(json, NULL, counter);
    json_close(json);
    json_text(json, "meaning", event->meaning);
    json_close(json);
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
    for (size_t i = 0; i < list->count; i++) {
        if (!is_wanted(&list->events[i], arguments))
            continue;
        if (settings.json)
            print_json(&json, &list->events[i]);
        else
            print_text(&list->events[i]);
    }
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
    if (code == KOV_OK && list.count == 0 && !settings.json)
        puts("The machine offers none: it runs without the model unit.");
    else if (code == KOV_OK)
        print(&list, arguments);
    event_list_free(&list);
    return code;
}

const struct command command_events = {
    .name = "events",
    .synopsis = "[WORD…]",
    .summary = "List the hardware events that `kov stat -e` can count",
    .details =
        "Those with every WORD in name, unit or meaning. An event needs one of its COUNTERS to itself;\n"
        "what cannot be counted at once takes turns.",
    .max_arguments = MAX_WORDS,
    .run = run,
};
