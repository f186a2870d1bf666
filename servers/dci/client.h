// SPDX-License-Identifier: MIT
// One connected viewer, from accept until everything it held is let go.
#ifndef DCI_CLIENT_H
#define DCI_CLIENT_H

#include "frame.h"
#include "walk.h"

#include <net/stream.h>
#include <orrery/errors.h>
#include <orrery/types.h>

struct request_kind;

// What a service keeps of a client is in that service, by the client's slot.
struct client {
    struct stream *stream; // NULL: the slot is free, or the connection has ended
    u32 number;            // 0: the slot is free
    u32 address;           // IPv4
    dci_Role role;
    u32 wrong_tokens;
    bool finished;          // it sends no more: closed, or half-closed and still reading
    bool closing;           // no more requests; close when the queue is sent
    bool close_after_reply; // to the request under way
    bool held_back;         // the stream holds bytes that input had no room for
    bool flooded;           // for it has sent too many requests
    u64 next_request;       // finished: not before this time
    u64 finish_by;          // finished: then what is left of its requests is dropped
    u64 connected;          // times
    u64 progress;           // when something was last taken, or nothing waited
    u64 close_by;           // when closing

    struct queue queue;
    u8 *input; // requests that wait, WAITING_BYTES_MAX of them: so their end is seen behind them
    u32 input_first, input_bytes; // where they begin, and how much there is

    // The request under way: NULL when there is none.
    const struct request_kind *request;
    u32 request_id;
    struct walk walk;
    char message[200]; // for its error response

    coid_t object; // in a process: its DciClient, else 0

    u64 requests, frames_sent, bytes_sent, stalls;
    bool stalled;
};

struct server_counts {
    u64 accepted, refused, malformed, denied, timed_out;
};
extern struct server_counts server_counts;

struct client *client_at(u32 slot); // slot < SLOTS_MAX; NULL: it is free
u32 client_slot(const struct client *client);
// Is there a place for one more client with this role? 0, or E_LIMIT with the client's message.
s64 client_seat(struct client *client, dci_Role role);
u32 clients_without_role(void);
#define ADDRESS_TEXT_BYTES 16
void client_address(const struct client *client, char text[ADDRESS_TEXT_BYTES]);
dci_SharingClient client_name(const struct client *client);
extern const struct stream_handlers client_handlers;

// Bytes of requests that may wait: a stranger has one request to send.
u32 client_input_limit(const struct client *client);

// Responses to the request under way. frame: queue_prepare has been called for answers.
void client_reply(struct client *client, u32 body, const pb_msgdesc_t *type, const void *message);
void client_frame_begin(struct client *client, struct frame *frame, u32 body);
void client_frame_end(struct client *client, struct frame *frame, bool more);
// A response without a body. error 0: done; else with the text that client_error has set.
void client_respond(struct client *client, u32 id, s64 error);
// The same for E_LIMIT to somebody who has shown a token: with the list of whom the server serves.
void client_respond_full(struct client *client, u32 id);
// Sets the error response's text; returns error. client NULL: nobody hears it.
s64 client_error(struct client *client, s64 error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A pushed frame: false when its queue is full. It is then that the client stalls.
bool client_push_begin(struct client *client, struct frame *frame, u32 body);
void client_push_end(struct client *client, struct frame *frame);
// A copy of a frame that has ended; false when its queue is full, which is no stall.
bool client_push_copy(struct client *client, const struct frame *frame);
// The same of what must be told: without room even for that, the client is closed.
void client_tell(struct client *client, const struct frame *frame);

// No more requests; it is closed once what waits is sent, or some seconds later.
void client_close_soon(struct client *client);
void client_close_after_reply(struct client *client);
// Sends a last response to no request, and closes once it is taken.
void client_close_with(struct client *client, s64 error, const char *message);
// Its place is free again; it holds nothing of any service.
void client_free(struct client *client);

#endif
