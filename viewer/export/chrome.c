// SPDX-License-Identifier: MIT
// The visitor. It first updates the activity, since the meaning of an event depends on who runs.
#include "export/chrome.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum chrome_kind kind;
    u32 fields; // number of fields, at least
} kinds[] = {
    {"SCHED:switch", CHROME_IN_SLICES, 0},
    {"EXC:exc_enter", CHROME_IN_SLICES, 0},
    {"EXC:exc_exit", CHROME_IN_SLICES, 0},
    {"IRQ:irq_enter", CHROME_IN_SLICES, 0},
    {"IRQ:irq_exit", CHROME_IN_SLICES, 0},
    {"TRACE:heartbeat", CHROME_IN_SLICES, 0},
    {"STATE:process_name", CHROME_IN_SLICES, 0},
    {"STATE:thread_name", CHROME_IN_SLICES, 0},
    {"STATE:class_name", CHROME_IN_SLICES, 0},
    {"STATE:state_process", CHROME_IN_SLICES, 0},
    {"STATE:state_thread", CHROME_IN_SLICES, 0},
    {"STATE:state_dispatcher", CHROME_IN_SLICES, 0},
    {"STATE:state_object", CHROME_IN_SLICES, 0},
    {"STATE:state_child", CHROME_IN_SLICES, 0},
    {"USER:user_switch", CHROME_USER_SWITCH, 1},
    {"SCHED:wake", CHROME_WAKE, 1},
    {"IPC:ipc_call", CHROME_CALL, 2},
    {"IPC:ipc_reply", CHROME_REPLY, 1},
    {"PMU:counter", CHROME_COUNTER, 2},
    {"PMU:counters", CHROME_COUNTERS, 1},
};

static void find_kinds(struct chrome *chrome)
{
    const struct descriptions *descriptions = &chrome->engine->descriptions;
    chrome->kinds = memory_get(descriptions->count + 1);
    for (size_t i = 0; i < descriptions->count; i++)
        for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++)
            if (strcmp(descriptions->events[i].full_name, kinds[kind].name) == 0 &&
                descriptions->events[i].info.field_count >= kinds[kind].fields)
                chrome->kinds[i] = (u8)kinds[kind].kind;
}

static void show(struct chrome *chrome, enum chrome_kind kind, const struct trace_event *event)
{
    bool chosen = chrome->choice->wanted != NULL || chrome->choice->condition_count > 0;
    if (kind == CHROME_USER_SWITCH && event->pid != 0)
        chrome_user_switch(chrome, event);
    if (kind == CHROME_COUNTER) {
        u64 values[TRACE_MAX_FIELDS];
        trace_event_fields(event, values);
        if (values[0] < CHROME_COUNTERS_MAX)
            chrome->counter_events[values[0]] = values[1] + 1;
    }
    if (kind == CHROME_COUNTERS)
        chrome_write_counters(chrome, event);
    chrome_arrow_event(chrome, kind, event);
    if ((kind == CHROME_OTHER || chosen) && trace_choice_has(chrome->choice, event))
        chrome_write_instant(chrome, chrome_track_now(chrome, event->pid, event->cpu), event);
}

static int take_event(void *context, const struct trace_event *event)
{
    struct chrome *chrome = context;
    struct visitor activity = activity_visitor(&chrome->machine);
    int code = activity.event(activity.context, event);
    if (code != KOV_OK || event->description == NULL)
        return code;
    labels_learn(&chrome->labels, event);
    if (event->pid == 0)
        chrome_follow(chrome, event->cpu);
    size_t number = (size_t)(event->description - chrome->engine->descriptions.events);
    show(chrome, chrome->kinds[number], event);
    return ferror(chrome->out) != 0 ? VISIT_ENOUGH : KOV_OK;
}

static int take_loss(void *context, const struct trace_loss *loss)
{
    struct chrome *chrome = context;
    struct visitor activity = activity_visitor(&chrome->machine);
    int code = activity.loss(activity.context, loss);
    if (loss->pid == 0)
        chrome_follow(chrome, loss->cpu);
    else
        chrome_user_loss(chrome, loss);
    chrome_write_loss(chrome, loss);
    return code;
}

int chrome_export(struct chrome *chrome)
{
    struct visitor visitor = {take_event, take_loss, chrome};
    u64 first, last, from = chrome->choice->from, to = chrome->choice->to;
    bool any = engine_range(chrome->engine, &first, &last);
    int code = recorded_read(chrome->engine, from);
    find_kinds(chrome);
    chrome->begin = from > first ? from : first;
    chrome_write_begin(chrome);
    chrome_slices_begin(chrome, chrome->begin);
    if (code == KOV_OK)
        code = labels_begin(&chrome->labels, chrome->engine, from);
    engine_seek(chrome->engine, from);
    if (code == KOV_OK)
        code = engine_visit(chrome->engine, to, &visitor);
    int ended = KOV_OK;
    if (any)
        ended = chrome_slices_end(chrome, to < last ? to : last);
    else
        activity_free(&chrome->machine);
    chrome_write_end(chrome);
    free(chrome->kinds);
    free(chrome->user_threads.marks);
    free(chrome->woken.marks);
    free(chrome->calls.marks);
    free(chrome->named.marks);
    free(chrome->many.marks);
    labels_free(&chrome->labels);
    return code == KOV_OK ? ended : code;
}
