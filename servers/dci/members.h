// SPDX-License-Identifier: MIT
// Members: clients that have joined the sampling or the trace of another client, its owner. Each
// gets copies of the frames that the owner is pushed, as far as its own queue has room. What it
// misses is counted for it alone.
#ifndef DCI_MEMBERS_H
#define DCI_MEMBERS_H

#include "client.h"

// The sessions that run once and are shared.
enum shared { SHARED_SAMPLING, SHARED_TRACE, SHARED_KINDS };

// What of a session a client is pushed. Who gets stacks gets sums, too. A trace has one form.
enum form { FORM_SINGLE, FORM_SUMS, FORM_STACKS };

// A client's share of one session: samples or packets that it got, and those it had no room for.
struct share {
    u64 given, missed, missed_bytes;
};

struct member {
    bool joined;
    bool sums;   // gets sums in place of samples
    bool stacks; // and stacks
    bool told;   // has been told of the session's begin, and gets copies
    struct share share;
    u64 missed_told; // share.missed, as it was told last
    u64 missed_all;  // of all sessions since it joined
};

const struct member *member_of(const struct client *client, enum shared kind);
bool members_any(enum shared kind);
// Returns true if a member of sampling that was told of the begin gets this.
bool members_want(enum form form);

// Begins an event that belongs to no queue yet. There is space for one at a time.
void members_frame(struct frame *frame, u32 body);

// Gives a frame that has ended to the members that were told of the begin. items: the samples or
// packets in it; each is in one form of those that a client gets. Returns false if one that gets
// this form has missed the frame.
bool members_push(enum shared kind, const struct frame *frame, u32 items, enum form form);

// The functions below take an open frame of members_frame, and leave it open.

// Tells all members but the owner that a session has begun. Their shares of it begin with this.
void members_tell_begin(enum shared kind, const struct client *owner, const struct frame *frame);
void members_tell_begin_to(struct client *client, enum shared kind, const struct frame *frame);
// Tells the members something about the session. share_tag: the field for each one's share; 0:
// none.
void members_tell(enum shared kind, const struct frame *frame, u32 share_tag);
// Ends the session for its members: they are told nothing more about it.
void members_end(enum shared kind);
// Tells all members something, though no session has begun.
void members_tell_all(enum shared kind, const struct frame *frame);
// Tells one client, which need not be a member.
void members_tell_one(struct client *client, const struct frame *frame, u32 share_tag,
                      const struct share *share);

#endif
