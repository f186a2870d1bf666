// SPDX-License-Identifier: MIT
// Clients: accepting, sending what waits, timing out, letting go.
#include "client.h"

#include "ask.h"
#include "input.h"
#include "registry.h"
#include "requests.h"

#include <orrery/sys.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <trace/events.h>

#define STEPS_A_ROUND 16 // of one client, before others have their turn

struct server_counts server_counts;

static struct client clients[CLIENTS_MAX];

struct client *client_at(u32 index)
{
    return clients[index].number != 0 ? &clients[index] : NULL;
}

// ---- the stream's handlers ---------------------------------------------------------------------

static struct client *free_slot(void)
{
    for (u32 i = 0; i < CLIENTS_MAX; i++)
        if (clients[i].number == 0)
            return &clients[i];
    return NULL;
}

// A response, and the end. When even memory for that is short, only the end.
static void refuse(struct stream *stream)
{
    struct queue queue = {0};
    struct frame frame;
    const u8 *bytes;

    server_counts.refused++;
    if (queue_prepare(&queue, QUEUE_ANSWERS)) {
        frame_response(&frame, &queue, 0, 0);
        frame_end_response(&frame, E_LIMIT, "too many clients", false);
        u32 count = queue_front(&queue, &bytes);
        stream_send(stream, bytes, count);
    }
    stream_close(stream);
    queue_clear(&queue);
}

static void *on_accept(struct stream *stream)
{
    struct client *client = free_slot();

    if (client == NULL) {
        refuse(stream);
        return NULL;
    }
    memset(client, 0, sizeof(*client));
    client->stream = stream;
    client->number = (u32)++server_counts.accepted;
    client->connected = client->progress = sys_time();
    registry_add(client);
    trace_dci_connect(client->number);
    return client;
}

static u64 on_receive(void *argument, const void *bytes, u64 count)
{
    struct client *client = argument;
    u64 room = sizeof(client->input) - client->input_bytes;
    u64 taken = count < room ? count : room;

    if (client->closing)
        taken = 0;
    memcpy(client->input + client->input_bytes, bytes, taken);
    client->input_bytes += (u32)taken;
    client->held_back = taken < count;
    return taken;
}

static void on_sent(void *argument)
{
    struct client *client = argument;
    client->progress = sys_time();
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
    client->input_bytes = 0;
    client->close_by = sys_time() + server_ticks(CLOSE_SECONDS * 1000);
}

void client_close_after_reply(struct client *client)
{
    client->close_after_reply = true;
}

void client_respond(struct client *client, u32 id, s64 error)
{
    struct frame frame;

    if (!queue_prepare(&client->queue, QUEUE_ANSWERS))
        return;
    frame_response(&frame, &client->queue, id, 0);
    const char *text = client->message[0] != 0 ? client->message : orrery_strerror(error);
    u32 bytes = frame_end_response(&frame, error, error == 0 ? "" : text, false);
    count_frame(client, bytes);
    trace_dci_response(client->number, bytes, error);
}

void client_close_with(struct client *client, s64 error, const char *message)
{
    client_error(client, error, "%s", message);
    client_respond(client, 0, error);
    close_soon(client);
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
    ask_forget(client);
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
    if (stuck || (client->closing && now > client->close_by)) {
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
    if (client->held_back && !client->closing && client->input_bytes < sizeof(client->input)) {
        client->held_back = false;
        stream_resume(client->stream);
    }
}

bool client_work(struct client *client, u64 now)
{
    bool busy = true, any = false;

    for (u32 i = 0; i < STEPS_A_ROUND && busy && client->stream != NULL; i++) {
        busy = !client->closing && input_step(client);
        if (client->close_after_reply && !client->closing)
            close_soon(client);
        busy |= send_waiting(client);
        resume(client);
        any |= busy;
    }
    if (client->stream == NULL)
        release(client);
    else if (keep_time(client, now))
        return any; // once more: a request may have begun pushes
    return true;    // and letting go leaves work
}
