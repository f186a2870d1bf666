// SPDX-License-Identifier: MIT
// What is sampled while the gateway watches. That is the standing set, which gives way to any other
// session on the machine; then it is what that session samples.
#ifndef KOV_STANDING_H
#define KOV_STANDING_H

#include "gateway/history.h"
#include "samples/decode_sums.h"
#include "samples/sampling.h"

struct standing {
    struct event_list list;
    struct sampled_events events; // of the session that runs
    struct sample_set samples;    // counts by CPU; of samples and sums; those are handed on
    struct stack_numbers stacks;  // of the session that runs
    bool running, mine;
    bool often; // run cycles are sampled often (standing_pace)
    // What was known of run cycles at the last look at the machine's load, and when that was, by
    // clock_now(); whether little ran before it.
    u64 seen_samples, seen_idle;
    double seen_at;
    bool is_quiet;
    char owner[48];          // who samples, if we do not
    double start_again;      // if nothing runs: when, by clock_now()
    u64 received, missed;    // missed: pushes that the gateway had no room for
    char wanted[256];        // the set's events, as `kov record -e` takes them; "": the usual
    struct history *history; // where samples go; NULL: nowhere
    // The machine's clock as last heard; clock_heard is when, by clock_now(). What is played now
    // came clock_late seconds ago.
    u64 clock_ticks, clock_hertz;
    double clock_heard, clock_late;
};

// Joins on a new connection what others sample, or begins the set if nobody does. Returns KOV_OK,
// even if the machine refuses the set (with a warning); else the connection is gone.
int standing_begin(struct standing *standing);
// Forgets what is sampled, since the connection is another one.
void standing_forget(struct standing *standing);
// Begins the set again when that is due.
int standing_attend(struct standing *standing);
// Lets the usual set sample often if somebody looks (a browser, or it is recorded) and the machine
// does something, else rarely. Called once a second.
int standing_pace(struct standing *standing, bool is_watched);
// Takes an event that was pushed.
void standing_take(struct standing *standing, const Orrery__Dci__Event *event);
// Returns the machine's time base at a time by clock_now(), or now, in ticks, as far as we know.
u64 standing_at(const struct standing *standing, double clock);
u64 standing_now(const struct standing *standing);
// Asks for the counters, and ends the cell of history.
int standing_close_cell(struct standing *standing);
// Changes the set to events as -e of `kov record` takes them. With KOV_USAGE or KOV_FAILED the old
// set goes on.
int standing_change(struct standing *standing, const char *events);
void standing_free(struct standing *standing);

#endif
