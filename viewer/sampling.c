// SPDX-License-Identifier: MIT
// A sampling session on the machine, and the options that commands with one share.
#include "sampling.h"
#include "dci.h"
#include "decode.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

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
    TEXT(0, "pid", &sampling_options.pids, "PIDS",
         "only samples of these processes, also in the kernel: a list; 0: of none"),
    TEXT(0, "except-pid", &sampling_options.except_pids, "PIDS", "no samples of these processes"),
    OPTIONS_END,
};

static int parse_pids(const char *option, const char *text, u32 pids[SAMPLING_MAX_PIDS], u32 *count)
{
    *count = 0;
    while (text != NULL) {
        size_t length = strcspn(text, ",");
        char number[24];
        u64 pid;
        snprintf(number, sizeof(number), "%.*s", (int)(length > 23 ? 23 : length), text);
        if (!text_to_u64(number, 0, UINT32_MAX, &pid))
            return fail(KOV_USAGE, "%s: '%s' is no number of a process", option, number);
        if (*count == SAMPLING_MAX_PIDS)
            return fail(KOV_USAGE, "%s: at most %d processes", option, SAMPLING_MAX_PIDS);
        pids[(*count)++] = (u32)pid;
        text = text[length] == '\0' ? NULL : text + length + 1;
    }
    return KOV_OK;
}

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
    int code = parse_pids("--pid", options->pids, request->pids, &request->pid_count);
    if (code == KOV_OK)
        code = parse_pids("--except-pid", options->except_pids, request->except_pids,
                          &request->except_count);
    return code;
}

int sampling_start(const struct sampling_request *wanted)
{
    Orrery__Dci__SamplingStartRequest body = ORRERY__DCI__SAMPLING_START_REQUEST__INIT;
    body.event = ORRERY__DCI__PMU_EVENT__PMU_EVENT_CYCLES;
    body.callers = wanted->callers;
    body.period = wanted->period;
    body.randomise = wanted->randomise;
    body.cpu_mask = wanted->cpu_mask;
    body.n_pids = wanted->pid_count;
    body.pids = (u32 *)wanted->pids;
    body.n_except_pids = wanted->except_count;
    body.except_pids = (u32 *)wanted->except_pids;
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
