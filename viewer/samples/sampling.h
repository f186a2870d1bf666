// SPDX-License-Identifier: MIT
// A sampling session on the machine, and the options that commands with one share.
#ifndef KOV_SAMPLING_H
#define KOV_SAMPLING_H

#include "counts/event_configuration.h"
#include "samples/samples.h"
#include "tools/options.h"
#include "tools/pid_list.h"
#include "wire/dci.h"

// One cycle event is one nanosecond of the machine's time.
#define SAMPLING_EVENTS_PER_SECOND 1000000000u
#define SAMPLING_RANDOMISE_DEFAULT 10
#define SAMPLING_NOT_GIVEN UINT64_MAX

struct sampling_options {
    struct texts events; // "EVENT[:u|:k][@PERIOD],…" each; none: run cycles
    u64 frequency;       // of run cycles: samples a second and CPU; SAMPLING_NOT_GIVEN
    u64 period;          // events a sample, where the event has none of its own; SAMPLING_NOT_GIVEN
    bool precise;
    u64 callers;
    u64 cpu_mask; // 0: all
    u64 randomise;
    const char *pids, *except_pids; // lists; NULL: not given
    const char *configuration;      // its name, in place of events; NULL: none
    struct configuration loaded;    // of that name
};
#define SAMPLING_OPTIONS                                                                           \
    {                                                                                              \
        .frequency = SAMPLING_NOT_GIVEN, .period = SAMPLING_NOT_GIVEN,                             \
        .callers = SAMPLE_MAX_CALLERS, .randomise = SAMPLING_NOT_GIVEN                             \
    }
// Those of the command line.
extern struct sampling_options sampling_options;

extern const struct option sampling_option_table[];

struct sampling_request {
    struct sampled_events events;
    bool precise;
    bool yielding; // gives way to whoever samples otherwise
    u32 callers, cpu_mask;
    struct pid_list pids, except_pids;
};

// The events, CPUs and period of the configuration that is named, where the options do not say them
// already. It does nothing when none is named; sampling_decide calls it.
int sampling_take_configuration(struct sampling_options *options);
// From the options, what needs no machine; KOV_USAGE when they contradict each other.
int sampling_decide(struct sampling_options *options, struct sampling_request *request);
// Then the events, their thresholds and names: asks the machine when any but run cycles are wanted.
int sampling_choose(const struct sampling_options *options, struct sampling_request *request);
// The message for the machine; it points into *request and into itself.
struct sampling_message {
    Orrery__Dci__SamplingStartRequest body;
    Orrery__Dci__SampledEvent events[SAMPLED_EVENTS_MAX], *pointers[SAMPLED_EVENTS_MAX];
};
void sampling_fill(struct sampling_message *message, const struct sampling_request *request);

// From here on the set counts what comes.
int sampling_start(const struct sampling_request *request, struct sample_set *set);
// Another period for the running session's event `index`; randomises as much as was wanted, or as
// fits. The machine pushes to its owner when that began.
int sampling_change(const struct sampling_options *options, u32 index, u64 period);
// The shortest period that the session can have.
u64 sampling_min_period(const struct sampling_request *request);
// Asks for the statistics of the session that runs, or of the last one.
int sampling_stat(struct sample_set *set);
// Takes what is still on its way, then the final statistics.
int sampling_stop(struct sample_set *set);

#endif
