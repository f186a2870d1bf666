// SPDX-License-Identifier: MIT
// SIGINT and SIGTERM as a request to end cleanly; a second one ends at once.
#ifndef KOV_INTERRUPT_H
#define KOV_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);
bool interrupted(void);
double interrupt_time(void); // when that was, by clock_now()
// Calls wake in the handler of the signal, for a loop that might look before it and wait after it:
// it may do only what a handler may. NULL: nothing more.
void interrupt_wakes(void (*wake)(void *context), void *context);

// Sleeps, until a signal comes.
void interrupt_sleep(double seconds);

#endif
