// SPDX-License-Identifier: MIT
// The sampling session, for other services.
#ifndef DCI_SAMPLING_H
#define DCI_SAMPLING_H

#include "shared_session.h"

extern struct shared_session sampling_shared;

// Ends another client's session if it yields, for a use that is no sampling. Returns true if it
// did.
bool sampling_give_way(const struct client *client);
// Returns the session that another client has, or 0.
u64 sampling_of_another(const struct client *client);
// Begins a frame (shared_frame) with the SamplingBegan of the running session. sums: for one that
// gets sums, to which those that are not pushed yet are still to come.
void sampling_add_began(struct frame *frame, bool sums);
// Lets all stacks be told again with the next sums, since somebody does not know them.
void sampling_tell_stacks(void);

#endif
