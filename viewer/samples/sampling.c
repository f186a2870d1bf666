// SPDX-License-Identifier: MIT
// A sampling session on the machine, and its command-line options.
#include "samples/sampling.h"
#include "samples/decode_samples.h"
#include "samples/default_period.h"
#include "samples/frequency.h"

#include <inttypes.h>
#include <orrery/errors.h>

#define DEFAULT_FREQUENCY 1000

struct sampling_options sampling_options = SAMPLING_OPTIONS;

const struct option sampling_option_table[] = {
    LIST('e', "event", &sampling_options.events, "EVENTS",
         "EVENT[:u|:k][@THRESHOLD],…: what to sample by (run-cycles); see `kov events`"),
    TEXT(0, "config", &sampling_options.configuration, "NAME",
         "the events of a configuration: `kov config list`"),
    NUMBER('F', "frequency", &sampling_options.frequency, 1, 1000000, "HZ",
           "samples a second on the CPU where the event comes most often (1000)"),
    NUMBER('c', "period", &sampling_options.period, SYS_PRECISE_PERIOD_MIN, SYS_PERIOD_MAX,
           "THRESHOLD", "events a sample, in place of a frequency"),
    FLAG(0, "precise", &sampling_options.precise,
         "samples that the model unit writes itself: exact places, no interrupts"),
    OPTIONAL('g', "depth", &sampling_options.callers, 0, 16, "FRAMES", "callers to record (16)"),
    NUMBER(0, "cpus", &sampling_options.cpu_mask, 1, UINT32_MAX, "MASK",
           "CPUs to sample, bit 0 is CPU 0 (all)"),
    NUMBER(0, "randomise", &sampling_options.randomise, 0, 16, "BITS",
           "low bits of the period to randomise (10)"),
    TEXT(0, "pid", &sampling_options.pids, "PIDS",
         "only samples of these processes, also in the kernel: a list; 0: of none"),
    TEXT(0, "except-pid", &sampling_options.except_pids, "PIDS", "no samples of these processes"),
    OPTIONS_END,
};

int sampling_decide(struct sampling_options *options, struct sampling_request *request)
{
    bool frequency = options->frequency != SAMPLING_NOT_GIVEN;
    int code = sampling_take_configuration(options);
    if (code != KOV_OK)
        return code;
    *request = (struct sampling_request){
        .callers = (u32)options->callers,
        .cpu_mask = (u32)options->cpu_mask,
        .precise = options->precise,
        .frequency = frequency ? options->frequency : DEFAULT_FREQUENCY,
    };
    if (frequency && options->period != SAMPLING_NOT_GIVEN)
        return fail(KOV_USAGE, "give either --frequency or --period");
    if (options->precise && options->events.count == 0)
        return fail(KOV_USAGE, "--precise: " RUN_CYCLES_NAME
                               " are sampled by interrupts only; name events of the model unit "
                               "with -e, such as instructions");
    code = pid_list_parse("--pid", options->pids, 0, &request->pids);
    return code == KOV_OK
               ? pid_list_parse("--except-pid", options->except_pids, 0, &request->except_pids)
               : code;
}

// ---- events ------------------------------------------------------------------------------------

u64 sampling_min_period(const struct sampling_request *request)
{
    return request->precise ? SYS_PRECISE_PERIOD_MIN : SYS_PERIOD_MIN;
}

// Decides the period where that needs no count. Run cycles come at a known rate.
static void decide_period(const struct sampling_options *options, u64 frequency,
                          struct sampled_event *event)
{
    if (event->period != 0)
        return;
    if (options->period != SAMPLING_NOT_GIVEN)
        event->period = options->period;
    else if (event->event == SAMPLED_RUN_CYCLES)
        event->period = SAMPLING_EVENTS_PER_SECOND / frequency;
    else
        event->kept = true;
}

static u32 wanted_randomise(const struct sampling_options *options)
{
    u64 wanted = options->randomise;
    return wanted == SAMPLING_NOT_GIVEN ? SAMPLING_RANDOMISE_DEFAULT : (u32)wanted;
}

static int complete(const struct sampling_options *options, const struct sampling_request *request,
                    struct sampled_event *event)
{
    u64 minimum = sampling_min_period(request);
    if (request->precise && event->event == SAMPLED_RUN_CYCLES)
        return fail(KOV_USAGE, "--precise: %s are sampled by interrupts only", event->name);
    if (event->period < minimum)
        return fail(KOV_USAGE, "%s: the threshold %" PRIu64 " is less than %" PRIu64 "%s",
                    event->name, event->period, minimum,
                    request->precise ? "" : ", the least without --precise");
    event->randomise = threshold_randomise(event->period, wanted_randomise(options));
    if (options->randomise != SAMPLING_NOT_GIVEN && event->randomise < wanted_randomise(options))
        return fail(KOV_USAGE,
                    "--randomise %" PRIu32 ": 2^%" PRIu32 " must be less than the period %" PRIu64
                    ", and both together at most %d",
                    wanted_randomise(options), wanted_randomise(options), event->period,
                    SYS_PERIOD_MAX);
    return KOV_OK;
}

static int name_events(const struct sampling_options *options, struct event_list *list,
                       struct sampled_events *events)
{
    const struct texts *texts = &options->events;
    if (texts->count == 0) {
        sampled_events_add_run_cycles(events);
        return KOV_OK;
    }
    int code = event_list_fetch(list);
    for (u32 i = 0; i < texts->count && code == KOV_OK; i++)
        code = sampled_events_add(events, texts->texts[i], list);
    return code;
}

int sampling_choose(const struct sampling_options *options, struct sampling_request *request)
{
    struct event_list list = {0};
    bool free_one = false;
    int code = name_events(options, &list, &request->events);
    for (u32 i = 0; i < request->events.count && code == KOV_OK; i++) {
        free_one |= request->events.events[i].period == 0;
        decide_period(options, request->frequency, &request->events.events[i]);
    }
    if (code == KOV_OK && !free_one && options->frequency != SAMPLING_NOT_GIVEN)
        code = fail(KOV_USAGE, "--frequency: each event has a threshold of its own");
    if (code == KOV_OK)
        code = frequency_choose(&list, request);
    for (u32 i = 0; i < request->events.count && code == KOV_OK; i++)
        code = complete(options, request, &request->events.events[i]);
    event_list_free(&list);
    return code;
}

// ---- the session -------------------------------------------------------------------------------

struct start {
    const struct sampling_request *request;
    struct sample_set *set;
};

static int take_start(void *context, const dci_response *response)
{
    struct start *start = context;
    decode_sampling_start(response->sampling_start, &start->request->events, start->set);
    return KOV_OK;
}

int sampling_start(const struct sampling_request *wanted, struct sample_set *set)
{
    struct sampling_message message;
    struct start start = {wanted, set};
    sampling_fill(&message, wanted);
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_SAMPLING_START;
    request.sampling_start = &message.body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY_SAMPLING_START, "cannot start sampling",
                    take_start, &start);
}

static Orrery__Dci__SamplingChangeRequest change_of(const struct sampling_options *options,
                                                    u32 index, u64 period)
{
    Orrery__Dci__SamplingChangeRequest body = ORRERY__DCI__SAMPLING_CHANGE_REQUEST__INIT;
    body.index = index;
    body.period = period;
    body.randomise = threshold_randomise(period, wanted_randomise(options));
    return body;
}

// A lost connection is a refusal, too: whoever uses it next takes it up again.
int sampling_try_change(const struct sampling_options *options, u32 index, u64 period, int *error)
{
    Orrery__Dci__SamplingChangeRequest body = change_of(options, index, period);
    int code = dci_try(DCI_REQUEST(SAMPLING_CHANGE, sampling_change, &body),
                       ORRERY__DCI__RESPONSE__BODY__NOT_SET, NULL, NULL, settings.timeout, error);
    if (code != KOV_CONNECTION)
        return code;
    *error = E_AGAIN;
    return KOV_OK;
}

int sampling_change(const struct sampling_options *options, u32 index, u64 period)
{
    Orrery__Dci__SamplingChangeRequest body = change_of(options, index, period);
    return dci_call(DCI_REQUEST(SAMPLING_CHANGE, sampling_change, &body),
                    ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot change the threshold", NULL,
                    NULL);
}

static int take_stat(void *context, const dci_response *response)
{
    bool stopped = response->body_case == ORRERY__DCI__RESPONSE__BODY_SAMPLING_STOP;
    decode_sampling_stat(stopped ? response->sampling_stop : response->sampling_stat, context);
    return KOV_OK;
}

int sampling_stat(struct sample_set *set)
{
    Orrery__Dci__SamplingStatRequest body = ORRERY__DCI__SAMPLING_STAT_REQUEST__INIT;
    return dci_call(DCI_REQUEST(SAMPLING_STAT, sampling_stat, &body),
                    ORRERY__DCI__RESPONSE__BODY_SAMPLING_STAT, "cannot ask after the sampling",
                    take_stat, set);
}

int sampling_stop(struct sample_set *set)
{
    Orrery__Dci__SamplingStopRequest body = ORRERY__DCI__SAMPLING_STOP_REQUEST__INIT;
    return dci_call(DCI_REQUEST(SAMPLING_STOP, sampling_stop, &body),
                    ORRERY__DCI__RESPONSE__BODY_SAMPLING_STOP, "cannot stop sampling", take_stat,
                    set);
}
