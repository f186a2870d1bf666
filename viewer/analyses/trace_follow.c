// SPDX-License-Identifier: MIT
// Shows the events of a running machine as they come.
#include "tools/interrupt.h"
#include "trace/live.h"
#include "record/trace_requests.h"
#include "analyses/trace_show.h"
#include "wire/patience.h"
#include "wire/session.h"

#include <string.h>

#define FLUSH_MS 200
#define ROUND_SECONDS 0.2
#define RENEWALS_MAX 8 // in a row, since a program may begin during each

struct follow {
    struct engine engine;
    struct trace_choice choice;
    struct trace_show show;
    struct scan_scope scope;
    const struct trace_options *options;
    bool unknown; // an event without a description has come
};

static int fetch_descriptions(struct descriptions *descriptions)
{
    struct bytes text = {0};
    int code = trace_fetch_metadata(&text);
    bytes_append(&text, "", 1);
    if (code == KOV_OK)
        code = descriptions_read(descriptions, (const char *)text.data, "the machine");
    bytes_free(&text);
    return code;
}

static int decide(struct follow *follow)
{
    trace_choice_free(&follow->choice);
    return trace_choice_decide(&follow->choice, follow->options, &follow->engine.descriptions, 0);
}

// Reads the descriptions again, after a program has described events of its own.
static int renew_descriptions(struct follow *follow)
{
    struct descriptions descriptions = {0};
    follow->unknown = false;
    int code = fetch_descriptions(&descriptions);
    if (code != KOV_OK) {
        descriptions_free(&descriptions);
        return code;
    }
    descriptions_free(&follow->engine.descriptions);
    follow->engine.descriptions = descriptions;
    trace_show_find(&follow->show, &follow->engine.descriptions);
    return decide(follow);
}

static int take_event(void *context, const Orrery__Dci__Event *event)
{
    struct follow *follow = context;
    if (event->body_case != ORRERY__DCI__EVENT__BODY_PACKET)
        return KOV_OK;
    const Orrery__Dci__TracePacket *packet = event->packet;
    if (packet->pid != 0 &&
        !descriptions_cover(&follow->engine.descriptions, packet->data.data, packet->data.len))
        follow->unknown = true;
    return engine_add_packet(&follow->engine, packet->pid, packet->cpu, packet->data.data,
                             packet->data.len);
}

// Returns the majors of the events that are wanted. It includes the trace's own: by its heartbeats
// every CPU tells how far it is, even when nothing happens on it. Scheduling tells for which
// process an event is, the state what is named.
static u64 mask_of(const struct follow *follow)
{
    const struct descriptions *descriptions = &follow->engine.descriptions;
    u64 mask = 1 | event_kinds_major(descriptions, EVENT_DISPATCHER_CREATE) |
               event_kinds_major(descriptions, EVENT_STATE_END);
    for (size_t i = 0; i < descriptions->count; i++)
        if (follow->choice.wanted[i])
            mask |= (u64)1 << descriptions->events[i].info.major;
    return mask;
}

static int subscribe(const struct follow *follow)
{
    Orrery__Dci__TraceSubscribeRequest body = ORRERY__DCI__TRACE_SUBSCRIBE_REQUEST__INIT;
    body.mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_KEEP;
    body.set_mask = follow->choice.wanted != NULL;
    body.mask = body.set_mask ? mask_of(follow) : 0;
    body.flush_ms = FLUSH_MS;
    return trace_subscribe(&body, follow->scope, NULL);
}

static bool has_enough(const struct follow *follow)
{
    return follow->show.shown >= follow->show.most;
}

static int show_until(struct follow *follow, u64 until)
{
    struct visitor visitor = trace_walk_visitor(&follow->show.walk);
    int code = KOV_OK;
    for (u32 i = 0; code == KOV_OK && follow->unknown && i < RENEWALS_MAX; i++)
        code = renew_descriptions(follow);
    if (code == KOV_OK && !has_enough(follow))
        code = engine_visit(&follow->engine, until, &visitor);
    fflush(stdout);
    return code;
}

static int follow_trace(struct follow *follow)
{
    u32 cpus = session_machine()->cpu_count;
    int code = subscribe(follow);
    while (code == KOV_OK && !interrupted() && !has_enough(follow)) {
        patience_begin(); // for each round, since there may be any number
        code = dci_listen(ROUND_SECONDS);
        if (code == KOV_OK)
            code = show_until(follow, engine_complete_until(&follow->engine, cpus));
    }
    struct trace_counts counts = {0};
    patience_begin();
    Orrery__Dci__TraceUnsubscribeRequest end = ORRERY__DCI__TRACE_UNSUBSCRIBE_REQUEST__INIT;
    if (code == KOV_OK)
        code = trace_unsubscribe(&end, &counts);
    trace_free_counts(&counts);
    return code == KOV_OK ? show_until(follow, UINT64_MAX) : code;
}

int trace_follow(const struct trace_options *options, u64 most)
{
    // What the kernel does for a process stands in the kernel's streams.
    struct follow follow = {.scope = options->pid != 0 ? SCAN_ALL : scan_scope_of(0),
                            .options = options};
    engine_open_live(&follow.engine, "the machine");
    int code = fetch_descriptions(&follow.engine.descriptions);
    if (code == KOV_OK)
        code = decide(&follow);
    if (code == KOV_OK) {
        engine_seek(&follow.engine, 0);
        trace_show_begin(&follow.show, &follow.choice, most);
        trace_walk_begin(&follow.show.walk, &follow.engine);
        trace_show_find(&follow.show, &follow.engine.descriptions);
        dci_on_event(take_event, &follow);
        code = follow_trace(&follow);
        dci_on_event(NULL, NULL);
        activity_stop(&follow.show.walk.model.machine, 0);
        trace_show_end(&follow.show);
    }
    trace_choice_free(&follow.choice);
    engine_close(&follow.engine);
    return code;
}
