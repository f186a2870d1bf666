// SPDX-License-Identifier: MIT
// Names that a trace tells.
#include "trace/engine/labels.h"
#include "tools/kov.h"

#include <string.h>

#define STATE_EVENTS_MAX 4000000 // of a state, so that its writer cannot make reading endless

struct search {
    struct labels *labels;
    u64 events;
};

void labels_learn(struct labels *labels, const struct trace_event *event)
{
    u64 values[EVENT_FIELDS_MAX];
    for (u32 kind = 0; kind < LABEL_KINDS; kind++)
        if (event_fields_are(&labels->events[kind], event, values)) {
            struct label *label =
                keyed_rows_get(&labels->kinds[kind], (const u64[KEY_WORDS]){values[0]});
            trace_event_string(event, label->name);
        }
}

static int find_state(void *context, const struct trace_event *event)
{
    struct search *search = context;
    u64 values[EVENT_FIELDS_MAX];
    labels_learn(search->labels, event);
    return event_fields_are(&search->labels->state_end, event, values) ||
                   ++search->events == STATE_EVENTS_MAX
               ? VISIT_ENOUGH
               : KOV_OK;
}

int labels_begin(struct labels *labels, struct engine *engine, u64 from)
{
    static const char *const names[][2] = {{"STATE:process_name", "pid"},
                                           {"STATE:thread_name", "thread"},
                                           {"STATE:class_name", "class_id"}};
    for (u32 kind = 0; kind < LABEL_KINDS; kind++) {
        labels->kinds[kind].row_bytes = sizeof(struct label);
        labels->events[kind] =
            (struct event_fields){.name = names[kind][0], .fields = {names[kind][1]}};
        event_fields_find(&labels->events[kind], &engine->descriptions);
    }
    labels->state_end = (struct event_fields){.name = "STATE:state_end"};
    event_fields_find(&labels->state_end, &engine->descriptions);
    u64 begin, end;
    if (labels->state_end.description == NULL || !engine_range(engine, &begin, &end) ||
        from <= begin)
        return KOV_OK;
    struct search search = {.labels = labels};
    struct visitor visitor = {find_state, NULL, &search};
    engine_seek(engine, 0);
    return engine_visit(engine, UINT64_MAX, &visitor);
}

const char *labels_find(const struct labels *labels, enum label_kind kind, u64 number)
{
    const struct label *label =
        keyed_rows_find(&labels->kinds[kind], (const u64[KEY_WORDS]){number});
    return label == NULL ? NULL : label->name;
}

void labels_free(struct labels *labels)
{
    for (u32 kind = 0; kind < LABEL_KINDS; kind++)
        keyed_rows_free(&labels->kinds[kind]);
}
