// SPDX-License-Identifier: MIT
// Calls of a live machine, while somebody looks. The gateway subscribes to the trace of switches
// and calls, and gives way to any other who does. Then it counts the calls of that one's trace, if
// it has them.
#ifndef KOV_CALL_TRACE_H
#define KOV_CALL_TRACE_H

#include "gateway/call_walk.h"
#include "tools/memory.h"

#include <dci.pb-c.h>

#define CALL_CELLS_MAX 900u  // of a second
#define CALL_TRACE_IDLE 5.0  // seconds without a watcher, after which the trace ends
#define CALL_TRACE_AGAIN 2.0 // seconds until it tries again what was refused

struct call_trace {
    struct call_walk walk;       // while `running`
    struct call_counts *counts;  // of the boot; NULL: nobody has looked
    struct bytes text;           // the trace's metadata
    bool joined;                 // it is a member of the trace
    bool running, mine;          // packets come; of its own subscription
    bool broken;                 // what comes is of no more use
    bool is_late;                // another's trace had begun before
    double watched, start_again; // by clock_now()
    char owner[48];              // who subscribes, if we do not
    char why[256];               // why calls are not counted now; "": they are
};

// Begins to count, and counts what has come. Call it while somebody watches. Cells begin at
// `origin` and are `hertz` ticks long. Returns KOV_OK, even if the machine refuses (`why`); else
// the connection is gone.
int call_trace_attend(struct call_trace *calls, u64 origin, u64 hertz);
// Ends the trace if nobody has watched for long.
int call_trace_rest(struct call_trace *calls);
// Takes an event that was pushed.
void call_trace_take(struct call_trace *calls, const Orrery__Dci__Event *event);
// Forgets the session, since the connection is another one, or is gone. What was counted stays.
void call_trace_reset(struct call_trace *calls);
// Forgets all.
void call_trace_free(struct call_trace *calls);

#endif
