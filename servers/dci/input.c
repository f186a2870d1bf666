// SPDX-License-Identifier: MIT
// Cuts the input into frames, decodes requests, checks the role, and has them carried out.
#include "input.h"

#include "service.h"

#include <orrery/sys.h>
#include <pb_decode.h>
#include <string.h>
#include <trace/events.h>

#define FRAME_HEADER 4

static u32 frame_length(const u8 *header)
{
    return (u32)header[0] << 24 | (u32)header[1] << 16 | (u32)header[2] << 8 | header[3];
}

static void malformed(struct client *client, s64 error, const char *message)
{
    server_counts.malformed++;
    client_close_with(client, error, message);
}

// Ends the request under way, if this result of begin or step is a last one.
static void conclude(struct client *client, s64 result)
{
    if (result == REQUEST_GOES_ON || result == REQUEST_WAITS)
        return;
    if (result != REQUEST_REPLIED)
        client_respond(client, client->request_id, result < 0 ? result : 0);
    client->request = NULL;
    client->next_request = sys_time() + server_ticks(FINISHED_PAUSE_MS);
    walk_end(&client->walk);
}

static s64 begin(struct client *client, const dci_Request *request)
{
    const struct request_kind *kind = request_find(request->which_body);

    if (kind == NULL)
        return client_error(client, E_NOTSUP, "request is not known to this server");
    if (client->role < kind->role) {
        server_counts.denied++;
        return client_error(client, E_PERM, "%s needs the %s's token", kind->name,
                            kind->role == dci_Role_ROLE_CONTROLLER ? "controller" : "observer");
    }
    client->request = kind;
    client->walk = (struct walk){0};
    return kind->begin != NULL ? kind->begin(client, request) : REQUEST_GOES_ON;
}

static void take_request(struct client *client, const u8 *bytes, u32 length)
{
    static dci_Request request; // too large for a stack; there is one thread
    request = (dci_Request)dci_Request_init_zero;
    pb_istream_t in = pb_istream_from_buffer(bytes, length);

    // All fields have their default values already.
    if (!pb_decode_ex(&in, dci_Request_fields, &request, PB_DECODE_NOINIT)) {
        malformed(client, E_PROTO, "frame is no request");
        return;
    }
    if (request.id == 0) {
        malformed(client, E_PROTO, "request has no id");
        return;
    }
    client->requests++;
    client->request_id = request.id;
    client->message[0] = 0;
    trace_dci_request(client->number, request.which_body, length);
    conclude(client, begin(client, &request));
}

static bool bad_length(u32 length)
{
    return length == 0 || length > REQUEST_BYTES_MAX;
}

bool input_has_request(const struct client *client)
{
    if (client->input_bytes < FRAME_HEADER)
        return false;
    u32 length = frame_length(client->input + client->input_first);
    return bad_length(length) || client->input_bytes >= FRAME_HEADER + length;
}

// Takes the first frame out of the input and begins its request. The frame leaves the input first,
// because closing a client clears the input.
static void take_frame(struct client *client)
{
    static u8 bytes[REQUEST_BYTES_MAX];
    const u8 *frame = client->input + client->input_first;
    u32 length = frame_length(frame);

    if (bad_length(length)) {
        malformed(client, length == 0 ? E_PROTO : E_LIMIT,
                  length == 0 ? "empty frame" : "frame is longer than requests may be");
        return;
    }
    memcpy(bytes, frame + FRAME_HEADER, length);
    client->input_first += FRAME_HEADER + length;
    client->input_bytes -= FRAME_HEADER + length;
    take_request(client, bytes, length);
}

bool input_step(struct client *client)
{
    if (client->request == NULL && !input_has_request(client))
        return false;
    if (!queue_prepare(&client->queue, QUEUE_ANSWERS))
        return false;
    if (client->request == NULL) {
        take_frame(client);
        return true;
    }
    s64 result = client->request->step(client);
    conclude(client, result);
    return result != REQUEST_WAITS;
}
