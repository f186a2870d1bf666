// SPDX-License-Identifier: MIT
// Clients: accepting, sending what waits, timing out, letting go.
#include "client.h"

#include "input.h"
#include "registry.h"
#include "requests.h"
#include "round.h"

#include <orrery/sys.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <trace/events.h>

struct server_counts server_counts;

static struct client clients[SLOTS_MAX];
static u8 inputs[SLOTS_MAX][WAITING_BYTES_MAX];

struct client *client_at(u32 index)
{
    return clients[index].number != 0 ? &clients[index] : NULL;
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

// Of the address that has most connections without a role the oldest one: whoever means it well has said hello by
// then, and processes inside the machine do not crowd out those outside.
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

static struct client *free_slot(void)
{
    for (u32 i = 0; i < SLOTS_MAX; i++)
        if (clients[i].number == 0)
            return &clients[i];
    return NULL;
}

// ---- the stream's handlers ---------------------------------------------------------------------

// A response, and the end. When even memory for that is short, only the end.
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

static void release(struct client *client);

static struct client *place_for(struct stream *stream)
{
    if (clients_without_role() == STRANGERS_MAX) {
        struct client *client = most_dispensable();
        if (client->stream != NULL)
            refuse(client->stream);
        release(client);
    }
    struct client *slot = free_slot();
    if (slot == NULL)
        refuse(stream);
    return slot;
}

static void *on_accept(struct stream *stream, u32 address)
{
    struct client *client = place_for(stream);

    if (client == NULL)
        return NULL;
    memset(client, 0, sizeof(*client));
    client->stream = stream;
    client->input = inputs[client - clients];
    client->address = address;
    client->number = (u32)++server_counts.accepted;
    client->connected = client->progress = sys_time();
    registry_add(client);
    trace_dci_connect(client->number);
    return client;
}

// A stranger has one request to send.
static u32 input_limit(const struct client *client)
{
    return client->role == dci_Role_ROLE_NONE ? 4 + REQUEST_BYTES_MAX : WAITING_BYTES_MAX;
}

static u64 on_receive(void *argument, const void *bytes, u64 count)
{
    struct client *client = argument;
    u32 limit = input_limit(client);
    u64 room = client->closing ? 0 : limit - client->input_bytes;
    u64 taken = count < room ? count : room;

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

// What the client held is let go in client_work, outside of the network's callback.
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

    if (bytes == 0) { // the limits rule it out; the client must not wait for an answer
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

static void close_soon(struct client *client)
{
    client->closing = true;
    client->request = NULL;
    client_end_round(client);
    client->input_bytes = 0;
    client->close_by = sys_time() + server_ticks(CLOSE_SECONDS * 1000);
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

static void add_served(struct frame *frame, const struct client *client)
{
    dci_ServedClient served = {.number = client->number, .role = client->role};

    client_address(client, served.address);
    served.seconds = (sys_time() - client->connected) / server_ticks(1000);
    frame_record(frame, dci_Response_served_tag, dci_ServedClient_fields, &served);
}

void client_respond_full(struct client *client, u32 id)
{
    struct frame frame;

    if (!queue_prepare(&client->queue, QUEUE_ANSWERS))
        return;
    frame_response(&frame, &client->queue, id, 0);
    for (u32 i = 0; i < SLOTS_MAX; i++)
        if (clients[i].number != 0 && clients[i].role != dci_Role_ROLE_NONE)
            add_served(&frame, &clients[i]);
    end_response(client, &frame, E_LIMIT);
}

void client_close_with(struct client *client, s64 error, const char *message)
{
    client_error(client, error, "%s", message);
    client_respond(client, 0, error);
    close_soon(client);
}

void client_end_round(struct client *client)
{
    round_end(client->round);
    client->round = NULL;
}

// ---- its turn ----------------------------------------------------------------------------------

static void release(struct client *client)
{
    tracing_release(client);
    sampling_release(client);
    counting_release(client);
    exclusion_release(client);
    dref_release(client);
    sleep_locks_release(client);
    runs_release(client);
    client_end_round(client);
    if (client->queue.bytes > 0)
        trace_dci_drop(client->number, client->queue.bytes);
    queue_clear(&client->queue);
    trace_dci_disconnect(client->number);
    registry_remove(client);
    client->stream = NULL;
    client->number = 0;
}

static void abort_client(struct client *client)
{
    stream_abort(client->stream);
    release(client);
}

// A client that sends no more gets what it has asked for, but nothing that would come by itself.
static void finish(struct client *client)
{
    if (!client->finished || client->closing || client->request != NULL ||
        input_has_request(client))
        return;
    close_soon(client);
    client->close_by = client->finish_by;
}

static bool send_waiting(struct client *client)
{
    const u8 *bytes;
    bool any = false;

    for (;;) {
        u32 count = queue_front(&client->queue, &bytes);
        u64 sent = count == 0 ? 0 : stream_send(client->stream, bytes, count);
        if (sent == 0)
            return any;
        queue_remove(&client->queue, (u32)sent);
        any = true;
    }
}

// Returns false when the client is gone.
static bool keep_time(struct client *client, u64 now)
{
    if (client->queue.bytes == 0)
        client->progress = now;
    if (client->closing && client->queue.bytes == 0) {
        stream_close(client->stream);
        release(client);
        return false;
    }
    bool stuck = now > client->progress + server_ticks(IDLE_SECONDS * 1000);
    bool late = (client->closing && now > client->close_by) ||
                (client->finished && now > client->finish_by);
    if (stuck || late) {
        server_counts.timed_out++;
        abort_client(client);
        return false;
    }
    if (client->role == dci_Role_ROLE_NONE && !client->closing &&
        now > client->connected + server_ticks(HELLO_SECONDS * 1000)) {
        server_counts.timed_out++;
        client_close_with(client, E_TIMEOUT, "no role: say hello with a token");
    }
    return true;
}

// Lets the stream offer again what it had to keep.
static void resume(struct client *client)
{
    if (client->held_back && !client->closing && client->input_bytes < input_limit(client)) {
        client->held_back = false;
        stream_resume(client->stream);
    }
}

// Whoever has sent its last may have gone. Then what is sent to it comes back as a reset, some time before the network
// takes no more; so the next of its requests waits for a moment, and until the answers so far are out.
static bool may_begin(const struct client *client)
{
    if (!client->finished || client->request != NULL)
        return true;
    return client->queue.bytes == 0 && sys_time() >= client->next_request;
}

bool client_work(struct client *client, u64 now)
{
    u64 end = sys_time() + server_ticks(TURN_MS);
    bool busy = true, any = false;

    for (u32 i = 0; i < STEPS_A_TURN && busy && client->stream != NULL && sys_time() < end; i++) {
        busy = !client->closing && may_begin(client) && input_step(client);
        if (client->close_after_reply && !client->closing)
            close_soon(client);
        busy |= send_waiting(client);
        resume(client);
        any |= busy;
    }
    if (client->stream != NULL && client->flooded && !client->closing)
        client_close_with(client, E_LIMIT, "more requests wait than are kept: wait for answers");
    if (client->stream != NULL)
        finish(client);
    if (client->stream == NULL)
        release(client);
    else if (keep_time(client, now))
        return any; // once more: a request may have begun pushes
    return true;    // and letting go leaves work
}
