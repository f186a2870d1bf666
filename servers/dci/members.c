// SPDX-License-Identifier: MIT
// Requests to join and to leave a shared session, and the copies for members.
#include "members.h"

#include "sampling.h"
#include "service.h"
#include "tracing.h"

static u8 space[FRAME_BYTES_MAX] __attribute__((aligned(8)));

static const u32 missed_tags[SHARED_KINDS] = {
    [SHARED_SAMPLING] = dci_Event_sampling_missed_tag,
    [SHARED_TRACE] = dci_Event_trace_missed_tag,
};

static struct member members[SLOTS_MAX][SHARED_KINDS];
// A bit for each slot whose client has joined. Each sample that is added up asks for members, who
// mostly are none.
static u64 joined[SHARED_KINDS], told_of[SHARED_KINDS];
_Static_assert(SLOTS_MAX < 64, "a bit for each slot");

static struct member *own(const struct client *client, enum shared kind)
{
    return &members[client_slot(client)][kind];
}

const struct member *member_of(const struct client *client, enum shared kind)
{
    return own(client, kind);
}

// Returns the next member from this place on, or NULL. told: only members that were told of the
// begin.
static struct client *next_member(enum shared kind, bool told, u32 *place)
{
    u64 passed = (1UL << *place) - 1;

    for (u64 rest = (told ? told_of : joined)[kind] & ~passed; rest != 0; rest &= rest - 1) {
        struct client *client = client_at((u32)__builtin_ctzl(rest));
        if (client == NULL || client->closing)
            continue;
        *place = client_slot(client) + 1;
        return client;
    }
    return NULL;
}

// Sets what a client is to a session, and the bits of its slot.
static void set_member(const struct client *client, enum shared kind, struct member member)
{
    u64 bit = 1UL << client_slot(client);

    *own(client, kind) = member;
    joined[kind] = member.joined ? joined[kind] | bit : joined[kind] & ~bit;
    told_of[kind] = member.told ? told_of[kind] | bit : told_of[kind] & ~bit;
}

bool members_any(enum shared kind)
{
    u32 place = 0;
    return next_member(kind, true, &place) != NULL;
}

static bool gets(const struct member *member, enum form form)
{
    return form == FORM_STACKS ? member->stacks : member->sums == (form == FORM_SUMS);
}

bool members_want(enum form form)
{
    const struct client *client;

    for (u32 place = 0; (client = next_member(SHARED_SAMPLING, true, &place)) != NULL;)
        if (gets(own(client, SHARED_SAMPLING), form))
            return true;
    return false;
}

void members_frame(struct frame *frame, u32 body)
{
    frame_event_at(frame, space, body);
}

// ---- copies ------------------------------------------------------------------------------------

static dci_Share share_message(const struct share *share)
{
    return (dci_Share){
        .given = share->given, .missed = share->missed, .missed_bytes = share->missed_bytes};
}

// Tells a member what it has missed, before it gets anything else. Returns false if there is no
// room.
static bool tell_missed(struct client *client, enum shared kind)
{
    struct member *member = own(client, kind);
    struct frame frame;

    if (member->missed_told == member->share.missed)
        return true;
    if (!queue_prepare(&client->queue, QUEUE_PUSHES))
        return false;
    dci_Share message = share_message(&member->share);
    frame_event(&frame, &client->queue, missed_tags[kind]);
    frame_message(&frame, dci_Share_fields, &message);
    client_push_end(client, &frame);
    member->missed_told = member->share.missed;
    return true;
}

bool members_push(enum shared kind, const struct frame *frame, u32 items, enum form form)
{
    struct client *client;
    bool all = true;

    for (u32 place = 0; (client = next_member(kind, true, &place)) != NULL;) {
        struct member *member = own(client, kind);
        if (!gets(member, form))
            continue;
        if (tell_missed(client, kind) && client_push_copy(client, frame)) {
            member->share.given += items;
            continue;
        }
        member->share.missed += items;
        member->share.missed_bytes += frame->used;
        member->missed_all += items;
        all = false;
    }
    return all;
}

void members_tell_one(struct client *client, const struct frame *frame, u32 share_tag,
                      const struct share *share)
{
    struct frame own = *frame; // the caller's frame stays as it is

    if (share_tag != 0) {
        dci_Share message = share_message(share);
        frame_record(&own, share_tag, dci_Share_fields, &message);
    }
    frame_end(&own);
    client_tell(client, &own);
}

void members_tell(enum shared kind, const struct frame *frame, u32 share_tag)
{
    struct client *client;

    for (u32 place = 0; (client = next_member(kind, true, &place)) != NULL;)
        members_tell_one(client, frame, share_tag, &own(client, kind)->share);
}

void members_end(enum shared kind)
{
    struct client *client;

    for (u32 place = 0; (client = next_member(kind, true, &place)) != NULL;) {
        struct member member = *own(client, kind);
        member.told = false;
        set_member(client, kind, member);
    }
}

void members_tell_all(enum shared kind, const struct frame *frame)
{
    struct client *client;

    for (u32 place = 0; (client = next_member(kind, false, &place)) != NULL;)
        members_tell_one(client, frame, 0, NULL);
}

void members_tell_begin_to(struct client *client, enum shared kind, const struct frame *frame)
{
    struct member member = *own(client, kind);

    member.told = true;
    member.share = (struct share){0};
    member.missed_told = 0;
    set_member(client, kind, member);
    members_tell_one(client, frame, 0, NULL);
}

void members_tell_begin(enum shared kind, const struct client *owner, const struct frame *frame)
{
    struct client *client;

    for (u32 place = 0; (client = next_member(kind, false, &place)) != NULL;)
        if (client != owner)
            members_tell_begin_to(client, kind, frame);
}

// ---- requests ----------------------------------------------------------------------------------

static s64 join(struct client *client, enum shared kind)
{
    if (own(client, kind)->joined)
        return client_error(client, E_EXIST, "this client has joined already");
    set_member(client, kind, (struct member){.joined = true});
    return 0;
}

// Ends a membership. Sets *share to the last one, for the answer.
static s64 leave(struct client *client, enum shared kind, dci_Share *share)
{
    const struct member *member = own(client, kind);

    if (!member->joined)
        return client_error(client, E_NOENT, "this client has not joined");
    *share = share_message(&member->share);
    set_member(client, kind, (struct member){0});
    return 0;
}

static s64 sampling_join_begin(struct client *client, const dci_Request *request)
{
    struct frame frame;

    const dci_SamplingJoinRequest *asked = &request->body.sampling_join;
    if (asked->stacks && !asked->sums)
        return client_error(client, E_INVAL, "stacks come with sums only");
    s64 error = join(client, SHARED_SAMPLING);
    if (error != 0)
        return error;
    own(client, SHARED_SAMPLING)->sums = asked->sums;
    own(client, SHARED_SAMPLING)->stacks = asked->stacks;
    dci_SamplingJoinReply reply = {.session = sampling_of_another(client)};
    client_reply(client, dci_Response_sampling_join_tag, dci_SamplingJoinReply_fields, &reply);
    if (reply.session != 0) {
        sampling_add_began(&frame, asked->sums);
        members_tell_begin_to(client, SHARED_SAMPLING, &frame);
        if (asked->stacks)
            sampling_tell_stacks();
    }
    return REQUEST_REPLIED;
}

static s64 sampling_leave_begin(struct client *client, const dci_Request *request)
{
    dci_SamplingLeaveReply reply = {.has_share = true};

    (void)request;
    s64 error = leave(client, SHARED_SAMPLING, &reply.share);
    if (error != 0)
        return error;
    client_reply(client, dci_Response_sampling_leave_tag, dci_SamplingLeaveReply_fields, &reply);
    return REQUEST_REPLIED;
}

static s64 trace_join_begin(struct client *client, const dci_Request *request)
{
    struct frame frame;

    (void)request;
    s64 error = join(client, SHARED_TRACE);
    if (error != 0)
        return error;
    dci_TraceJoinReply reply = {.running = tracing_by_another(client)};
    client_reply(client, dci_Response_trace_join_tag, dci_TraceJoinReply_fields, &reply);
    if (reply.running) {
        tracing_add_began(&frame);
        members_tell_begin_to(client, SHARED_TRACE, &frame);
    }
    return REQUEST_REPLIED;
}

static s64 trace_leave_begin(struct client *client, const dci_Request *request)
{
    dci_TraceLeaveReply reply = {.has_share = true};

    (void)request;
    s64 error = leave(client, SHARED_TRACE, &reply.share);
    if (error != 0)
        return error;
    client_reply(client, dci_Response_trace_leave_tag, dci_TraceLeaveReply_fields, &reply);
    return REQUEST_REPLIED;
}

static void members_release(struct client *client)
{
    for (u32 kind = 0; kind < SHARED_KINDS; kind++)
        set_member(client, (enum shared)kind, (struct member){0});
}

static const struct request_kind kinds[] = {
    REQUEST(sampling_join, dci_Role_ROLE_OBSERVER, sampling_join_begin, NULL),
    REQUEST(sampling_leave, dci_Role_ROLE_OBSERVER, sampling_leave_begin, NULL),
    REQUEST(trace_join, dci_Role_ROLE_OBSERVER, trace_join_begin, NULL),
    REQUEST(trace_leave, dci_Role_ROLE_OBSERVER, trace_leave_begin, NULL),
};

const struct service members_service = {
    .kinds = kinds, .kind_count = ARRAY_SIZE(kinds), .release = members_release};
