// SPDX-License-Identifier: MIT
// Clients: their places, the stream's handlers, frames, their end.
#include "client.h"

#include "registry.h"
#include "system.h"

#include <orrery/sys.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <trace/events.h>

struct server_counts server_counts;

static struct client clients[SLOTS_MAX];
static u8 inputs[SLOTS_MAX][WAITING_BYTES_MAX];
static u32 client_count;

u32 clients_count(void)
{
    return client_count;
}

struct client *client_at(u32 slot)
{
    return clients[slot].number != 0 ? &clients[slot] : NULL;
}

u32 client_slot(const struct client *client)
{
    return (u32)(client - clients);
}

// ---- places ------------------------------------------------------------------------------------

static u32 count_with(dci_Role role)
{
    u32 count = 0;

    for (u32 i = 0; i < SLOTS_MAX; i++)
        count += clients[i].number != 0 && clients[i].role == role;
    return count;
}

u32 clients_without_role(void)
{
    return count_with(dci_Role_ROLE_NONE);
}

// Observers leave one place to controllers, who may have them all.
s64 client_seat(struct client *client, dci_Role role)
{
    u32 observers = count_with(dci_Role_ROLE_OBSERVER);
    u32 all = observers + count_with(dci_Role_ROLE_CONTROLLER);

    if (client->role != dci_Role_ROLE_NONE || role == dci_Role_ROLE_NONE)
        return 0;
    if (all == CLIENTS_MAX)
        return client_error(client, E_LIMIT, "%u clients are served already", (unsigned)all);
    if (role == dci_Role_ROLE_OBSERVER && observers == OBSERVERS_MAX)
        return client_error(client, E_LIMIT,
                            "%u observers are served already, and the last place is kept for a "
                            "controller",
                            (unsigned)observers);
    return 0;
}

static u32 strangers_from(u32 address)
{
    u32 count = 0;

    for (u32 i = 0; i < SLOTS_MAX; i++)
        count += clients[i].number != 0 && clients[i].role == dci_Role_ROLE_NONE &&
                 clients[i].address == address;
    return count;
}

// Returns the connection without a role to give up: the oldest one of the address that has most of
// them. A well-behaved client has said hello by then, and processes inside the machine do not crowd
// out clients outside.
static struct client *most_dispensable(void)
{
    struct client *found = NULL;
    u32 most = 0;

    for (u32 i = 0; i < SLOTS_MAX; i++) {
        struct client *client = &clients[i];
        if (client->number == 0 || client->role != dci_Role_ROLE_NONE)
            continue;
        u32 count = strangers_from(client->address);
        if (count > most || (count == most && client->connected < found->connected)) {
            found = client;
            most = count;
        }
    }
    return found;
}

// ---- the stream's handlers ---------------------------------------------------------------------

// Closes a connection, after a response that says why, if there is memory for it.
static void refuse(struct stream *stream)
{
    struct queue queue = {0};
    struct frame frame;
    const u8 *bytes;

    server_counts.refused++;
    if (queue_prepare(&queue, QUEUE_ANSWERS)) {
        frame_response(&frame, &queue, 0, 0);
        frame_end_response(&frame, E_LIMIT, "too many connections: others came before a hello",
                           false);
        u32 count = queue_front(&queue, &bytes);
        stream_send(stream, bytes, count);
    }
    stream_close(stream);
    queue_clear(&queue);
}

// Returns a free slot for a connection, or refuses it and returns NULL.
static struct client *place_for(struct stream *stream)
{
    if (clients_without_role() == STRANGERS_MAX) {
        struct client *client = most_dispensable();
        if (client->stream != NULL)
            refuse(client->stream);
        client_free(client);
    }
    for (u32 i = 0; i < SLOTS_MAX; i++)
        if (clients[i].number == 0)
            return &clients[i];
    refuse(stream);
    return NULL;
}

static void *on_accept(struct stream *stream, u32 address)
{
    struct client *client = place_for(stream);

    if (client == NULL)
        return NULL;
    memset(client, 0, sizeof(*client));
    client->stream = stream;
    client->input = inputs[client_slot(client)];
    client->address = address;
    client->number = (u32)++server_counts.accepted;
    client_count++;
    client->connected = client->progress = sys_time();
    registry_add(client);
    trace_dci_connect(client->number);
    return client;
}

u32 client_input_limit(const struct client *client)
{
    return client->role == dci_Role_ROLE_NONE ? 4 + REQUEST_BYTES_MAX : WAITING_BYTES_MAX;
}

static u64 on_receive(void *argument, const void *bytes, u64 count)
{
    struct client *client = argument;
    u32 limit = client_input_limit(client);
    u64 room = limit - client->input_bytes;
    u64 taken = count < room ? count : room;

    if (client->closing) // nobody reads it; but what is left would make the end a reset
        return count;

    if (client->input_first + client->input_bytes + taken > limit) {
        memmove(client->input, client->input + client->input_first, client->input_bytes);
        client->input_first = 0;
    }
    memcpy(client->input + client->input_first + client->input_bytes, bytes, taken);
    client->input_bytes += (u32)taken;
    client->held_back = taken < count;
    client->flooded = client->held_back && limit == WAITING_BYTES_MAX;
    return taken;
}

static void on_sent(void *argument)
{
    struct client *client = argument;
    client->progress = sys_time();
}

static void on_finished(void *argument)
{
    struct client *client = argument;
    client->finished = true;
    client->finish_by = sys_time() + server_ticks(FINISHED_SECONDS * 1000);
}

// client_work lets go of what the client held, outside the network's callback.
static void on_ended(void *argument)
{
    struct client *client = argument;
    client->stream = NULL;
}

const struct stream_handlers client_handlers = {
    .accept = on_accept,
    .receive = on_receive,
    .sent = on_sent,
    .finished = on_finished,
    .ended = on_ended,
};

// ---- frames for it -----------------------------------------------------------------------------

static void count_frame(struct client *client, u32 bytes)
{
    client->frames_sent++;
    client->bytes_sent += bytes;
}

void client_frame_begin(struct client *client, struct frame *frame, u32 body)
{
    frame_response(frame, &client->queue, client->request_id, body);
}

void client_frame_end(struct client *client, struct frame *frame, bool more)
{
    u32 bytes = frame_end_response(frame, 0, "", more);

    if (bytes == 0) { // the limits rule this out, but the client must not wait for ever
        client_close_with(client, E_LIMIT, "answer does not fit a frame");
        return;
    }
    count_frame(client, bytes);
    trace_dci_response(client->number, bytes, 0);
}

void client_reply(struct client *client, u32 body, const pb_msgdesc_t *type, const void *message)
{
    struct frame frame;

    client_frame_begin(client, &frame, body);
    frame_message(&frame, type, message);
    client_frame_end(client, &frame, false);
}

s64 client_error(struct client *client, s64 error, const char *format, ...)
{
    va_list arguments;

    if (client == NULL)
        return error;
    va_start(arguments, format);
    vsnprintf(client->message, sizeof(client->message), format, arguments);
    va_end(arguments);
    return error;
}

bool client_push_begin(struct client *client, struct frame *frame, u32 body)
{
    bool room = !client->closing && queue_prepare(&client->queue, QUEUE_PUSHES);

    if (room)
        frame_event(frame, &client->queue, body);
    else if (!client->stalled)
        client->stalls++;
    client->stalled = !room;
    return room;
}

void client_push_end(struct client *client, struct frame *frame)
{
    count_frame(client, frame_end(frame));
}

static bool append_copy(struct client *client, const struct frame *frame, enum queue_kind kind)
{
    if (!queue_prepare(&client->queue, kind))
        return false;
    queue_append(&client->queue, frame->base, frame->used);
    count_frame(client, frame->used);
    return true;
}

bool client_push_copy(struct client *client, const struct frame *frame)
{
    return !client->closing && append_copy(client, frame, QUEUE_PUSHES);
}

void client_tell(struct client *client, const struct frame *frame)
{
    if (client->closing || append_copy(client, frame, QUEUE_PUSHES) ||
        append_copy(client, frame, QUEUE_NEWS))
        return;
    client_close_with(client, E_LIMIT, "no room to tell what began and ended");
}

void client_close_after_reply(struct client *client)
{
    client->close_after_reply = true;
}

static void end_response(struct client *client, struct frame *frame, s64 error)
{
    const char *text = client->message[0] != 0 ? client->message : orrery_strerror(error);
    u32 bytes = frame_end_response(frame, error, error == 0 ? "" : text, false);

    count_frame(client, bytes);
    trace_dci_response(client->number, bytes, error);
}

void client_respond(struct client *client, u32 id, s64 error)
{
    struct frame frame;

    if (!queue_prepare(&client->queue, QUEUE_ANSWERS))
        return;
    frame_response(&frame, &client->queue, id, 0);
    end_response(client, &frame, error);
}

void client_address(const struct client *client, char text[ADDRESS_TEXT_BYTES])
{
    u32 address = client->address;

    snprintf(text, ADDRESS_TEXT_BYTES, "%u.%u.%u.%u", (unsigned)(address >> 24),
             (unsigned)(address >> 16 & 0xff), (unsigned)(address >> 8 & 0xff),
             (unsigned)(address & 0xff));
}

dci_SharingClient client_name(const struct client *client)
{
    dci_SharingClient name = {.number = client->number};

    client_address(client, name.address);
    return name;
}

void client_respond_full(struct client *client, u32 id)
{
    struct frame frame;

    if (!queue_prepare(&client->queue, QUEUE_ANSWERS))
        return;
    frame_response(&frame, &client->queue, id, 0);
    for (u32 i = 0; i < SLOTS_MAX; i++) {
        const struct client *one = &clients[i];
        if (one->number == 0 || one->role == dci_Role_ROLE_NONE)
            continue;
        dci_ServedClient served = {.number = one->number, .role = one->role};
        client_address(one, served.address);
        served.seconds = (sys_time() - one->connected) / server_ticks(1000);
        frame_record(&frame, dci_Response_served_tag, dci_ServedClient_fields, &served);
    }
    end_response(client, &frame, E_LIMIT);
}

void client_close_with(struct client *client, s64 error, const char *message)
{
    client_error(client, error, "%s", message);
    client_respond(client, 0, error);
    client_close_soon(client);
}

// ---- its end -----------------------------------------------------------------------------------

void client_close_soon(struct client *client)
{
    client->closing = true;
    client->request = NULL;
    walk_end(&client->walk);
    client->input_bytes = 0;
    client->close_by = sys_time() + server_ticks(CLOSE_SECONDS * 1000);
}

void client_free(struct client *client)
{
    walk_end(&client->walk);
    if (client->queue.bytes > 0)
        trace_dci_drop(client->number, client->queue.bytes);
    queue_clear(&client->queue);
    trace_dci_disconnect(client->number);
    registry_remove(client);
    client->stream = NULL;
    client->number = 0;
    client_count--;
}
