// SPDX-License-Identifier: MIT
// Members: clients that have joined what another one samples or traces. Each gets copies of what
// the owner is pushed, as its own queue has room; what it misses is counted for it alone.
// All of this: the server's thread.
#ifndef DCI_MEMBERS_H
#define DCI_MEMBERS_H

#include "client.h"

// What runs once and is shared.
enum shared { SHARED_SAMPLING, SHARED_TRACE, SHARED_KINDS };

// Of one session: samples or packets that a client was given, and those it had no room for.
struct share {
    u64 given, missed, missed_bytes;
};

struct member {
    bool joined;
    bool told; // that what runs has begun, and gets copies of it
    struct share share;
    u64 missed_told; // of the share
    u64 missed_all;  // since it joined
};

const struct member *member_of(const struct client *client, enum shared kind);
bool members_any(enum shared kind);

// Begins an event that belongs to no queue yet. There is space for one at a time.
void members_frame(struct frame *frame, u32 body);

// Gives a frame that has ended, with so many samples or packets, to those that were told of the
// begin.
void members_push(enum shared kind, const struct frame *frame, u32 items);

// What follows is given a frame of members_frame, which is open, and goes on to be.
// A session has begun: all members but its owner are told, and have their shares of it from now on.
void members_tell_begin(enum shared kind, const struct client *owner, const struct frame *frame);
void members_tell_begin_to(struct client *client, enum shared kind, const struct frame *frame);
// Something about the session. share_tag: the field in which each finds its share; 0: none.
void members_tell(enum shared kind, const struct frame *frame, u32 share_tag);
// This was the last of the session that they are told.
void members_end(enum shared kind);
// All members: no session has begun.
void members_tell_all(enum shared kind, const struct frame *frame);
// One client, which needs not be a member.
void members_tell_one(struct client *client, const struct frame *frame, u32 share_tag,
                      const struct share *share);

#endif
