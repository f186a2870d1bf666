// SPDX-License-Identifier: MIT
// The subscription to the trace, for the other files about tracing.
#ifndef DCI_TRACING_H
#define DCI_TRACING_H

#include "shared_session.h"

struct tracing {
    struct shared_session shared; // its owner is the subscriber
    // The kernel's packets of each CPU that the present or the last subscription has pushed.
    u64 pushed_packets[ORRERY_MAX_CPUS];
};
extern struct tracing tracing;

// Begins a packet in the subscriber's queue. If the subscriber is being displaced and does not
// read, begins one for members only. Returns false if there is no room.
bool tracing_packet_begin(struct frame *frame);
void tracing_packet_end(struct frame *frame);

// Claims the packets for a client that will take them or throw them away. A yielding subscription
// of another client is then ended; tracing_is_free tells when. yielding: the client displaces
// nobody. Returns 0, or E_BUSY with the client's message.
s64 tracing_claim(struct client *client, bool yielding);
// Returns true if nobody is in the way of the client's claim.
bool tracing_is_free(const struct client *client);
// Gives up the claim of a client that does not take the packets itself.
void tracing_unclaim(const struct client *client);

// Begins a frame (shared_frame) with the TraceBegan of the subscription.
void tracing_add_began(struct frame *frame);

// Adds a part of the counts of the walk's scope, as fields of a TraceStatReply (tracing_counts.c).
// mask: the kernel's. Returns REQUEST_GOES_ON after a part, REQUEST_REPLIED after the last one, or,
// with nothing added, REQUEST_WAITS or an error.
s64 trace_counts_walk(struct walk *walk, struct frame *frame, u64 mask);

#endif
