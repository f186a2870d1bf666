// SPDX-License-Identifier: MIT
// A sampling session on the machine, and the options that commands with one share.
#include "sampling.h"
#include "dci.h"
#include "decode.h"

#include <inttypes.h>

struct sampling_options sampling_options = {
    .frequency = SAMPLING_NOT_GIVEN,
    .period = SAMPLING_NOT_GIVEN,
    .callers = SAMPLE_MAX_CALLERS,
    .randomise = SAMPLING_NOT_GIVEN,
};

const struct option sampling_option_table[] = {
    NUMBER('F', "frequency", &sampling_options.frequency, 1, 1000000, "HZ",
           "samples a second on each CPU (1000)"),
    NUMBER('c', "period", &sampling_options.period, 1000, 0x7fffffff, "EVENTS",
           "cycles (ns) a sample, instead of -F"),
    NUMBER('g', "depth", &sampling_options.callers, 0, 16, "FRAMES", "callers to record (16)"),
    NUMBER(0, "cpus", &sampling_options.cpu_mask, 1, UINT32_MAX, "MASK",
           "CPUs to sample, bit 0 is CPU 0 (all)"),
    NUMBER(0, "randomise", &sampling_options.randomise, 0, 16, "BITS",
           "low bits of the period to randomise (10)"),
    OPTIONS_END,
};

// As many bits as wanted, or as fit below the period.
static u32 default_randomise(u64 period)
{
    u32 bits = SAMPLING_RANDOMISE_DEFAULT;
    while (bits > 0 && (1u << bits) >= period)
        bits--;
    return bits;
}

int sampling_decide(struct sampling_request *request)
{
    const struct sampling_options *options = &sampling_options;
    if (options->frequency != SAMPLING_NOT_GIVEN && options->period != SAMPLING_NOT_GIVEN)
        return fail(KOV_USAGE, "give either --frequency or --period");
    request->period = options->period;
    if (options->period == SAMPLING_NOT_GIVEN)
        request->period = SAMPLING_EVENTS_PER_SECOND /
                          (options->frequency == SAMPLING_NOT_GIVEN ? 1000 : options->frequency);
    request->callers = (u32)options->callers;
    request->cpu_mask = (u32)options->cpu_mask;
    request->randomise = default_randomise(request->period);
    if (options->randomise != SAMPLING_NOT_GIVEN)
        request->randomise = (u32)options->randomise;
    if ((1u << request->randomise) >= request->period)
        return fail(KOV_USAGE,
                    "--randomise %" PRIu32 ": 2^%" PRIu32 " must be less than the period %" PRIu64,
                    request->randomise, request->randomise, request->period);
    return KOV_OK;
}

int sampling_start(const struct sampling_request *wanted)
{
    Orrery__Dci__SamplingStartRequest body = ORRERY__DCI__SAMPLING_START_REQUEST__INIT;
    body.event = ORRERY__DCI__PMU_EVENT__PMU_EVENT_CYCLES;
    body.callers = wanted->callers;
    body.period = wanted->period;
    body.randomise = wanted->randomise;
    body.cpu_mask = wanted->cpu_mask;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_SAMPLING_START;
    request.sampling_start = &body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY_SAMPLING_START, "cannot start sampling",
                    NULL, NULL);
}

static int take_stat(void *context, const dci_response *response)
{
    decode_sampling_stat(response->sampling_stop, context);
    return KOV_OK;
}

int sampling_stop(struct sample_set *set)
{
    Orrery__Dci__SamplingStopRequest body = ORRERY__DCI__SAMPLING_STOP_REQUEST__INIT;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_SAMPLING_STOP;
    request.sampling_stop = &body;
    return dci_call(&request, ORRERY__DCI__RESPONSE__BODY_SAMPLING_STOP, "cannot stop sampling",
                    take_stat, set);
}
