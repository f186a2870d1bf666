// SPDX-License-Identifier: MIT
#include "watcher.h"

struct watcher watcher_connect(const char *token, u64 room)
{
    struct watcher watcher = {.peer = peer_connect(room == UINT64_MAX ? room : room + 200)};
    Orrery__Dci__HelloRequest hello = ORRERY__DCI__HELLO_REQUEST__INIT;

    hello.version = 2;
    hello.token = (char *)token;
    assert_int_equal(peer_ask(watcher.peer, REQUEST(HELLO, hello, &hello)), 0);
    return watcher;
}

static void take_share(struct watcher *watcher, const Orrery__Dci__Share *share)
{
    assert_non_null(share);
    watcher->given = share->given;
    watcher->missed = share->missed;
    watcher->missed_bytes = share->missed_bytes;
}

static void take_begin(struct watcher *watcher, const Orrery__Dci__SharingClient *owner, u64 before)
{
    assert_false(watcher->running);
    watcher->running = true;
    watcher->begun++;
    watcher->before = before;
    watcher->owner = owner->number;
    assert_string_equal(owner->address, "10.0.2.2");
    watcher->samples = watcher->packets = watcher->given = watcher->missed = watcher->events = 0;
}

static u64 taken_of(const Orrery__Dci__SamplingStatReply *stat, u64 *filtered)
{
    u64 taken = 0;
    *filtered = 0;
    for (size_t i = 0; i < stat->n_cpus; i++) {
        taken += stat->cpus[i]->taken;
        *filtered += stat->cpus[i]->filtered;
    }
    return taken;
}

static u64 events_of(const Orrery__Dci__TraceStatReply *stat)
{
    u64 events = 0;
    for (size_t i = 0; i < stat->n_cpus; i++)
        events += stat->cpus[i]->events;
    return events;
}

// reason, pushed, share as both kinds of end have them.
#define TAKE_END(watcher, end)                                                                     \
    do {                                                                                           \
        (watcher)->reason = (end)->reason;                                                         \
        (watcher)->successor = (end)->successor != NULL ? (end)->successor->number : 0;            \
        (watcher)->pushed = (end)->pushed;                                                         \
        take_share(watcher, (end)->share);                                                         \
    } while (0)

static void take_sampling_end(struct watcher *watcher, const Orrery__Dci__SamplingEnded *end)
{
    if (end->reason == ORRERY__DCI__SHARING_END__SHARING_END_FAILED) {
        watcher->failed++;
        return;
    }
    TAKE_END(watcher, end);
    watcher->taken = taken_of(end->stat, &watcher->filtered);
    assert_false(end->stat->running);
    watcher->running = false;
    watcher->ended++;
}

static void take_trace_end(struct watcher *watcher, const Orrery__Dci__TraceEnded *end)
{
    if (end->reason == ORRERY__DCI__SHARING_END__SHARING_END_FAILED) {
        watcher->failed++;
        return;
    }
    TAKE_END(watcher, end);
    watcher->events += end->stat != NULL ? events_of(end->stat) : 0;
    if (end->more)
        return;
    watcher->running = false;
    watcher->ended++;
}

static void take_event(struct watcher *watcher, const Orrery__Dci__Event *event)
{
    if (watcher->sees != NULL)
        watcher->sees(watcher->context, event);
    switch (event->body_case) {
    case ORRERY__DCI__EVENT__BODY_SAMPLES:
        watcher->samples += event->samples->n_samples;
        watcher->pushes++;
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLE_SUMS:
        for (size_t i = 0; i < event->sample_sums->n_sums; i++)
            if (event->sample_sums->sums[i]->kind == ORRERY__DCI__SAMPLE_SUM_KIND__SUM_ALL)
                watcher->samples += event->sample_sums->sums[i]->samples;
        watcher->pushes++;
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLE_STACKS:
        break; // the same samples as in the sums before
    case ORRERY__DCI__EVENT__BODY_PACKET:
        watcher->packets++;
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_BEGAN:
        assert_int_equal(event->sampling_began->start->callers, 16);
        take_begin(watcher, event->sampling_began->owner, event->sampling_began->pushed);
        break;
    case ORRERY__DCI__EVENT__BODY_TRACE_BEGAN:
        take_begin(watcher, event->trace_began->owner, event->trace_began->pushed);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_MISSED:
        take_share(watcher, event->sampling_missed);
        assert_int_equal(watcher->given, watcher->samples);
        break;
    case ORRERY__DCI__EVENT__BODY_TRACE_MISSED:
        take_share(watcher, event->trace_missed);
        assert_int_equal(watcher->given, watcher->packets);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_ENDED:
        take_sampling_end(watcher, event->sampling_ended);
        break;
    case ORRERY__DCI__EVENT__BODY_TRACE_ENDED:
        take_trace_end(watcher, event->trace_ended);
        break;
    default:
        assert_int_equal(event->body_case, ORRERY__DCI__EVENT__BODY_SAMPLING_CHANGED);
    }
}

static void take_response(struct watcher *watcher, const Orrery__Dci__Response *response)
{
    u64 filtered;

    watcher->answered = !response->more;
    watcher->error = response->error;
    watcher->displaced = response->displaced != NULL ? response->displaced->number : 0;
    if (response->body_case == ORRERY__DCI__RESPONSE__BODY_SAMPLING_STOP)
        watcher->response_taken = taken_of(response->sampling_stop, &filtered);
    if (response->body_case == ORRERY__DCI__RESPONSE__BODY_TRACE_UNSUBSCRIBE)
        watcher->response_events += events_of(response->trace_unsubscribe);
    if (response->body_case == ORRERY__DCI__RESPONSE__BODY_SAMPLING_LEAVE)
        take_share(watcher, response->sampling_leave->share);
    if (response->body_case == ORRERY__DCI__RESPONSE__BODY_TRACE_LEAVE)
        take_share(watcher, response->trace_leave->share);
}

void watcher_take(struct watcher *watcher)
{
    answer_t *answer;

    while ((answer = peer_next(watcher->peer)) != NULL) {
        if (answer->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE)
            take_response(watcher, answer->response);
        else
            take_event(watcher, answer->event);
        answer_free(answer);
    }
}

s64 watcher_ask(struct watcher *watcher, request_t *request)
{
    watcher_take(watcher);
    watcher->answered = false;
    watcher->response_events = 0;
    peer_request(watcher->peer, request);
    server_settle();
    watcher_take(watcher);
    assert_true(watcher->answered);
    return watcher->error;
}

u32 watcher_number(struct watcher *watcher)
{
    u32 number = 0;

    answer_t *answer =
        peer_answer(watcher->peer, EMPTY(SERVER_STAT, server_stat, ServerStat, SERVER_STAT));
    for (size_t i = 0; i < answer->response->server_stat->n_clients; i++)
        if (answer->response->server_stat->clients[i]->self)
            number = answer->response->server_stat->clients[i]->number;
    answer_free(answer);
    return number;
}

void watcher_leaves(struct watcher *watcher)
{
    peer_hang_up(watcher->peer);
    watcher->peer = NULL;
}

request_t *sampling_request(bool yielding, u32 except_pid)
{
    static Orrery__Dci__SamplingStartRequest body;
    static Orrery__Dci__SampledEvent event, *events[] = {&event};
    static u32 pids[1];
    static request_t request;
    event = (Orrery__Dci__SampledEvent)ORRERY__DCI__SAMPLED_EVENT__INIT;
    event.event = 1;
    event.period = 5000;
    body = (Orrery__Dci__SamplingStartRequest)ORRERY__DCI__SAMPLING_START_REQUEST__INIT;
    body.callers = 16;
    body.n_events = 1;
    body.events = events;
    body.yielding = yielding;
    pids[0] = except_pid;
    body.except_pids = pids;
    body.n_except_pids = except_pid != 0;
    request = *REQUEST(SAMPLING_START, sampling_start, &body);
    return &request;
}
