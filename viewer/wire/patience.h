// SPDX-License-Identifier: MIT
// How long kov waits for the machine of the thread's link. A whole command waits for
// settings.timeout in all, whatever the machine does. Time for which the user has asked (a
// duration, a workload, watching until Ctrl-C) does not count; it is called a window here.
#ifndef KOV_PATIENCE_H
#define KOV_PATIENCE_H

#include <orrery/types.h>

// Makes all of the time available again. Called when a command begins, or a part of one that goes
// on for as long as somebody watches.
void patience_begin(void);
// Returns when the wait that is under way must be over, by clock_now(). Returns 0 when the link is
// over. Every wait for the machine asks this.
double patience_end(void);
// Begins a window of so many seconds; INFINITY: for as long as the user likes. There is one at a
// time. A wait inside the window costs patience only if it outlasts the window. In a window without
// end, each wait may take all that is left.
void patience_window(double seconds);
void patience_window_over(void);
// Begins to take up a lost connection again, which costs no patience. It may take at most so many
// seconds. Outside of windows, that is the limit for all reconnects of a command together.
// patience_end returns when the time is up.
void patience_reconnect(double seconds);
void patience_reconnected(void);

#endif
