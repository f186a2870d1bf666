// SPDX-License-Identifier: MIT
// What is sampled while the gateway watches.
#include "gateway/standing.h"
#include "samples/decode_samples.h"
#include "samples/default_period.h"
#include "tools/clock.h"
#include "tools/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// The usual set: run cycles, which every machine has, and the model unit's events that show
// contention by object.
#define RUN_CYCLES_HZ 997                      // no multiple of a usual frequency of programs
#define RUN_CYCLES_HZ_RARE 97                  // each sample is work for the machine
#define QUIET_CPUS 0.5                         // a machine that uses less does little
#define MODEL_EVENTS "larx@10000,instructions" // larx: enough samples in a few seconds
#define CALLERS 8                              // of each sample; more are more work
#define AGAIN_SECONDS 0.5                      // after the session of somebody else has ended

// Notes that a session runs, of ours or not. Its counters begin at 0.
static void note_session(struct standing *standing, const struct sampled_events *events, u64 time)
{
    standing->events = *events;
    standing->running = true;
    standing->stacks = (struct stack_numbers){0};
    standing->seen_samples = standing->seen_idle = 0;
    if (standing->history != NULL)
        history_begin_session(standing->history, time, events);
}

static void note_end(struct standing *standing)
{
    standing->running = standing->mine = false;
    standing->owner[0] = 0;
    standing->start_again = clock_now() + AGAIN_SECONDS;
}

u64 standing_at(const struct standing *standing, double clock)
{
    double ticks = (clock - standing->clock_heard) * (double)standing->clock_hertz;
    return standing->clock_ticks + (u64)fmin(fmax(ticks, 0), 0x1p63); // a tape may say anything
}

u64 standing_now(const struct standing *standing)
{
    return standing_at(standing, clock_now() - standing->clock_late);
}

// ---- the set -----------------------------------------------------------------------------------

static u64 run_cycles_period(const struct standing *standing)
{
    return SAMPLING_EVENTS_PER_SECOND / (standing->often ? RUN_CYCLES_HZ : RUN_CYCLES_HZ_RARE);
}

static int choose(const struct standing *standing, const char *text,
                  struct sampling_request *request)
{
    *request = (struct sampling_request){
        .yielding = true, .sums = true, .stacks = true, .callers = CALLERS};
    struct sampled_events *events = &request->events;
    int code = KOV_OK;
    if (text[0] != 0)
        code = sampled_events_add(events, text, &standing->list);
    else
        sampled_events_add_run_cycles(events);
    if (text[0] == 0 && event_list_find(&standing->list, "larx", strlen("larx")) != NULL)
        code = sampled_events_add(events, MODEL_EVENTS, &standing->list);
    for (u32 i = 0; i < events->count; i++) {
        struct sampled_event *event = &events->events[i];
        if (event->period == 0)
            event->period = event->event == SAMPLED_RUN_CYCLES ? run_cycles_period(standing)
                                                               : threshold_default(event->name);
        event->randomise = threshold_randomise(event->period, SAMPLING_RANDOMISE_DEFAULT);
    }
    return code;
}

static int start_set(struct standing *standing)
{
    struct sampling_request request;
    int code = choose(standing, standing->wanted, &request);
    samples_free(&standing->samples);
    if (code == KOV_OK)
        code = sampling_start(&request, &standing->samples);
    if (code == KOV_CONNECTION)
        return code;
    standing->start_again = clock_now() + AGAIN_SECONDS * 4;
    if (code == KOV_OK) {
        note_session(standing, &request.events, standing->samples.began);
        standing->mine = true;
    }
    return KOV_OK; // refused: somebody was faster, and a push tells its begin
}

static int take_join(void *context, const dci_response *response)
{
    *(bool *)context = response->sampling_join->session != 0;
    return KOV_OK;
}

static int join(bool *somebody_samples)
{
    Orrery__Dci__SamplingJoinRequest body = ORRERY__DCI__SAMPLING_JOIN_REQUEST__INIT;
    body.sums = body.stacks = true;
    return dci_call(DCI_REQUEST(SAMPLING_JOIN, sampling_join, &body),
                    ORRERY__DCI__RESPONSE__BODY_SAMPLING_JOIN, "cannot join the sampling of others",
                    take_join, somebody_samples);
}

void standing_forget(struct standing *standing)
{
    event_list_free(&standing->list);
    samples_free(&standing->samples);
    note_end(standing);
}

int standing_begin(struct standing *standing)
{
    bool somebody_samples = false;
    standing_forget(standing);
    int code = event_list_fetch(&standing->list);
    if (code == KOV_OK)
        code = join(&somebody_samples);
    return code == KOV_OK && !somebody_samples ? start_set(standing) : code;
}

int standing_attend(struct standing *standing)
{
    if (standing->running || clock_now() < standing->start_again)
        return KOV_OK;
    return start_set(standing);
}

// Looks how much of the CPUs was in use since the last look. Without a sample since then, what was
// known stays.
static void look_at_load(struct standing *standing, u64 period)
{
    const struct sample_totals *totals = &standing->samples.by_event[0];
    u64 samples = totals->samples - standing->seen_samples;
    u64 idle = totals->idle - standing->seen_idle;
    double now = clock_now(), seconds = now - standing->seen_at;
    standing->seen_samples = totals->samples;
    standing->seen_idle = totals->idle;
    standing->seen_at = now;
    if (samples == 0)
        return;
    double used = (double)(samples - idle) * (double)period / SAMPLING_EVENTS_PER_SECOND;
    standing->is_quiet = used < QUIET_CPUS * seconds;
}

int standing_pace(struct standing *standing, bool is_watched)
{
    const struct sampling_options options = {.randomise = SAMPLING_NOT_GIVEN};
    const struct sampled_event *first = &standing->events.events[0];
    int error; // is no harm: the next call tries again
    bool is_usual = standing->running && standing->mine && standing->wanted[0] == 0 &&
                    first->event == SAMPLED_RUN_CYCLES;
    if (is_usual)
        look_at_load(standing, first->period);
    standing->often = is_watched && !standing->is_quiet;
    u64 period = run_cycles_period(standing);
    if (!is_usual || first->period == period)
        return KOV_OK;
    return sampling_try_change(&options, 0, period, &error);
}

int standing_change(struct standing *standing, const char *events)
{
    struct sampling_request request;
    if (strlen(events) >= sizeof(standing->wanted))
        return fail(KOV_USAGE, "the list of events is too long");
    int code = choose(standing, events, &request);
    if (code != KOV_OK)
        return code;
    if (standing->running && !standing->mine)
        return fail(KOV_FAILED, "%s samples: it ends before the gateway samples something else",
                    standing->owner);
    char before[sizeof(standing->wanted)];
    memcpy(before, standing->wanted, sizeof(before));
    snprintf(standing->wanted, sizeof(standing->wanted), "%s", events);
    if (standing->mine) {
        code = sampling_stop(&standing->samples);
        if (code == KOV_OK && standing->history != NULL)
            history_close_cell(standing->history, standing_now(standing), &standing->samples);
        note_end(standing);
    }
    if (code == KOV_OK)
        code = start_set(standing);
    if (code == KOV_OK && !standing->running) { // refused: the old session goes on
        memcpy(standing->wanted, before, sizeof(before));
        code = start_set(standing);
        return code == KOV_OK ? KOV_FAILED : code;
    }
    return code;
}

// ---- what is pushed ----------------------------------------------------------------------------

static void name_event(const struct standing *standing, const Orrery__Dci__SampledEvent *message,
                       struct sampled_event *event)
{
    *event = (struct sampled_event){.event = message->event,
                                    .mode = (enum count_mode)message->mode,
                                    .period = message->period,
                                    .randomise = message->randomise};
    if (event->mode >= COUNT_MODES)
        event->mode = COUNT_ALL;
    snprintf(event->name, sizeof(event->name), "event %" PRIu32, event->event);
    if (event->event == SAMPLED_RUN_CYCLES)
        snprintf(event->name, sizeof(event->name), "%s", RUN_CYCLES_NAME);
    for (size_t i = 0; i < standing->list.count; i++)
        if (standing->list.events[i].event + SAMPLED_MODEL == event->event)
            snprintf(event->name, sizeof(event->name), "%s", standing->list.events[i].name);
}

// Takes the begin of another's session: what it samples, and how.
static void take_begin(struct standing *standing, const Orrery__Dci__SamplingBegan *began)
{
    struct sampled_events events = {0};
    if (began->start == NULL || began->start->n_events > SAMPLED_EVENTS_MAX)
        return;
    for (size_t i = 0; i < began->start->n_events; i++)
        name_event(standing, began->start->events[i], &events.events[events.count++]);
    Orrery__Dci__SamplingStartReply reply = ORRERY__DCI__SAMPLING_START_REPLY__INIT;
    reply.time = began->time;
    samples_free(&standing->samples);
    decode_sampling_start(&reply, &events, &standing->samples);
    note_session(standing, &events, began->time);
    standing->mine = began->owner == NULL; // in a recording: the set of the gateway that made it
    standing->owner[0] = 0;
    if (began->owner != NULL)
        snprintf(standing->owner, sizeof(standing->owner), "client %" PRIu32 " (%.20s)",
                 began->owner->number, began->owner->address);
    text_make_printable(standing->owner, false);
}

static void take_end(struct standing *standing, const Orrery__Dci__SamplingEnded *ended)
{
    if (ended->stat != NULL) {
        decode_sampling_stat(ended->stat, &standing->samples);
        if (standing->history != NULL)
            history_close_cell(standing->history, standing_now(standing), &standing->samples);
    }
    note_end(standing);
}

static void hand_on(struct standing *standing)
{
    for (size_t i = 0; i < standing->samples.count; i++)
        if (standing->history != NULL)
            history_add(standing->history, &standing->samples.samples[i]);
    standing->received += standing->samples.count;
    standing->samples.count = 0;
}

static void take_sum(void *context, const struct site_sum *sum, u64 from, u64 to)
{
    const struct standing *standing = context;
    if (standing->history != NULL)
        history_add_sum(standing->history, sum, from, to);
}

void standing_take(struct standing *standing, const Orrery__Dci__Event *event)
{
    switch (event->body_case) {
    case ORRERY__DCI__EVENT__BODY_SAMPLES:
        decode_samples(event->samples, &standing->samples);
        hand_on(standing);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLE_SUMS:
        standing->received +=
            decode_sample_sums(event->sample_sums, &standing->samples, take_sum, standing);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLE_STACKS:
        if (standing->history != NULL)
            decode_sample_stacks(event->sample_stacks, &standing->stacks,
                                 history_stacks(standing->history), take_sum, standing);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_CHANGED:
        decode_sampling_changed(event->sampling_changed, &standing->samples);
        if (event->sampling_changed->index < standing->events.count)
            standing->events.events[event->sampling_changed->index].period =
                event->sampling_changed->period;
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_BEGAN:
        take_begin(standing, event->sampling_began);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_ENDED:
        take_end(standing, event->sampling_ended);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_MISSED:
        standing->missed += event->sampling_missed->missed;
        break;
    default:
        break;
    }
}

int standing_close_cell(struct standing *standing)
{
    if (!standing->running || standing->history == NULL)
        return KOV_OK;
    int code = sampling_stat(&standing->samples);
    if (code == KOV_OK && standing->running) // it may have ended meanwhile
        history_close_cell(standing->history, standing_now(standing), &standing->samples);
    return code;
}

void standing_free(struct standing *standing)
{
    event_list_free(&standing->list);
    samples_free(&standing->samples);
}
