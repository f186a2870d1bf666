// SPDX-License-Identifier: MIT
// A sampling session from its begin to its end: for some seconds, or while a workload runs.
#ifndef KOV_SAMPLING_WINDOW_H
#define KOV_SAMPLING_WINDOW_H

#include "machine/snapshot.h"
#include "machine/workload.h"
#include "samples/sampling.h"
#include "tools/clock.h"

#define SAMPLING_WINDOW_SECONDS 5

struct sampling_window {
    struct sampling_request request; // what sampling_choose made
    struct workload_watch watch;     // of the window
    struct snapshot snapshot;
    struct sample_set samples;
    struct workload_result workload;
    double begin;   // of clock_now(); 0: not begun
    double seconds; // that it took
};

// Samples for `duration` seconds (0: SAMPLING_WINDOW_SECONDS, or as long as the workload runs),
// with scans before and after, so that objects that end or begin meanwhile have names too. A lost
// connection is taken up again. An exit code.
int sampling_window_run(const struct arguments *arguments, double duration,
                        struct sampling_window *window);
void sampling_window_free(struct sampling_window *window);

#endif
