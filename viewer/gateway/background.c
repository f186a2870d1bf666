// SPDX-License-Identifier: MIT
// What is sampled while the gateway watches.
#include "gateway/background.h"
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
static void note_session(struct background *background, const struct sampled_events *events,
                         u64 time)
{
    background->events = *events;
    background->running = true;
    background->stacks = (struct stack_numbers){0};
    background->used = 0;
    background->has_samples = false;
    background->seen_at = clock_now();
    if (background->history != NULL)
        history_begin_session(background->history, time, events);
}

static void note_end(struct background *background)
{
    background->running = background->mine = false;
    background->owner[0] = 0;
    background->start_again = clock_now() + AGAIN_SECONDS;
}

u64 background_at(const struct background *background, double clock)
{
    double ticks = (clock - background->clock_heard) * (double)background->clock_hertz;
    return background->clock_ticks + (u64)fmin(fmax(ticks, 0), 0x1p63); // a tape may say anything
}

u64 background_now(const struct background *background)
{
    return background_at(background, clock_now() - background->clock_late);
}

// ---- the set -----------------------------------------------------------------------------------

static u64 run_cycles_period(const struct background *background)
{
    return SAMPLING_EVENTS_PER_SECOND / (background->often ? RUN_CYCLES_HZ : RUN_CYCLES_HZ_RARE);
}

static int choose(const struct background *background, const char *text,
                  struct sampling_request *request)
{
    *request = (struct sampling_request){
        .yielding = true, .sums = true, .stacks = true, .callers = CALLERS};
    struct sampled_events *events = &request->events;
    int code = KOV_OK;
    if (text[0] != 0)
        code = sampled_events_add(events, text, &background->list);
    else
        sampled_events_add_run_cycles(events);
    if (text[0] == 0 && event_list_find(&background->list, "larx", strlen("larx")) != NULL)
        code = sampled_events_add(events, MODEL_EVENTS, &background->list);
    for (u32 i = 0; i < events->count; i++) {
        struct sampled_event *event = &events->events[i];
        if (event->period == 0)
            event->period = event->event == SAMPLED_RUN_CYCLES ? run_cycles_period(background)
                                                               : threshold_default(event->name);
        event->randomise = threshold_randomise(event->period, SAMPLING_RANDOMISE_DEFAULT);
    }
    return code;
}

static int start_set(struct background *background)
{
    struct sampling_request request;
    int code = choose(background, background->wanted, &request);
    samples_free(&background->samples);
    if (code == KOV_OK)
        code = sampling_start(&request, &background->samples);
    if (code == KOV_CONNECTION)
        return code;
    background->start_again = clock_now() + AGAIN_SECONDS * 4;
    if (code == KOV_OK) {
        note_session(background, &request.events, background->samples.began);
        background->mine = true;
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

void background_reset(struct background *background)
{
    event_list_free(&background->list);
    samples_free(&background->samples);
    note_end(background);
}

int background_begin(struct background *background)
{
    bool somebody_samples = false;
    background_reset(background);
    int code = event_list_fetch(&background->list);
    if (code == KOV_OK)
        code = join(&somebody_samples);
    return code == KOV_OK && !somebody_samples ? start_set(background) : code;
}

int background_attend(struct background *background)
{
    if (background->running || clock_now() < background->start_again)
        return KOV_OK;
    return start_set(background);
}

// Looks how much of the CPUs was in use since the last look. Without a sample since then, what was
// known stays.
static void look_at_load(struct background *background)
{
    double now = clock_now(), seconds = now - background->seen_at;
    if (!background->has_samples)
        return;
    double used = (double)background->used / SAMPLING_EVENTS_PER_SECOND;
    background->is_quiet = used < QUIET_CPUS * seconds;
    background->seen_at = now;
    background->used = 0;
    background->has_samples = false;
}

int background_pace(struct background *background, bool is_watched)
{
    const struct sampling_options options = {.randomise = SAMPLING_NOT_GIVEN};
    const struct sampled_event *first = &background->events.events[0];
    int error; // is no harm: the next call tries again
    bool is_usual = background->running && background->mine && background->wanted[0] == 0 &&
                    first->event == SAMPLED_RUN_CYCLES;
    if (is_usual)
        look_at_load(background);
    background->often = is_watched && !background->is_quiet;
    u64 period = run_cycles_period(background);
    if (!is_usual || first->period == period)
        return KOV_OK;
    return sampling_try_change(&options, 0, period, &error);
}

int background_change(struct background *background, const char *events)
{
    struct sampling_request request;
    if (strlen(events) >= sizeof(background->wanted))
        return fail(KOV_USAGE, "the list of events is too long");
    int code = choose(background, events, &request);
    if (code != KOV_OK)
        return code;
    if (background->running && !background->mine)
        return fail(KOV_FAILED, "%s samples: it ends before the gateway samples something else",
                    background->owner);
    char before[sizeof(background->wanted)];
    memcpy(before, background->wanted, sizeof(before));
    snprintf(background->wanted, sizeof(background->wanted), "%s", events);
    if (background->mine) {
        code = sampling_stop(&background->samples);
        if (code == KOV_OK && background->history != NULL)
            history_close_cell(background->history, background_now(background),
                               &background->samples);
        note_end(background);
    }
    if (code == KOV_OK)
        code = start_set(background);
    if (code == KOV_OK && !background->running) { // refused: the old session goes on
        memcpy(background->wanted, before, sizeof(before));
        code = start_set(background);
        return code == KOV_OK ? KOV_FAILED : code;
    }
    return code;
}

// ---- what is pushed ----------------------------------------------------------------------------

static void name_event(const struct background *background,
                       const Orrery__Dci__SampledEvent *message, struct sampled_event *event)
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
    for (size_t i = 0; i < background->list.count; i++)
        if (background->list.events[i].event + SAMPLED_MODEL == event->event)
            snprintf(event->name, sizeof(event->name), "%s", background->list.events[i].name);
}

// Takes the begin of another's session: what it samples, and how.
static void take_begin(struct background *background, const Orrery__Dci__SamplingBegan *began)
{
    struct sampled_events events = {0};
    if (began->start == NULL || began->start->n_events > SAMPLED_EVENTS_MAX)
        return;
    for (size_t i = 0; i < began->start->n_events; i++)
        name_event(background, began->start->events[i], &events.events[events.count++]);
    Orrery__Dci__SamplingStartReply reply = ORRERY__DCI__SAMPLING_START_REPLY__INIT;
    reply.time = began->time;
    samples_free(&background->samples);
    decode_sampling_start(&reply, &events, &background->samples);
    note_session(background, &events, began->time);
    background->mine = began->owner == NULL; // in a recording: the set of the gateway that made it
    background->owner[0] = 0;
    if (began->owner != NULL)
        snprintf(background->owner, sizeof(background->owner), "client %" PRIu32 " (%.20s)",
                 began->owner->number, began->owner->address);
    text_make_printable(background->owner, false);
}

static void take_end(struct background *background, const Orrery__Dci__SamplingEnded *ended)
{
    if (ended->stat != NULL) {
        decode_sampling_stat(ended->stat, &background->samples);
        if (background->history != NULL)
            history_close_cell(background->history, background_now(background),
                               &background->samples);
    }
    note_end(background);
}

static void hand_on(struct background *background)
{
    for (size_t i = 0; i < background->samples.count; i++)
        if (background->history != NULL)
            history_add(background->history, &background->samples.samples[i]);
    background->received += background->samples.count;
    background->samples.count = 0;
}

// Each sample counts with the period of its own time: those from before a change come after it.
// What the monitor uses is left out. Otherwise a machine on which nothing else runs would be
// sampled often because it is watched.
static void note_load(struct background *background, const struct site_sum *sum)
{
    bool own = sum->site.kind == SITE_PROCESS && background->watching != NULL &&
               watching_has(background->watching, sum->site.pid);
    if (sum->site.event != 0 || (sum->site.kind != SITE_ALL && sum->site.kind != SITE_IDLE && !own))
        return;
    background->used += sum->site.kind == SITE_ALL ? (s64)sum->events : -(s64)sum->events;
    background->has_samples = true;
}

static void take_sum(void *context, const struct site_sum *sum, u64 from, u64 to)
{
    struct background *background = context;
    note_load(background, sum);
    if (background->history != NULL)
        history_add_sum(background->history, sum, from, to);
}

void background_take(struct background *background, const Orrery__Dci__Event *event)
{
    switch (event->body_case) {
    case ORRERY__DCI__EVENT__BODY_SAMPLES:
        decode_samples(event->samples, &background->samples);
        hand_on(background);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLE_SUMS:
        background->received +=
            decode_sample_sums(event->sample_sums, &background->samples, take_sum, background);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLE_STACKS:
        if (background->history != NULL)
            decode_sample_stacks(event->sample_stacks, &background->stacks,
                                 history_stacks(background->history), take_sum, background);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_CHANGED:
        decode_sampling_changed(event->sampling_changed, &background->samples);
        if (event->sampling_changed->index < background->events.count)
            background->events.events[event->sampling_changed->index].period =
                event->sampling_changed->period;
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_BEGAN:
        take_begin(background, event->sampling_began);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_ENDED:
        take_end(background, event->sampling_ended);
        break;
    case ORRERY__DCI__EVENT__BODY_SAMPLING_MISSED:
        background->missed += event->sampling_missed->missed;
        break;
    default:
        break;
    }
}

int background_close_cell(struct background *background)
{
    if (!background->running || background->history == NULL)
        return KOV_OK;
    int code = sampling_stat(&background->samples);
    if (code == KOV_OK && background->running) // it may have ended meanwhile
        history_close_cell(background->history, background_now(background), &background->samples);
    return code;
}

void background_free(struct background *background)
{
    event_list_free(&background->list);
    samples_free(&background->samples);
}
