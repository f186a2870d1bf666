// SPDX-License-Identifier: MIT
// Workloads of a machine, whoever started them: when they began and ended, and their own accounts.
// Each is a mark on the strip.
#ifndef KOV_GATEWAY_RUNS_H
#define KOV_GATEWAY_RUNS_H

#include "machine/workload.h"

#define RUNS_KEPT_MAX 256 // so many are remembered; the oldest goes
#define RUN_NAME_BYTES 256

struct machine;

struct run {
    struct workload_result result;
    char name[RUN_NAME_BYTES]; // with its parameters
    u64 begin, end;            // ticks; end: 0 until its account is there
    u64 ended;                 // by the machine; 0: not told
    bool forgotten;            // by the machine, before its account was there
};

struct runs {
    json_t *kinds; // [{name, help}], once known
    struct run runs[RUNS_KEPT_MAX];
    u32 count;
    u64 changes; // number of changes of all this
    double due;  // clock_now of the next look
};

// Asks which there are, after those that run (now: ticks), and once for the kinds of workloads; at
// most twice a second, however many topics need it.
int runs_attend(struct runs *runs, u64 now);
int runs_find(struct runs *runs);        // which there are
int runs_fetch_kinds(struct runs *runs); // unless they are known
int runs_attend_one(struct runs *runs, u64 id, u64 now);
// Starts "NAME key=value …". Returns an exit code. With KOV_OK, *id is the run's number.
int runs_start(struct runs *runs, const char *text, u64 now, u64 *id);
json_t *runs_json(const struct runs *runs, const struct machine *machine);
void runs_marks(const struct runs *runs, const struct machine *machine, json_t *list);
void runs_free(struct runs *runs);

#endif
