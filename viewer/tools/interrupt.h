// SPDX-License-Identifier: MIT
// SIGINT and SIGTERM as a request to end cleanly; a second one ends at once.
#ifndef KOV_INTERRUPT_H
#define KOV_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);
bool interrupted(void);
double interrupt_time(void); // when that was, by clock_now()

// Sleeps, until a signal comes.
void interrupt_sleep(double seconds);

#endif
