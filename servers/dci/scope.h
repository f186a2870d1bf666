// SPDX-License-Identifier: MIT
// Requests over a scope: the kernel, one process, or all.
#ifndef DCI_SCOPE_H
#define DCI_SCOPE_H

#include "round.h"
#include "service.h"

// Checks a request's scope, and begins its walk. Returns 0, or E_INVAL with a message.
s64 scope_begin(struct client *client, dci_Scope scope, u32 pid);

// Ends a frame about a visit, and the visit. Adds its failure, if any, as ProcessFailure in
// `field`. Returns the result of the step. If the request asks for one process and it does not
// exist, that is the request's error.
s64 scope_conclude(struct client *client, struct frame *frame, u32 field, struct visit *visit);
// Returns the result of a step without a visit: the list is over, with a last frame, or processes
// are waited for.
s64 scope_wait(struct client *client, u32 body);

#endif
