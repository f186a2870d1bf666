// SPDX-License-Identifier: MIT
// A sampling session on the machine, and its command-line options.
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
    struct texts events; // each "EVENT[:u|:k][@PERIOD],…"; none: run cycles
    u64 frequency;       // samples a second, for events without a period; SAMPLING_NOT_GIVEN
    u64 period;          // events from one sample to the next, for events without one of their own;
                         // SAMPLING_NOT_GIVEN
    bool precise;
    u64 callers;
    u64 cpu_mask; // 0: all
    u64 randomise;
    const char *pids, *except_pids; // lists; NULL: not given
    const char *configuration;      // name of one that replaces the events; NULL: none
    struct configuration loaded;    // the configuration of that name
};
#define SAMPLING_OPTIONS                                                                           \
    {                                                                                              \
        .frequency = SAMPLING_NOT_GIVEN, .period = SAMPLING_NOT_GIVEN,                             \
        .callers = SAMPLE_MAX_CALLERS, .randomise = SAMPLING_NOT_GIVEN                             \
    }
// The options of the command line.
extern struct sampling_options sampling_options;

extern const struct option sampling_option_table[];

struct sampling_request {
    struct sampled_events events;
    u64 frequency; // samples a second that `kept` events have on the CPU where they come most often
    bool precise;
    bool yielding;      // gives way to any other session
    bool sums;          // the machine sends sums by site (decode_sums.h), no single samples
    bool stacks;        // and sums by stack
    bool with_workload; // one begins with the session, so what comes before says nothing of it
    u32 callers, cpu_mask;
    struct pid_list pids, except_pids;
};

// Takes the events, CPUs and period of the named configuration, where the options do not say them.
// Does nothing when none is named. sampling_decide calls it.
int sampling_take_configuration(struct sampling_options *options);
// Fills in from the options what needs no machine. Returns KOV_USAGE if they contradict each other.
int sampling_decide(struct sampling_options *options, struct sampling_request *request);
// Fills in the events, their thresholds and names, after sampling_decide. Asks the machine if
// events other than run cycles are wanted, and counts those that are kept at a frequency.
int sampling_choose(const struct sampling_options *options, struct sampling_request *request);
// The message for the machine. It points into *request and into itself.
struct sampling_message {
    Orrery__Dci__SamplingStartRequest body;
    Orrery__Dci__SampledEvent events[SAMPLED_EVENTS_MAX], *pointers[SAMPLED_EVENTS_MAX];
};
void sampling_fill(struct sampling_message *message, const struct sampling_request *request);

// Starts the session. From here on the set counts what comes.
int sampling_start(const struct sampling_request *request, struct sample_set *set);
// Gives event `index` of the running session another period. Its random part is as large as was
// wanted, or as fits. The machine tells the session's owner by an event when the change takes
// effect.
int sampling_change(const struct sampling_options *options, u32 index, u64 period);
// The same, for changes that may fail. *error: 0, or why the machine did not change it.
int sampling_try_change(const struct sampling_options *options, u32 index, u64 period, int *error);
// Returns the shortest period that the session can have.
u64 sampling_min_period(const struct sampling_request *request);
// Asks for the statistics of the running session, or of the last one.
int sampling_stat(struct sample_set *set);
// Takes the samples that are still on their way, then the final statistics.
int sampling_stop(struct sample_set *set);

#endif
