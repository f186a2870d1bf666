// SPDX-License-Identifier: MIT
// A client's turn: its requests, sending, time limits, letting go.
#include "input.h"
#include "service.h"

#include <orrery/sys.h>

static void release(struct client *client)
{
    services_release(client);
    client_free(client);
}

// Closes a client that sends no more, once it has the answers to all its requests. It gets nothing
// that would come by itself.
static void finish(struct client *client)
{
    if (!client->finished || client->closing || client->request != NULL ||
        input_has_request(client))
        return;
    client_close_soon(client);
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

// Enforces the time limits. Returns false if the client is gone.
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
        stream_abort(client->stream);
        release(client);
        return false;
    }
    if (client->role == dci_Role_ROLE_NONE && !client->closing &&
        now > client->connected + server_ticks(HELLO_SECONDS * 1000)) {
        server_counts.timed_out++;
        client_close_with(client, E_TIMEOUT, "no role: say hello with a token");
    }
    return true;
}

// Returns true if the client's next request may begin. A client that sends no more may be gone.
// Then bytes that are sent to it come back as a reset, some time before the network takes no more.
// So its next request waits for a moment, and until the answers so far are out.
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
            client_close_soon(client);
        busy |= send_waiting(client);
        if (client->held_back &&
            (client->closing || client->input_bytes < client_input_limit(client))) {
            client->held_back = false;
            stream_resume(client->stream); // it offers again the bytes that it had to keep
        }
        any |= busy;
    }
    if (client->stream != NULL && client->flooded && !client->closing)
        client_close_with(client, E_LIMIT, "more requests wait than are kept: wait for answers");
    if (client->stream != NULL)
        finish(client);
    if (client->stream == NULL)
        release(client);
    else if (keep_time(client, now))
        return any; // true: a request may have begun pushes
    return true;    // letting go leaves work
}
