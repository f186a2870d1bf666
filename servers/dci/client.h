// SPDX-License-Identifier: MIT
// One connected viewer, from accept until everything it held is let go. The server's thread calls
// what is declared here, and so does everything else in this folder that says nothing else.
#ifndef DCI_CLIENT_H
#define DCI_CLIENT_H

#include "frame.h"
#include "walk.h"

#include <net/stream.h>
#include <orrery/errors.h>
#include <orrery/types.h>

struct request_kind;

// A service keeps its own data of each client, indexed by the client's slot.
struct client {
    struct stream *stream; // NULL: the slot is free, or the connection has ended
    u32 number;            // 0: the slot is free
    u32 address;           // IPv4
    dci_Role role;
    u32 wrong_tokens;
    bool finished;          // it sends no more: closed, or half-closed and still reading
    bool closing;           // takes no more requests; closed when the queue is sent
    bool close_after_reply; // closes after the request under way
    bool held_back;         // the stream holds bytes that input has no room for
    bool flooded;           // it has sent too many requests
    // Times are in ticks of the time base.
    u64 next_request; // finished: its next request does not begin before
    u64 finish_by;    // finished: then the rest of its requests is dropped
    u64 connected;
    u64 progress; // when it last took something, or nothing waited
    u64 close_by; // closing: then it is closed

    struct queue queue;
    u8 *input;                    // requests that wait: room for WAITING_BYTES_MAX
    u32 input_first, input_bytes; // offset and length of what waits

    const struct request_kind *request; // under way, or NULL
    u32 request_id;
    struct walk walk;
    char message[200]; // text of its error response

    coid_t object; // its DciClient; 0 in tests

    u64 requests, frames_sent, bytes_sent, stalls;
    bool stalled;
};

struct server_counts {
    u64 accepted, refused, malformed, denied, timed_out;
};
extern struct server_counts server_counts;

// Returns the client in a slot (below SLOTS_MAX), or NULL if it is free.
struct client *client_at(u32 slot);
u32 client_slot(const struct client *client);
// Checks that there is a place for a client that gets this role. Returns 0, or E_LIMIT with the
// client's message.
s64 client_seat(struct client *client, dci_Role role);
u32 clients_without_role(void);
u32 clients_count(void); // with a role or without
#define ADDRESS_TEXT_BYTES 16
void client_address(const struct client *client, char text[ADDRESS_TEXT_BYTES]);
dci_SharingClient client_name(const struct client *client);
extern const struct stream_handlers client_handlers;

// Returns how many bytes of requests may wait. A client without a role has one request to send.
u32 client_input_limit(const struct client *client);

// Respond to the request under way, after queue_prepare for answers. body: the field number in
// Response.body. more: further frames of this response follow.
void client_reply(struct client *client, u32 body, const pb_msgdesc_t *type, const void *message);
void client_frame_begin(struct client *client, struct frame *frame, u32 body);
void client_frame_end(struct client *client, struct frame *frame, bool more);
// Sends a response without a body. error: 0, or an error, told with the text of client_error.
void client_respond(struct client *client, u32 id, s64 error);
// Sends E_LIMIT to a client that has shown a token, with the list of all clients that have a role.
void client_respond_full(struct client *client, u32 id);
// Sets the text of the error response. Returns error. client: NULL if nobody is to be told.
s64 client_error(struct client *client, s64 error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Begins a pushed frame. body: the field number in Event.body. Returns false, and counts a stall,
// if the client's queue is full.
bool client_push_begin(struct client *client, struct frame *frame, u32 body);
void client_push_end(struct client *client, struct frame *frame);
// Pushes a copy of a frame that has ended. Returns false if the queue is full, which is no stall.
bool client_push_copy(struct client *client, const struct frame *frame);
// Pushes a copy of a frame that must not be lost. If there is no room, the client is closed.
void client_tell(struct client *client, const struct frame *frame);

// Takes no more requests, and closes the client once its queue is sent, or some seconds later.
void client_close_soon(struct client *client);
void client_close_after_reply(struct client *client);
// Sends a last response with id 0, and closes the client once it is taken.
void client_close_with(struct client *client, s64 error, const char *message);
// Frees the slot of a client that holds nothing of any service any more.
void client_free(struct client *client);

// Does all that can be done for a client now (turn.c). Returns true if it has done something, so
// that there may be work elsewhere. Returns false if the client waits for bytes, room or time.
bool client_work(struct client *client, u64 now);

#endif
