// SPDX-License-Identifier: MIT
// A connection that is lost is taken up again: servers of the machine may be
// restarted under a viewer.
#ifndef KOV_RESUME_H
#define KOV_RESUME_H

#include <orrery/types.h>

// Does on the new connection what has to be done again: start sampling, subscribe … An exit code;
// anything but KOV_OK makes kov try again.
typedef int resume_handler(void *context);

// From here on dci_call and dci_listen do not fail when the connection is lost, as long as a new
// one can be had within settings.reconnect seconds; a call is then made again. Without effect with
// --no-reconnect.
void resume_begin(resume_handler *handler, void *context);
// A handler where there is nothing to do again.
int resume_nothing(void *context);
void resume_end(void);
bool resume_possible(void);
// Gets a new connection; KOV_OK, or the failure of the last attempt, with messages.
int resume(void);

// How often that was done, and for how long there was no connection, seconds.
struct resume_account {
    u64 times;
    double seconds;
};
const struct resume_account *resume_account(void);
// A line of text about it; nothing when it never was.
void resume_print(void);

#endif
