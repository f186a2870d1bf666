// SPDX-License-Identifier: MIT
// Runs a whole sampling session: for some seconds, or while a workload runs.
#ifndef KOV_SAMPLING_WINDOW_H
#define KOV_SAMPLING_WINDOW_H

#include "machine/snapshot.h"
#include "machine/workload.h"
#include "samples/frequency.h"
#include "samples/sampling.h"
#include "tools/clock.h"

#define SAMPLING_WINDOW_SECONDS 5

struct sampling_window {
    struct sampling_request request; // what sampling_choose made
    struct frequency frequency;
    struct workload_watch watch; // called during the window
    struct snapshot snapshot;
    struct sample_set samples;
    struct workload_result workload;
    double scan_at, scan_pause; // of a measured program: when the next scan is due; 0: none yet
    double begin;               // by clock_now(); 0: not begun
    double seconds;             // how long it took
};

// Samples for `duration` seconds. If that is 0, it samples as long as the workload runs, or
// SAMPLING_WINDOW_SECONDS without one. It scans before and after, so that objects that begin or end
// meanwhile have names, too. It takes up a lost connection again. Returns an exit code.
int sampling_window_run(const struct arguments *arguments, double duration,
                        struct sampling_window *window);
void sampling_window_free(struct sampling_window *window);

// Adds a measured program that has started to what is known of the machine: it may be in neither
// the scan before nor that after. Returns false if there is none.
bool sampling_name_program(const struct program *program, struct snapshot *snapshot);

#endif
