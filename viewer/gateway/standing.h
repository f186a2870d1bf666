// SPDX-License-Identifier: MIT
// What is sampled while the gateway watches: the standing set, which yields to whoever samples the
// machine otherwise, or then what that one samples.
#ifndef KOV_STANDING_H
#define KOV_STANDING_H

#include "gateway/history.h"
#include "samples/sampling.h"

struct standing {
    struct event_list list;
    struct sampled_events events; // of the session that runs
    struct sample_set samples;    // counts by CPU; samples are handed on and forgotten
    bool running, mine;
    char owner[48];          // who samples, when it is not us
    double start_again;      // by clock_now(), when nothing runs
    u64 received, missed;    // missed: pushes for which the gateway had no room
    char wanted[256];        // what the set is, as behind -e of `kov record`; "": the usual one
    struct history *history; // where samples go; NULL: nowhere
    // The machine's clock as last heard, and when that was, by clock_now().
    u64 clock_ticks, clock_hertz;
    double clock_heard;
};

// On a new connection: joins what others sample, and begins the set if nobody does. KOV_OK also
// when the machine refuses the set (a warning tells); else the connection is gone.
int standing_begin(struct standing *standing);
// The connection is another one: nothing is known to be sampled.
void standing_forget(struct standing *standing);
// Begins the set again where that is due.
int standing_attend(struct standing *standing);
// An event that was pushed.
void standing_take(struct standing *standing, const Orrery__Dci__Event *event);
// The machine's time base now, ticks, as far as we know.
u64 standing_now(const struct standing *standing);
// Asks for the counters, and ends the cell of history.
int standing_close_cell(struct standing *standing);
// Another set: events as behind -e of `kov record`. KOV_USAGE or KOV_FAILED: the old one goes on.
int standing_change(struct standing *standing, const char *events);
void standing_free(struct standing *standing);

#endif
