// SPDX-License-Identifier: MIT
// The sampling session, for those who ask about it or have joined it. The server's thread.
#ifndef DCI_SAMPLING_H
#define DCI_SAMPLING_H

#include "client.h"

bool sampling_yields(const struct client *client); // has it a session that yields?
// Ends the session of another client, if it yields, for what is no sampling. Was there one?
bool sampling_give_way(const struct client *client);
// The session that another client has; 0: none has.
u64 sampling_of_another(const struct client *client);
// Begins a frame (members_frame) with SamplingBegan of the session that runs.
void sampling_add_began(struct frame *frame);

#endif
