// SPDX-License-Identifier: MIT
// How long kov waits for the machine of the thread's link: settings.timeout in all, for a whole
// command, whatever the machine does. Time for which the user has asked (a duration, a workload,
// watching until Ctrl-C) is no wait; such a stretch is a window here.
#ifndef KOV_PATIENCE_H
#define KOV_PATIENCE_H

#include <orrery/types.h>

// A command begins, or a part of one that goes on for as long as somebody watches: all
// of the time is there again.
void patience_begin(void);
// When the wait that is under way must be over, by clock_now(): long ago when the link is over.
// Every wait for the machine asks this.
double patience_end(void);
// A window of so many seconds, INFINITY: for as long as the user likes. One at a time. What is
// asked of the machine meanwhile costs no patience unless it outlasts the window; in one without
// end each wait may take what is left.
void patience_window(double seconds);
void patience_window_over(void);
// A lost connection is being taken up again, which costs no patience: for at most so many seconds.
// Outside of windows, that is for all times that a command does so. patience_end tells when.
void patience_reconnect(double seconds);
void patience_reconnected(void);

#endif
