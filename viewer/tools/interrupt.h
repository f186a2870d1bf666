// SPDX-License-Identifier: MIT
// Takes SIGINT and SIGTERM as a request to end cleanly. A second one ends the program at once.
#ifndef KOV_INTERRUPT_H
#define KOV_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);
bool interrupted(void);
double interrupt_time(void); // when the signal came, by clock_now()
// Sets what the signal's handler calls, for a loop that might look before the signal and wait after
// it. `wake` may do only what a signal handler may. NULL: nothing.
void interrupt_wakes(void (*wake)(void *context), void *context);

// Sleeps for that long, or until a signal comes.
void interrupt_sleep(double seconds);

#endif
