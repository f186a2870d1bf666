// SPDX-License-Identifier: MIT
// Requests to join and to leave a shared session.
#include "sampling.h"
#include "service.h"
#include "tracing.h"

static s64 join(struct client *client, struct shared_session *session, struct forms forms)
{
    return shared_join(session, client, forms)
               ? 0
               : client_error(client, E_EXIST, "this client has joined already");
}

static s64 sampling_join_begin(struct client *client, const dci_Request *request)
{
    struct frame frame;

    const dci_SamplingJoinRequest *asked = &request->body.sampling_join;
    if (asked->stacks && !asked->sums)
        return client_error(client, E_INVAL, "stacks come with sums only");
    s64 error = join(client, &sampling_shared,
                     (struct forms){.sums = asked->sums, .stacks = asked->stacks});
    if (error != 0)
        return error;
    dci_SamplingJoinReply reply = {.session = sampling_of_another(client)};
    client_reply(client, dci_Response_sampling_join_tag, dci_SamplingJoinReply_fields, &reply);
    if (reply.session != 0) {
        sampling_add_began(&frame, asked->sums);
        shared_tell_began(&sampling_shared, client, &frame);
        if (asked->stacks)
            sampling_tell_stacks();
    }
    return REQUEST_REPLIED;
}

static s64 trace_join_begin(struct client *client, const dci_Request *request)
{
    struct frame frame;

    (void)request;
    s64 error = join(client, &tracing.shared, (struct forms){0});
    if (error != 0)
        return error;
    dci_TraceJoinReply reply = {.running = shared_by_another(&tracing.shared, client)};
    client_reply(client, dci_Response_trace_join_tag, dci_TraceJoinReply_fields, &reply);
    if (reply.running) {
        tracing_add_began(&frame);
        shared_tell_began(&tracing.shared, client, &frame);
    }
    return REQUEST_REPLIED;
}

// Both answers are alike.
static s64 leave_begin(struct client *client, const dci_Request *request)
{
    bool is_trace = request->which_body == dci_Request_trace_leave_tag;
    struct shared_session *session = is_trace ? &tracing.shared : &sampling_shared;

    if (!shared_joined(session, client))
        return client_error(client, E_NOENT, "this client has not joined");
    dci_SamplingLeaveReply reply = {.has_share = true, .share = shared_leave(session, client)};
    client_reply(client, is_trace ? dci_Response_trace_leave_tag : dci_Response_sampling_leave_tag,
                 dci_SamplingLeaveReply_fields, &reply);
    return REQUEST_REPLIED;
}

static void members_release(struct client *client)
{
    shared_leave(&sampling_shared, client);
    shared_leave(&tracing.shared, client);
}

static const struct request_kind kinds[] = {
    REQUEST(sampling_join, dci_Role_ROLE_OBSERVER, sampling_join_begin, NULL),
    REQUEST(sampling_leave, dci_Role_ROLE_OBSERVER, leave_begin, NULL),
    REQUEST(trace_join, dci_Role_ROLE_OBSERVER, trace_join_begin, NULL),
    REQUEST(trace_leave, dci_Role_ROLE_OBSERVER, leave_begin, NULL),
};

const struct service members_service = {
    .kinds = kinds, .kind_count = ARRAY_SIZE(kinds), .release = members_release};
