// SPDX-License-Identifier: MIT
// What is sampled while the gateway watches. That is the standing set, which gives way to any other
// session on the machine; then it is what that session samples.
#ifndef KOV_BACKGROUND_H
#define KOV_BACKGROUND_H

#include "gateway/history.h"
#include "gateway/watching.h"
#include "samples/decode_sums.h"
#include "samples/sampling.h"

struct background {
    struct event_list list;
    struct sampled_events events; // of the session that runs
    struct sample_set samples;    // counts by CPU; of samples and sums; those are handed on
    struct stack_numbers stacks;  // of the session that runs
    bool running, mine;
    bool often; // run cycles are sampled often (background_pace)
    // What was known of run cycles at the last look at the machine's load, and when that was, by
    // clock_now(); whether little ran before it.
    s64 used; // run cycles neither idle nor the monitor's own, since the last look at the load
    bool has_samples;
    double seen_at;
    bool is_quiet;
    char owner[48];          // who samples, if we do not
    double start_again;      // if nothing runs: when, by clock_now()
    u64 received, missed;    // missed: pushes that the gateway had no room for
    char wanted[256];        // the set's events, as `kov record -e` takes them; "": the usual
    struct history *history; // where samples go; NULL: nowhere
    const struct watching *watching; // the monitor's own processes; NULL: they are not known
    // The machine's clock as last heard; clock_heard is when, by clock_now(). What is played now
    // came clock_late seconds ago.
    u64 clock_ticks, clock_hertz;
    double clock_heard, clock_late;
};

// Joins on a new connection what others sample, or begins the set if nobody does. Returns KOV_OK,
// even if the machine refuses the set (with a warning); else the connection is gone.
int background_begin(struct background *background);
// Forgets what is sampled, since the connection is another one.
void background_reset(struct background *background);
// Begins the set again when that is due.
int background_attend(struct background *background);
// Lets the usual set sample often if somebody looks (a browser, or it is recorded) and the machine
// does something other than being watched, else rarely. Called once a second.
int background_pace(struct background *background, bool is_watched);
// Takes an event that was pushed.
void background_take(struct background *background, const Orrery__Dci__Event *event);
// Returns the machine's time base at a time by clock_now(), or now, in ticks, as far as we know.
u64 background_at(const struct background *background, double clock);
u64 background_now(const struct background *background);
// Asks for the counters, and ends the cell of history.
int background_close_cell(struct background *background);
// Changes the set to events as -e of `kov record` takes them. With KOV_USAGE or KOV_FAILED the old
// set goes on.
int background_change(struct background *background, const char *events);
void background_free(struct background *background);

#endif
