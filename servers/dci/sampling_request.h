// SPDX-License-Identifier: MIT
// What a client asks to sample: checked, and put as the machine wants it.
#ifndef DCI_SAMPLING_REQUEST_H
#define DCI_SAMPLING_REQUEST_H

#include "client.h"

#include <dci/dci.pb.h>
#include <orrery/sys.h>

// 0, or E_INVAL with the client's error message set.
s64 sampling_request_check(struct client *client, const dci_SamplingStartRequest *start);
// The same of the period of an event.
s64 sampling_period_check(struct client *client, u32 index, u64 period, u32 randomise,
                          bool precise);

// Of a request that has been checked.
void sampling_request_fill(struct sys_sampling *sampling, const dci_SamplingStartRequest *start);

// Why the machine refused: its own words, or ours where it had none.
const char *sampling_refusal(s64 error, const char *message);

#endif
