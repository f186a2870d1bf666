// SPDX-License-Identifier: MIT
// Lists over the kernel, one process, or all: which process a list is at.
#ifndef DCI_SCOPE_H
#define DCI_SCOPE_H

#include "requests.h"

// Checks a request's scope and stands at its first process. 0 or E_INVAL with a message.
s64 scope_begin(struct client *client, dci_Scope scope, u32 pid);
// Goes on to the next process; false when there is none. client->cursor begins anew.
bool scope_next(struct client *client);

// The end of a process's part of a list: result 0, or the error in its place. An error of its library is
// told in the frame, as ProcessFailure in `field`; a process of many that has ended is left out; any
// other error ends the list. Returns what the step is to return.
s64 scope_conclude(struct client *client, struct frame *frame, u32 field, s64 result);
// Is it an error of its library: it is stuck, or has none?
bool scope_failure(s64 error);

#endif
