// SPDX-License-Identifier: MIT
// A sampling session on the machine, and the options that commands with one share.
#ifndef KOV_SAMPLING_H
#define KOV_SAMPLING_H

#include "options.h"
#include "samples.h"

// One cycle event is one nanosecond of the machine's time.
#define SAMPLING_EVENTS_PER_SECOND 1000000000u
#define SAMPLING_RANDOMISE_DEFAULT 10
#define SAMPLING_NOT_GIVEN UINT64_MAX

struct sampling_options {
    u64 frequency; // samples a second and CPU; SAMPLING_NOT_GIVEN
    u64 period;    // events a sample; SAMPLING_NOT_GIVEN
    u64 callers;
    u64 cpu_mask; // 0: all
    u64 randomise;
    const char *pids, *except_pids; // lists; NULL: not given
};
extern struct sampling_options sampling_options;

extern const struct option sampling_option_table[];

#define SAMPLING_MAX_PIDS 32
struct sampling_request {
    u64 period;
    u32 callers, randomise, cpu_mask;
    u32 pids[SAMPLING_MAX_PIDS], except_pids[SAMPLING_MAX_PIDS];
    u32 pid_count, except_count;
};

// From the options; KOV_USAGE when they contradict each other.
int sampling_decide(struct sampling_request *request);

int sampling_start(const struct sampling_request *request);
// Takes what is still on its way, then the final statistics.
int sampling_stop(struct sample_set *set);

#endif
