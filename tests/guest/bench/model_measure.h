// SPDX-License-Identifier: MIT
// Measures loops with the model unit's counters, on all CPUs at once.
#ifndef GUEST_MODEL_MEASURE_H
#define GUEST_MODEL_MEASURE_H

#include "model_body.h"

struct model_case {
    const char *name;
    model_body *body;
    u64 a, b, c;
    // Events of a turn, and of the loop besides (the window's own not among them); all others are
    // 0. For those with slack any number up to so many more is right. MODEL_CYCLES
    // follows from the others.
    u16 each[MODEL_EVENTS];
    s32 once[MODEL_EVENTS];
    u32 slack[MODEL_EVENTS];
    u32 unknown; // bit n: event n is not compared
    bool ipc;    // has a row of its own
    u32 shorter; // limits are divided by it; 0: they are not
    // Changes in low and high what each and once cannot say; may be NULL.
    void (*adjust)(const struct model_case *one, u64 turns, u64 low[], u64 high[]);
};

#define MODEL_LIMITS 3
u64 model_turns(const struct model_case *one, u32 limit); // of each, > 0
#define MODEL_CASES_MAX 24

// What each CPU counted: found[cpu].events[case][limit][event].
struct model_found {
    u64 events[MODEL_CASES_MAX][MODEL_LIMITS][MODEL_EVENTS];
    u64 errors; // calls that failed
};

// One window of a case on the calling CPU,
// counters programmed and enabled: what each counter counted. Any thread.
void model_window(const struct model_case *one, u64 turns, u64 counts[MODEL_COUNTERS]);

// With which value of a counter the calling CPU's last window opened.
u64 model_window_opened(u64 counter);

// All events that the machine has, of all cases and limits, on all CPUs,
// in as few groups of counters as it takes.
void model_measure(const struct model_case cases[], u32 count, struct model_found found[]);

#endif
