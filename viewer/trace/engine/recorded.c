// SPDX-License-Identifier: MIT
// The mask comes when tracing begins, or with the state of a recording. An older trace, or a dump,
// may have neither: then it had the majors of which it has events, and nobody knows of others. A
// trace of an older build may not have an event without which a major tells only half: then that
// major counts as not recorded.
#include "trace/engine/recorded.h"
#include "tools/kov.h"
#include "trace/engine/event_fields.h"

#include <string.h>

#define EVENTS_MAX 4000000 // that are looked at

// What tools need of a major, whatever else it has.
static const struct event_fields essential[] = {
    {.name = "SCHED:switch", .fields = {"from", "to", "from_priority", "to_priority"}},
    {.name = "SCHED:wake", .fields = {"thread", "cpu"}},
    {.name = "EXC:exc_enter", .fields = {"vector", "pc"}},
    {.name = "EXC:exc_exit", .fields = {"vector"}},
    {.name = "SYSCALL:syscall_enter", .fields = {"number"}},
    {.name = "SYSCALL:syscall_exit", .fields = {"number"}},
    {.name = "FAULT:fault_enter", .fields = {"access"}},
    {.name = "FAULT:fault_exit", .fields = {"result"}},
    {.name = "IPC:ipc_call", .fields = {"call"}},
    {.name = "IPC:ipc_reply", .fields = {"call"}},
    {.name = "LOCK:lock_contended", .fields = {"lock"}},
    {.name = "LOCKHOLD:lock_take", .fields = {"lock"}},
    {.name = "LOCKHOLD:lock_release", .fields = {"lock"}},
    {.name = "PMU:sample", .fields = {"pc"}},
};

enum { START, STATE, MASKS };
struct search {
    struct recorded *recorded;
    struct event_fields masks[MASKS];
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

static bool is_described(struct event_fields event, const struct descriptions *descriptions)
{
    event_fields_find(&event, descriptions);
    return event.description != NULL;
}

// Before the trace tells, there are the majors of its events.
static int look(void *context, const struct trace_event *event)
{
    struct search *search = context;
    struct recorded *recorded = search->recorded;
    u64 values[EVENT_FIELDS_MAX];
    bool any = search->events++ > 0;
    for (u32 i = 0; i < MASKS; i++)
        if (event_fields_are(&search->masks[i], event, values)) {
            if (i == STATE || !any || event->time < search->from) {
                recorded->begin = values[0];
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
    struct search search = {.recorded = recorded,
                            .masks = {[START] = {.name = "TRACE:start", .fields = {"mask"}},
                                      [STATE] = {.name = "STATE:state_begin", .fields = {"mask"}}},
                            .from = from};
    const struct visitor visitor = {look, NULL, &search};
    *recorded = (struct recorded){0};
    for (u32 i = 0; i < MASKS; i++)
        event_fields_find(&search.masks[i], &engine->descriptions);
    for (u32 i = 0; i < ARRAY_SIZE(essential); i++)
        if (!is_described(essential[i], &engine->descriptions))
            recorded->undescribed |= recorded_mask(essential[i].name);
    recorded->reasons = is_described(
        (struct event_fields){.name = "SCHED:switch", .fields = {"reason"}}, &engine->descriptions);
    engine_seek(engine, 0);
    int code = engine_visit(engine, UINT64_MAX, &visitor);
    recorded->begin &= ~recorded->undescribed;
    recorded->ever = recorded->always = recorded->begin;
    return code;
}
