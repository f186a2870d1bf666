// SPDX-License-Identifier: MIT
// The visitor. It first updates the activity, since the meaning of an event depends on who runs.
#include "export/chrome.h"
#include "tools/kov.h"

#include <stdlib.h>

// What events are here that are more than points.
static const u8 kinds[EVENT_KINDS] = {
    [EVENT_SWITCH] = CHROME_IN_SLICES,        [EVENT_EXC_ENTER] = CHROME_IN_SLICES,
    [EVENT_EXC_EXIT] = CHROME_IN_SLICES,      [EVENT_IRQ_ENTER] = CHROME_IN_SLICES,
    [EVENT_IRQ_EXIT] = CHROME_IN_SLICES,      [EVENT_HEARTBEAT] = CHROME_IN_SLICES,
    [EVENT_PROCESS_NAME] = CHROME_IN_SLICES,  [EVENT_THREAD_NAME] = CHROME_IN_SLICES,
    [EVENT_CLASS_NAME] = CHROME_IN_SLICES,    [EVENT_STATE_PROCESS] = CHROME_IN_SLICES,
    [EVENT_STATE_THREAD] = CHROME_IN_SLICES,  [EVENT_STATE_DISPATCHER] = CHROME_IN_SLICES,
    [EVENT_STATE_OBJECT] = CHROME_IN_SLICES,  [EVENT_STATE_CHILD] = CHROME_IN_SLICES,
    [EVENT_USER_SWITCH] = CHROME_USER_SWITCH, [EVENT_WAKE] = CHROME_ARROW,
    [EVENT_IPC_CALL] = CHROME_ARROW,          [EVENT_IPC_REPLY] = CHROME_ARROW,
    [EVENT_COUNTER] = CHROME_COUNTER,         [EVENT_COUNTERS] = CHROME_COUNTERS,
};

static void show(struct chrome *chrome, enum chrome_kind kind, const struct trace_event *event)
{
    bool chosen = chrome->choice->wanted != NULL || chrome->choice->condition_count > 0;
    if (kind == CHROME_USER_SWITCH && event->pid != 0)
        chrome_user_switch(chrome, event);
    if (kind == CHROME_COUNTER && event->values[0] < CHROME_COUNTERS_MAX)
        chrome->counter_events[event->values[0]] = event->values[1] + 1;
    if (kind == CHROME_COUNTERS)
        chrome_write_counters(chrome, event);
    arrows_note(&chrome->begun, &chrome->machine, event);
    if ((kind == CHROME_OTHER || chosen) && trace_choice_has(chrome->choice, event)) {
        struct arrow_end here = arrows_end_at(&chrome->begun, event->pid, event->cpu, event->time);
        chrome_write_instant(chrome, chrome_track_of(&here), event);
    }
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
    show(chrome, (enum chrome_kind)kinds[event_kind_of_any(event)], event);
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
    arrows_free(&chrome->begun);
    free(chrome->named.marks);
    free(chrome->many.marks);
    labels_free(&chrome->labels);
    return code == KOV_OK ? ended : code;
}
