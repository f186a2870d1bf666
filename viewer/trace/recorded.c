// SPDX-License-Identifier: MIT
// The mask comes when tracing begins, or with the state of a recording. An older trace, or a dump,
// may have neither: then it had the majors of which it has events, and nobody knows of others. A
// trace of an older build may not have an event without which a major tells only half: then that
// major counts as not recorded.
#include "trace/recorded.h"
#include "tools/kov.h"
#include "trace/engine.h"

#include <string.h>

#define EVENTS_MAX 4000000 // that are looked at
#define SWITCH_REASON 4    // its number in event_kinds.def

// What tools need of a major, whatever else it has.
static const u8 essential[] = {
    EVENT_SWITCH,        EVENT_WAKE,         EVENT_EXC_ENTER,      EVENT_EXC_EXIT,
    EVENT_SYSCALL_ENTER, EVENT_SYSCALL_EXIT, EVENT_FAULT_ENTER,    EVENT_FAULT_EXIT,
    EVENT_IPC_CALL,      EVENT_IPC_REPLY,    EVENT_LOCK_CONTENDED, EVENT_LOCK_TAKE,
    EVENT_LOCK_RELEASE,  EVENT_SAMPLE,
};

struct search {
    struct recorded *recorded;
    u64 from, events;
};

u64 recorded_mask(const char *majors)
{
    u64 mask = 0;
    for (u32 i = 0; i < trace_major_count; i++) {
        const char *at = strstr(majors, trace_majors[i].name);
        size_t length = strlen(trace_majors[i].name);
        for (; at != NULL; at = strstr(at + 1, trace_majors[i].name))
            if ((at == majors || at[-1] == ',') && strchr(",:", at[length]) != NULL)
                mask |= 1UL << trace_majors[i].number;
    }
    return mask;
}

// Before the trace tells, there are the majors of its events.
static int look(void *context, const struct trace_event *event)
{
    struct search *search = context;
    struct recorded *recorded = search->recorded;
    bool any = search->events++ > 0;
    if (event->kind == EVENT_TRACE_START || event->kind == EVENT_STATE_BEGIN) {
        if (event->kind == EVENT_STATE_BEGIN || !any || event->time < search->from) {
            recorded->begin = event->values[0];
            recorded->begin_told = true;
        }
        recorded->told = true;
    }
    if (!recorded->told)
        recorded->begin |= 1UL << (event->id >> 16 & 63);
    bool enough = recorded->told ? event->time >= search->from : search->events == EVENTS_MAX;
    return enough ? VISIT_ENOUGH : KOV_OK;
}

int recorded_read(struct engine *engine, u64 from)
{
    struct recorded *recorded = &engine->recorded;
    struct search search = {.recorded = recorded, .from = from};
    const struct visitor visitor = {look, NULL, &search};
    *recorded = (struct recorded){0};
    for (u32 i = 0; i < ARRAY_SIZE(essential); i++)
        if (event_kinds_described(&engine->descriptions, essential[i]) == NULL)
            recorded->undescribed |= recorded_mask(event_kinds_name(essential[i]));
    const struct event_description *change =
        event_kinds_described(&engine->descriptions, EVENT_SWITCH);
    recorded->reasons = change != NULL && (change->known.told >> SWITCH_REASON & 1) != 0;
    engine_seek(engine, 0);
    int code = engine_visit(engine, UINT64_MAX, &visitor);
    recorded->begin &= ~recorded->undescribed;
    recorded->ever = recorded->always = recorded->begin;
    return code;
}
