// SPDX-License-Identifier: MIT
// `kov events`: the hardware events that the machine can count or sample by, and what restricts
// them.
#include "commands/commands.h"
#include "counts/event_list.h"
#include "output/columns.h"
#include "samples/sampled_events.h"
#include "tools/number_list.h"
#include "wire/session.h"

#include <string.h>

#define MAX_WORDS 8

static bool is_wanted(const struct event_info *event, const struct arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++) {
        const char *word = arguments->values[i];
        if (strcasestr(event->name, word) == NULL && strcasestr(event->unit, word) == NULL &&
            strcasestr(event->meaning, word) == NULL)
            return false;
    }
    return true;
}

// The machine does not list them, because they cannot be counted.
static const struct event_info run_cycles = {
    .name = RUN_CYCLES_NAME,
    .unit = "driver",
    .meaning = "nanoseconds of a CPU's time; sampled only, what record and top do without -e",
};

static void counted_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    strcpy(text, json_is_false(json_object_get(row, "counted"))   ? "no"
                 : json_is_true(json_object_get(row, "modelled")) ? "modelled"
                                                                  : "exact");
}

static void counters_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    const json_t *counters = json_object_get(row, "counters");
    u64 bits = 0;
    for (size_t i = 0; i < json_array_size(counters); i++)
        bits |= 1UL << json_integer_value(json_array_get(counters, i));
    snprintf(text, CELL_BYTES, "%s", number_list_text(bits, (char[NUMBER_LIST_BYTES]){0}));
}

static const struct column columns[] = {
    COLUMN("EVENT", "name", -16),
    COLUMN("UNIT", "unit", -8),
    COLUMN("COUNTED", "counted", -9, .compose = counted_text),
    HIDDEN("modelled"),
    COLUMN("COUNTERS", NULL, -12, .compose = counters_text),
    COLUMN("MEANING", "meaning", -1),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"events", columns}, {NULL, NULL}};

static void put_event(json_t *list, const struct event_info *event)
{
    json_t *row = put_object(list, NULL);
    put_text(row, "name", event->name);
    put_text(row, "unit", event->unit);
    put_bool(row, "counted", event != &run_cycles);
    put_bool(row, "modelled", event->modelled);
    json_t *counters = put_array(row, "counters");
    for (u32 counter = 0; counter < 64; counter++)
        if ((event->counters >> counter & 1) != 0)
            put_u64(counters, NULL, counter);
    put_text(row, "meaning", event->meaning);
}

static void show(const struct event_list *list, const struct arguments *arguments)
{
    json_t *document = json_object();
    json_t *events = put_array(document, "events");
    for (size_t i = 0; i < list->count; i++)
        if (is_wanted(&list->events[i], arguments))
            put_event(events, &list->events[i]);
    if (event_list_find(list, RUN_CYCLES_NAME, strlen(RUN_CYCLES_NAME)) == NULL &&
        is_wanted(&run_cycles, arguments))
        put_event(events, &run_cycles);
    if (!document_for_programs(document, sheets)) {
        columns_print(columns, events, "");
        if (list->count == 0)
            puts("Nothing can be counted: the machine runs without the model unit.");
    }
    json_decref(document);
}

static int run(const struct arguments *arguments)
{
    struct event_list list = {0};
    int code = session_begin(true);
    if (code == KOV_OK)
        code = event_list_fetch(&list);
    if (code == KOV_OK)
        show(&list, arguments);
    event_list_free(&list);
    return code;
}

const struct command command_events = {
    .name = "events",
    .synopsis = "[WORD…]",
    .summary = "List the hardware events that `kov stat -e` counts and `kov record -e` samples by",
    .details =
        "Those with every WORD in name, unit or meaning. An event needs one of its COUNTERS to "
        "itself;\n"
        "what cannot be counted at once takes turns. run-cycles are sampled only (`kov record`).",
    .max_arguments = MAX_WORDS,
    .has_csv = true,
    .run = run,
};
