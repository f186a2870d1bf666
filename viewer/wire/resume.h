// SPDX-License-Identifier: MIT
// Takes up a lost connection again: servers of the machine may be restarted under a viewer.
#ifndef KOV_RESUME_H
#define KOV_RESUME_H

#include <orrery/types.h>

// Does again on the new connection what has to be done: start sampling, subscribe … Returns an exit
// code. If it is not KOV_OK, kov tries again.
typedef int resume_handler(void *context);

// Makes dci_call and dci_listen survive a lost connection from here on, if a new one can be had
// within settings.reconnect seconds. The call is then made again. --no-reconnect prevents this.
void resume_begin(resume_handler *handler, void *context);
// Does nothing: the handler for when there is nothing to do again.
int resume_nothing(void *context);
void resume_end(void);
bool resume_possible(void);
// Gets a new connection. Returns KOV_OK, or the failure of the last attempt. Prints messages.
int resume(void);

// How often a connection was taken up again, and for how many seconds there was none.
struct resume_account {
    u64 times;
    double seconds;
};
const struct resume_account *resume_account(void);
// Prints a line about it. Prints nothing if it never happened.
void resume_print(void);

#endif
