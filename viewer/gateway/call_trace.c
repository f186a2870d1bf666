// SPDX-License-Identifier: MIT
// Calls of a live machine, while somebody looks.
#include "gateway/call_trace.h"
#include "record/trace_requests.h"
#include "tools/clock.h"
#include "tools/kov.h"
#include "tools/text.h"
#include "wire/session.h"

#include <inttypes.h>
#include <string.h>

#define FLUSH_MS 500 // a packet of each CPU so often; more would be more work for the machine

static void end_walk(struct call_trace *calls)
{
    call_walk_end(&calls->walk);
    calls->running = calls->mine = calls->broken = calls->is_late = false;
    calls->start_again = clock_now() + CALL_TRACE_AGAIN;
}

static void note_why(struct call_trace *calls, const char *why)
{
    snprintf(calls->why, sizeof(calls->why), "%s", why);
}

void call_trace_reset(struct call_trace *calls)
{
    end_walk(calls);
    calls->joined = false;
    calls->start_again = 0;
    calls->owner[0] = 0;
    note_why(calls, "there is no connection");
}

void call_trace_free(struct call_trace *calls)
{
    call_trace_reset(calls);
    call_counts_free(calls->counts);
    calls->counts = NULL;
    bytes_free(&calls->text);
}

// ---- begin -------------------------------------------------------------------------------------

static int take_running(void *context, const dci_response *response)
{
    *(bool *)context = response->trace_join->running;
    return KOV_OK;
}

// Reads the metadata before anything is pushed: what the kernel logs stays the same until the next
// boot.
static int join(struct call_trace *calls)
{
    Orrery__Dci__TraceJoinRequest body = ORRERY__DCI__TRACE_JOIN_REQUEST__INIT;
    bool running = false;
    calls->text.size = 0;
    int code = trace_fetch_metadata(&calls->text);
    bytes_append(&calls->text, "", 1);
    calls->joined = code == KOV_OK; // before news of others' trace come, maybe with the answer
    if (code == KOV_OK)
        code = dci_call(DCI_REQUEST(TRACE_JOIN, trace_join, &body),
                        ORRERY__DCI__RESPONSE__BODY_TRACE_JOIN, "cannot join the trace of others",
                        take_running, &running);
    calls->joined = code == KOV_OK;
    if (code == KOV_OK && running)
        calls->start_again = clock_now() + CALL_TRACE_AGAIN; // its begin is told
    else if (code != KOV_OK) {
        note_why(calls, dci_refusal());
        calls->start_again = clock_now() + CALL_TRACE_AGAIN;
    }
    return code;
}

// Begins to count what is pushed from now on. The trace has these majors.
static int begin_walk(struct call_trace *calls, u64 mask)
{
    int code =
        call_walk_begin_live(&calls->walk, (const char *)calls->text.data, mask, calls->counts);
    calls->running = code == KOV_OK;
    return code;
}

// The state tells whose the threads are, and heartbeats how far each CPU is.
static u64 mask_of(const struct call_walk *walk)
{
    return 1 | recorded_mask(CALL_MAJORS) |
           event_kinds_major(&walk->engine.descriptions, EVENT_STATE_END);
}

static int subscribe(struct call_trace *calls)
{
    Orrery__Dci__TraceSubscribeRequest body = ORRERY__DCI__TRACE_SUBSCRIBE_REQUEST__INIT;
    int code = begin_walk(calls, recorded_mask(CALL_MAJORS));
    if (code != KOV_OK) {
        note_why(calls, "the metadata of the machine's trace cannot be read");
        end_walk(calls);
        return KOV_OK;
    }
    calls->mine = true; // packets come before the answer
    body.mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_DISCARD;
    body.set_mask = body.yielding = true;
    body.mask = mask_of(&calls->walk);
    body.flush_ms = FLUSH_MS;
    code = trace_subscribe(&body, SCAN_KERNEL, NULL);
    if (code == KOV_OK) {
        calls->why[0] = calls->owner[0] = 0;
    } else if (calls->mine) { // else another's has begun meanwhile
        note_why(calls, dci_refusal());
        end_walk(calls);
    }
    return code == KOV_CONNECTION ? code : KOV_OK;
}

// ---- end ---------------------------------------------------------------------------------------

// Ends its own subscription, whose last packets come meanwhile.
static int unsubscribe(struct call_trace *calls)
{
    Orrery__Dci__TraceUnsubscribeRequest body = ORRERY__DCI__TRACE_UNSUBSCRIBE_REQUEST__INIT;
    struct trace_counts counts = {0};
    int code = trace_unsubscribe(&body, &counts);
    trace_free_counts(&counts);
    if (code == KOV_OK && calls->running && !calls->broken)
        call_walk_count(&calls->walk, 0);
    end_walk(calls);
    return code == KOV_CONNECTION ? code : KOV_OK;
}

static int leave(struct call_trace *calls)
{
    Orrery__Dci__TraceLeaveRequest body = ORRERY__DCI__TRACE_LEAVE_REQUEST__INIT;
    calls->joined = false;
    int code =
        dci_call(DCI_REQUEST(TRACE_LEAVE, trace_leave, &body),
                 ORRERY__DCI__RESPONSE__BODY_TRACE_LEAVE, "cannot leave the trace", NULL, NULL);
    return code == KOV_CONNECTION ? code : KOV_OK;
}

int call_trace_rest(struct call_trace *calls)
{
    if (!calls->joined || clock_now() < calls->watched + CALL_TRACE_IDLE)
        return KOV_OK;
    int code = calls->mine ? unsubscribe(calls) : KOV_OK;
    if (code == KOV_OK)
        code = leave(calls);
    end_walk(calls);
    calls->start_again = 0;
    return code;
}

// ---- while somebody looks ----------------------------------------------------------------------

// Ends what is of no more use; its own begins again, with the state.
static int give_up(struct call_trace *calls)
{
    int code = calls->mine ? unsubscribe(calls) : KOV_OK;
    end_walk(calls);
    return code;
}

int call_trace_attend(struct call_trace *calls, u64 origin, u64 hertz)
{
    int code = KOV_OK;
    calls->watched = clock_now();
    if (calls->counts == NULL)
        calls->counts = call_counts_new(origin, hertz == 0 ? 1 : hertz, CALL_CELLS_MAX);
    if (calls->running && !calls->broken &&
        call_walk_count(&calls->walk, session_machine()->cpu_count) != KOV_OK) {
        note_why(calls, "the trace that came cannot be read");
        calls->broken = true;
    }
    if (calls->running && calls->broken)
        code = give_up(calls);
    if (code == KOV_OK && !calls->joined && clock_now() >= calls->start_again)
        code = join(calls);
    if (code == KOV_OK && calls->joined && !calls->running && clock_now() >= calls->start_again)
        code = subscribe(calls);
    return code == KOV_CONNECTION ? code : KOV_OK;
}

// ---- what is pushed ----------------------------------------------------------------------------

static void take_packet(struct call_trace *calls, const Orrery__Dci__TracePacket *packet)
{
    if (!calls->running || calls->broken || packet->pid != 0)
        return;
    calls->broken =
        call_walk_packet(&calls->walk, packet->cpu, packet->data.data, packet->data.len) != KOV_OK;
    if (calls->broken)
        note_why(calls, "the machine pushed a damaged packet of the trace");
}

// Another's trace has begun, or had when this client joined.
static void take_begin(struct call_trace *calls, const Orrery__Dci__TraceBegan *began)
{
    end_walk(calls);
    snprintf(calls->owner, sizeof(calls->owner), "another client");
    if (began->owner != NULL)
        snprintf(calls->owner, sizeof(calls->owner), "client %" PRIu32 " (%.20s)",
                 began->owner->number, began->owner->address);
    text_make_printable(calls->owner, false);
    calls->why[0] = 0;
    u64 missing = recorded_mask(CALL_MAJORS) & ~began->mask;
    bool is_kernel = began->start == NULL || began->start->pid == 0 ||
                     began->start->scope != ORRERY__DCI__SCOPE__SCOPE_PROCESS;
    if (missing != 0 || !is_kernel)
        snprintf(calls->why, sizeof(calls->why),
                 "%s traces, and without %s; calls are counted again when it ends", calls->owner,
                 is_kernel ? "switches and calls (" CALL_MAJORS ")" : "the kernel");
    if (begin_walk(calls, began->mask) != KOV_OK) {
        note_why(calls, "the metadata of the machine's trace cannot be read");
        end_walk(calls);
    }
    calls->is_late = began->pushed > 0;
}

static void take_end(struct call_trace *calls, const Orrery__Dci__TraceEnded *ended)
{
    if (ended->more)
        return;
    if (calls->running && !calls->broken)
        call_walk_count(&calls->walk, 0);
    end_walk(calls);
    calls->owner[0] = 0;
    note_why(calls, "the trace of calls begins again");
}

void call_trace_take(struct call_trace *calls, const Orrery__Dci__Event *event)
{
    if (!calls->joined)
        return;
    if (event->body_case == ORRERY__DCI__EVENT__BODY_PACKET)
        take_packet(calls, event->packet);
    else if (event->body_case == ORRERY__DCI__EVENT__BODY_TRACE_BEGAN)
        take_begin(calls, event->trace_began);
    else if (event->body_case == ORRERY__DCI__EVENT__BODY_TRACE_ENDED)
        take_end(calls, event->trace_ended);
}
