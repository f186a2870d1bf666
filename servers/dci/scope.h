// SPDX-License-Identifier: MIT
// Lists over the kernel, one process, or all: walks of requests, and the answers of one.
#ifndef DCI_SCOPE_H
#define DCI_SCOPE_H

#include "round.h"
#include "service.h"

// Checks a request's scope, and begins its walk. 0 or E_INVAL with a message.
s64 scope_begin(struct client *client, dci_Scope scope, u32 pid);

// What a step over processes returns once a frame about a visit is done: its failure, if any, goes
// into the frame as ProcessFailure in `field`. The one process that was asked for and is not there
// is the request's error.
s64 scope_conclude(struct client *client, struct frame *frame, u32 field, struct visit *visit);
// There is no visit: the list is over, or somebody is waited for.
s64 scope_wait(struct client *client, u32 body);

#endif
