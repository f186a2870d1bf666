// SPDX-License-Identifier: MIT
// The subscription to the trace, for all that is asked about tracing.
// All of this: the server's thread.
#ifndef DCI_TRACING_H
#define DCI_TRACING_H

#include "client.h"

struct tracing {
    struct client *subscriber; // NULL: nobody takes packets, or it has gone while it is displaced
    u64 pushed_packets
        [ORRERY_MAX_CPUS]; // of the kernel's CPUs, by the present subscription or the last
};
extern struct tracing tracing;

// Begins a packet in the subscriber's queue or, when it is being displaced and does not read, where
// only members get it from. False: there is no room.
bool tracing_packet_begin(struct frame *frame);
void tracing_packet_end(struct frame *frame);

// For a client that is to take the packets, or to throw them away: 0, or E_BUSY with its message.
// A subscription that yields to it is ended until tracing_is_free. yielding: it displaces nobody.
s64 tracing_claim(struct client *client, bool yielding);
bool tracing_is_free(const struct client *client); // nobody is in the way that it has claimed
void tracing_unclaim(const struct client *client); // and it does not take the packets itself

// What members (members.h) and others are told.
bool tracing_yields(const struct client *client); // does it subscribe, and yield?
bool tracing_by_another(const struct client *client);
void tracing_add_began(struct frame *frame); // begins a frame (members_frame) with TraceBegan

#endif
