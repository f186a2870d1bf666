// SPDX-License-Identifier: MIT
#include "shared_session.h"

static u8 space[FRAME_BYTES_MAX] __attribute__((aligned(8)));

_Static_assert(SLOTS_MAX < 64, "a bit for each slot");
_Static_assert(dci_SamplingEnded_reason_tag == dci_TraceEnded_reason_tag &&
                   dci_SamplingEnded_successor_tag == dci_TraceEnded_successor_tag &&
                   dci_SamplingEnded_share_tag == dci_TraceEnded_share_tag &&
                   dci_SamplingEnded_pushed_tag == dci_TraceEnded_pushed_tag,
               "the ends of all sessions are alike");

// ---- members -----------------------------------------------------------------------------------

struct member *shared_member(struct shared_session *session, const struct client *client)
{
    return &session->members[client_slot(client)];
}

static u64 bit_of(const struct client *client)
{
    return 1UL << client_slot(client);
}

bool shared_joined(const struct shared_session *session, const struct client *client)
{
    return (session->joined & bit_of(client)) != 0;
}

// Returns the next client of these slots from this place on, or NULL.
static struct client *next_member(u64 slots, u32 *place)
{
    u64 passed = (1UL << *place) - 1;

    for (u64 rest = slots & ~passed; rest != 0; rest &= rest - 1) {
        struct client *client = client_at((u32)__builtin_ctzl(rest));
        if (client == NULL || client->closing)
            continue;
        *place = client_slot(client) + 1;
        return client;
    }
    return NULL;
}

bool shared_join(struct shared_session *session, const struct client *client, struct forms forms)
{
    if (shared_joined(session, client))
        return false;
    *shared_member(session, client) = (struct member){.forms = forms};
    session->joined |= bit_of(client);
    return true;
}

dci_Share shared_leave(struct shared_session *session, const struct client *client)
{
    dci_Share share = shared_member(session, client)->share;

    *shared_member(session, client) = (struct member){0};
    session->joined &= ~bit_of(client);
    session->told_of &= ~bit_of(client);
    return share;
}

// ---- frames ------------------------------------------------------------------------------------

static bool gets(struct forms forms, enum form form)
{
    return form == FORM_STACKS ? forms.stacks : forms.sums == (form == FORM_SUMS);
}

static bool owner_gets(const struct shared_session *session, enum form form)
{
    return session->owner.client != NULL && gets(session->forms, form);
}

bool shared_gets(struct shared_session *session, const struct client *client, enum form form)
{
    if (session->owner.client == client)
        return owner_gets(session, form);
    return (session->told_of & bit_of(client)) != 0 &&
           gets(shared_member(session, client)->forms, form);
}

bool shared_wanted(struct shared_session *session, enum form form)
{
    const struct client *client;

    if (owner_gets(session, form))
        return true;
    for (u32 place = 0; (client = next_member(session->told_of, &place)) != NULL;)
        if (gets(shared_member(session, client)->forms, form))
            return true;
    return false;
}

void shared_frame(struct frame *frame, u32 body)
{
    frame_event_at(frame, space, body);
}

// Tells a member what it has missed, before it gets anything else. Returns false if there is no
// room.
static bool tell_missed(struct shared_session *session, struct client *client)
{
    struct member *member = shared_member(session, client);
    struct frame frame;

    if (member->missed_told == member->share.missed)
        return true;
    if (!queue_prepare(&client->queue, QUEUE_PUSHES))
        return false;
    frame_event(&frame, &client->queue, session->missed_tag);
    frame_message(&frame, dci_Share_fields, &member->share);
    client_push_end(client, &frame);
    member->missed_told = member->share.missed;
    return true;
}

static void add_to_share(dci_Share *share, bool given, const struct frame *frame, u32 items)
{
    share->given += given ? items : 0;
    share->missed += given ? 0 : items;
    share->missed_bytes += given ? 0 : frame->used;
}

// Gives a frame that has ended to members. Returns false if one that gets this form has missed it.
static bool push_members(struct shared_session *session, const struct frame *frame, u32 items,
                         enum form form)
{
    struct client *client;
    bool all = true;

    for (u32 place = 0; (client = next_member(session->told_of, &place)) != NULL;) {
        struct member *member = shared_member(session, client);
        if (!gets(member->forms, form))
            continue;
        bool given = tell_missed(session, client) && client_push_copy(client, frame);
        add_to_share(&member->share, given, frame, items);
        member->missed_all += given ? 0 : items;
        all &= given;
    }
    return all;
}

bool shared_push_begin(struct shared_session *session, struct frame *frame, u32 body,
                       enum form form, bool may_miss)
{
    if (owner_gets(session, form)) {
        if (client_push_begin(session->owner.client, frame, body))
            return true;
        if (!may_miss)
            return false;
    }
    shared_frame(frame, body);
    return true;
}

bool shared_push_end(struct shared_session *session, struct frame *frame, u32 items, enum form form)
{
    bool given = frame->queue != NULL, missed = !given && owner_gets(session, form);

    if (given)
        client_push_end(session->owner.client, frame);
    else
        frame_end(frame);
    if (given || missed)
        add_to_share(&session->share, given, frame, items);
    return push_members(session, frame, items, form) && !missed;
}

// ---- news --------------------------------------------------------------------------------------

// Tells one client, with its share (NULL: none), and leaves the frame open.
static void tell_one(struct client *client, const struct frame *frame, const dci_Share *share)
{
    struct frame own = *frame;

    if (share != NULL)
        frame_record(&own, dci_TraceEnded_share_tag, dci_Share_fields, share);
    frame_end(&own);
    client_tell(client, &own);
}

void shared_tell(u64 slots, const struct frame *frame)
{
    struct client *client;

    for (u32 place = 0; (client = next_member(slots, &place)) != NULL;)
        tell_one(client, frame, NULL);
}

static void tell_nobody_follows(struct shared_session *session)
{
    struct frame frame;

    if (!session->awaited)
        return;
    shared_frame(&frame, session->ended_tag);
    frame_varint(&frame, dci_TraceEnded_reason_tag, dci_SharingEnd_SHARING_END_FAILED);
    shared_tell(session->joined, &frame);
    session->awaited = false;
}

void shared_tell_began(struct shared_session *session, struct client *client,
                       const struct frame *began)
{
    struct member *member = shared_member(session, client);

    session->told_of |= bit_of(client);
    member->share = (dci_Share){0};
    member->missed_told = 0;
    tell_one(client, began, NULL);
}

// ---- claims ------------------------------------------------------------------------------------

bool owner_yields_to(const struct owner *owner, const struct client *client, bool yielding)
{
    return owner->yielding && !yielding && owner->client != client;
}

bool shared_yields(const struct shared_session *session, const struct client *client)
{
    return session->owner.client == client && session->owner.yielding;
}

bool shared_by_another(const struct shared_session *session, const struct client *client)
{
    return session->state == SHARED_RUNNING && session->owner.client != client;
}

bool shared_is_idle(const struct shared_session *session)
{
    return session->owner.client == NULL && session->successor == NULL && !session->displacing;
}

const struct client *shared_claim(struct shared_session *session, const struct client *client,
                                  bool yielding)
{
    if (shared_is_idle(session))
        return NULL;
    if (session->successor != NULL)
        return session->successor;
    if (!session->displacing && !owner_yields_to(&session->owner, client, yielding))
        return session->owner.client;
    session->successor = client;
    session->successor_name = client_name(client);
    session->displaced.number = 0;
    return NULL;
}

bool shared_displace(struct shared_session *session, const struct client *client)
{
    if (session->successor != client || session->owner.client == NULL || session->displacing ||
        session->state != SHARED_RUNNING)
        return false;
    session->displacing = true;
    session->displaced = session->name;
    return true;
}

bool shared_is_free(const struct shared_session *session, const struct client *client)
{
    return session->successor != client || (session->owner.client == NULL && !session->displacing);
}

void shared_unclaim(struct shared_session *session, const struct client *client)
{
    if (session->successor != client)
        return;
    session->successor = NULL;
    if (!session->displacing)
        tell_nobody_follows(session);
}

// ---- begin and end -----------------------------------------------------------------------------

void shared_start(struct shared_session *session, struct client *client, bool yielding,
                  struct forms forms)
{
    if (session->successor != client)
        session->displaced.number = 0;
    session->successor = NULL;
    session->state = SHARED_STARTING;
    session->owner = (struct owner){.client = client, .yielding = yielding};
    session->name = client_name(client);
    session->forms = forms;
    session->share = (dci_Share){0};
    session->pushed = 0;
}

void shared_started(struct shared_session *session, const struct frame *began)
{
    struct client *client;

    session->state = SHARED_RUNNING;
    session->awaited = false;
    for (u32 place = 0; (client = next_member(session->joined, &place)) != NULL;)
        if (client != session->owner.client)
            shared_tell_began(session, client, began);
}

void shared_add_displaced(struct shared_session *session, struct frame *frame)
{
    if (session->displaced.number != 0)
        frame_record(frame, dci_Response_displaced_tag, dci_SharingClient_fields,
                     &session->displaced);
    session->displaced.number = 0;
}

static dci_SharingEnd reason(const struct shared_session *session)
{
    if (session->displacing)
        return dci_SharingEnd_SHARING_END_DISPLACED;
    // Who goes while the end is being told has stopped it.
    return session->owner.client == NULL && session->state == SHARED_RUNNING
               ? dci_SharingEnd_SHARING_END_OWNER_GONE
               : dci_SharingEnd_SHARING_END_STOPPED;
}

void shared_tell_end(struct shared_session *session, struct frame *frame, bool more)
{
    struct client *client;

    frame_varint(frame, dci_TraceEnded_reason_tag, reason(session));
    if (session->displacing)
        frame_record(frame, dci_TraceEnded_successor_tag, dci_SharingClient_fields,
                     &session->successor_name);
    frame_varint(frame, dci_TraceEnded_pushed_tag, session->pushed);
    frame_varint(frame, dci_TraceEnded_more_tag, more);
    for (u32 place = 0; (client = next_member(session->told_of, &place)) != NULL;)
        tell_one(client, frame, &shared_member(session, client)->share);
    if (session->displacing && session->owner.client != NULL)
        tell_one(session->owner.client, frame, &session->share);
    session->awaited |= session->displacing;
    if (more)
        return;
    session->told_of = 0;
    session->state = SHARED_TOLD;
}

void shared_end(struct shared_session *session)
{
    bool has_begun = session->state != SHARED_STARTING;

    session->owner = (struct owner){0};
    session->state = SHARED_NONE;
    session->displacing = false;
    // One that has not begun was the promised one, though another may follow.
    if (session->successor == NULL || !has_begun)
        tell_nobody_follows(session);
}

bool shared_lose(struct shared_session *session, const struct client *client)
{
    shared_unclaim(session, client);
    if (session->owner.client != client)
        return false;
    session->owner = (struct owner){0};
    return !session->displacing; // a displacement goes on without its owner
}
