// SPDX-License-Identifier: MIT
// A session that runs once and that clients share: sampling, or the subscription to the trace. Its
// owner has asked for it. Members have joined it, and get copies of the frames that the owner is
// pushed, as far as their own queues have room. What somebody misses is counted for it alone. A
// session that yields is ended for another client, its successor.
//
// Here is who may begin, who has to wait and who is told what. The user of this file carries it out
// in the machine, at once or in steps.
#ifndef DCI_SHARED_SESSION_H
#define DCI_SHARED_SESSION_H

#include "bounds.h"
#include "client.h"

// Whose a session is, shared or not.
struct owner {
    struct client *client; // NULL: nobody's
    bool yielding;         // the session is ended for one that does not yield
};

// What of a session a client is pushed. Who gets stacks gets sums, too. A trace has one form.
enum form { FORM_SINGLE, FORM_SUMS, FORM_STACKS };
struct forms {
    bool sums;   // in place of samples
    bool stacks; // and stacks
};

// Shares count the samples or packets that a client got, and those it had no room for.
struct member {
    struct forms forms;
    dci_Share share;
    u64 missed_told; // share.missed, as it was told last
    u64 missed_all;  // of all sessions since it joined
};

enum shared_state {
    SHARED_NONE,
    SHARED_STARTING, // there is an owner; members do not know yet
    SHARED_RUNNING,  // until the end is told
    // Set by the user: the end is being told. Nobody displaces it; who joins waits for the next.
    SHARED_TELLING,
    SHARED_TOLD, // the user tidies up
};

struct shared_session {
    const u32 missed_tag, ended_tag; // field numbers of Event.body: the news of this session

    enum shared_state state;
    struct owner owner;     // nobody's: also if the owner has gone while it is displaced
    dci_SharingClient name; // the owner's, also after it has gone
    struct forms forms;     // that the owner gets
    dci_Share share;        // the owner's
    u64 pushed;             // samples or packets in it, as the user counts

    const struct client *successor; // NULL: nobody waits for the end
    dci_SharingClient successor_name;
    dci_SharingClient displaced; // whose session the successor has ended; number 0: nobody's
    bool displacing;             // it is being ended for a successor, which may have gone since
    bool awaited;                // members were told of a successor, and wait for its begin

    struct member members[SLOTS_MAX];
    // A bit for each slot whose client has joined, or was told of the begin and gets copies. Each
    // sample that is added up asks for members, who mostly are none.
    u64 joined, told_of;
};

// Returns true if a session gives way to another client's.
bool owner_yields_to(const struct owner *owner, const struct client *client, bool yielding);

bool shared_yields(const struct shared_session *session, const struct client *client);
// Returns true if a session of another client runs that this one may be told of.
bool shared_by_another(const struct shared_session *session, const struct client *client);

// ---- claims: what a client wants that only one can do ------------------------------------------

// Claims the session for a client. Returns NULL, or the client that is in the way for good. A
// session that is in the way and yields is then to be ended. yielding: the client displaces nobody.
const struct client *shared_claim(struct shared_session *session, const struct client *client,
                                  bool yielding);
// Begins to displace the session that is in the way of a claim. Returns true if the caller now has
// to end it: to tell the end, and shared_end. Returns false if that is under way, or not the time.
bool shared_displace(struct shared_session *session, const struct client *client);
// Returns true if nobody is in the way of the client's claim.
bool shared_is_free(const struct shared_session *session, const struct client *client);
// Gives up a client's claim, if it has one.
void shared_unclaim(struct shared_session *session, const struct client *client);
// Returns true if nobody has the session, or is about to.
bool shared_is_idle(const struct shared_session *session);

// ---- begin and end -----------------------------------------------------------------------------

// Gives the session to a client whose claim is free. Then it has started, or has not.
void shared_start(struct shared_session *session, struct client *client, bool yielding,
                  struct forms forms);
// Tells members of the begin, with a frame of shared_frame. Their shares begin with this.
void shared_started(struct shared_session *session, const struct frame *began);
// Adds whom the owner has displaced to its response, once.
void shared_add_displaced(struct shared_session *session, struct frame *frame);
// Tells members, and a displaced owner, of the end. The frame has statistics, or nothing yet. more:
// further frames of the end follow.
void shared_tell_end(struct shared_session *session, struct frame *frame, bool more);
// Ends the session, or one that could not start: its owner, if any, has it no longer.
void shared_end(struct shared_session *session);
// Takes a claim and the session from a client that goes. Returns true if the caller now has to end
// the session, which has no owner any more.
bool shared_lose(struct shared_session *session, const struct client *client);

// ---- frames ------------------------------------------------------------------------------------

bool shared_wanted(struct shared_session *session, enum form form);
bool shared_gets(struct shared_session *session, const struct client *client, enum form form);

// Begins an event that belongs to no queue yet. There is space for one at a time.
void shared_frame(struct frame *frame, u32 body);
// Begins a frame in the owner's queue if that is for the owner, else as shared_frame. Returns false
// if the owner has no room; not so if it may miss the frame.
bool shared_push_begin(struct shared_session *session, struct frame *frame, u32 body,
                       enum form form, bool may_miss);
// Gives the frame to whom it belongs. items: the samples or packets in it; each is in one form of
// those that a client gets. Returns false if somebody has missed the frame.
bool shared_push_end(struct shared_session *session, struct frame *frame, u32 items,
                     enum form form);
// Tells the clients of these slots something, with an open frame of shared_frame. It stays open.
void shared_tell(u64 slots, const struct frame *frame);

// ---- members -----------------------------------------------------------------------------------

bool shared_joined(const struct shared_session *session, const struct client *client);
struct member *shared_member(struct shared_session *session, const struct client *client);
// Returns false if the client has joined already.
bool shared_join(struct shared_session *session, const struct client *client, struct forms forms);
// Tells one that has joined of the begin, when a session runs (shared_by_another).
void shared_tell_began(struct shared_session *session, struct client *client,
                       const struct frame *began);
// Ends a membership. Returns its last share.
dci_Share shared_leave(struct shared_session *session, const struct client *client);

#endif
