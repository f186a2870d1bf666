// SPDX-License-Identifier: MIT
// The events of a trace folder, as `kov trace show` lists them.
#include "gateway/machine_state.h"
#include "output/document.h"
#include "analyses/trace_show.h"

#include <math.h>
#include <string.h>

#define ROWS_MAX 200u

static const char *text_of(const json_t *ask, const char *name)
{
    const char *text = json_string_value(json_object_get(ask, name));
    return text == NULL || text[0] == 0 ? NULL : text;
}

static u64 ticks_of(const struct machine *machine, const json_t *ask, const char *name,
                    u64 otherwise)
{
    const json_t *number = json_object_get(ask, name);
    return machine_ticks(machine, number == NULL ? NAN : json_number_value(number), otherwise);
}

// Takes whose events are wanted. Returns an exit code.
static int choose_whose(const char *of, struct trace_options *options)
{
    struct ranking_thing thing;
    u32 cpu;
    options->cpu = options->pid = TRACE_ANY;
    if (of == NULL)
        return KOV_OK;
    if (!publish_thing(of, &thing, &cpu) || (cpu == ALL_CPUS && thing.by != RANKING_PROCESS))
        return fail(KOV_USAGE, "of: c:CPU or p:PID");
    if (cpu != ALL_CPUS)
        options->cpu = cpu;
    else
        options->pid = thing.pid;
    return KOV_OK;
}

static int choose(struct machine *machine, const json_t *ask, struct trace_choice *choice)
{
    const struct timeline *timeline = machine->timeline;
    struct trace_options options = {.events = text_of(ask, "only")};
    const char *where = text_of(ask, "where");
    if (where != NULL)
        options.where = (struct texts){{where}, 1};
    int code = choose_whose(text_of(ask, "of"), &options);
    if (code == KOV_OK)
        code = trace_choice_check(&options);
    if (code == KOV_OK)
        code =
            trace_choice_decide(choice, &options, &timeline->engine.descriptions, timeline->begin);
    choice->from = ticks_of(machine, ask, "from", 0);
    choice->to = ticks_of(machine, ask, "to", UINT64_MAX);
    return code;
}

static void put_row(struct machine *machine, json_t *list, const json_t *row)
{
    static const char *const texts[] = {"process", "event", "text"};
    static const char *const numbers[] = {"cpu", "pid", "thread"};
    json_t *into = put_object(list, NULL);
    u64 ticks = (u64)json_integer_value(json_object_get(row, "ticks"));
    json_object_set_new(into, "time", json_real(machine_time(machine, ticks)));
    for (u32 i = 0; i < ARRAY_SIZE(numbers); i++)
        json_object_set(into, numbers[i], json_object_get(row, numbers[i]));
    for (u32 i = 0; i < ARRAY_SIZE(texts); i++) {
        const char *text = json_string_value(json_object_get(row, texts[i]));
        json_object_set_new(into, texts[i], text == NULL ? json_null() : block_text(text));
    }
}

int folder_put_events(struct machine *machine, const json_t *ask, json_t *data)
{
    struct trace_choice choice = {0};
    json_t *rows = json_array(), *list = put_array(data, "events");
    int code = choose(machine, ask, &choice);
    if (code == KOV_OK)
        code = trace_show_rows(&machine->timeline->engine, &choice, ROWS_MAX + 1, rows);
    for (u32 i = 0; i < json_array_size(rows) && i < ROWS_MAX; i++)
        put_row(machine, list, json_array_get(rows, i));
    put_bool(data, "more", json_array_size(rows) > ROWS_MAX);
    json_decref(rows);
    trace_choice_free(&choice);
    return code;
}
