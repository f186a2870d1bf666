// SPDX-License-Identifier: MIT
// Checks a client's request to sample, and translates it for the system call.
#ifndef DCI_SAMPLING_REQUEST_H
#define DCI_SAMPLING_REQUEST_H

#include "client.h"

#include <dci/dci.pb.h>
#include <orrery/sys.h>

// Checks a request. Returns 0, or E_INVAL with the client's message.
s64 sampling_request_check(struct client *client, const dci_SamplingStartRequest *start);
// Checks the period of event `index`. Returns 0, or E_INVAL with the client's message.
s64 sampling_period_check(struct client *client, u32 index, u64 period, u32 randomise,
                          bool precise);

// Translates a request that has been checked.
void sampling_request_fill(struct sys_sampling *sampling, const dci_SamplingStartRequest *start);

// Returns the reason why the machine refused: its own message, or a text for the error if there is
// none.
const char *sampling_refusal(s64 error, const char *message);

// Returns true if samples of a process are pushed: it is in `pids`, or that is empty, and it is not
// in `except_pids`.
bool sampling_wants(const dci_SamplingStartRequest *start, u32 pid);

#endif
