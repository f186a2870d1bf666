// SPDX-License-Identifier: MIT
// Runs the real server, loop and all, in a thread that moves only when a test lets it: in
// server_round. Between rounds the test changes the made-up machine and plays the clients.
#ifndef TESTS_DCI_HARNESS_H
#define TESTS_DCI_HARNESS_H

#include "machine.h"

#include <host/dci.pb-c.h>
#include <orrery/errors.h>
#include <orrery/types.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

typedef Orrery__Dci__Request request_t;
typedef Orrery__Dci__ServerFrame answer_t;

#define OBSERVER_TOKEN "look"
#define CONTROLLER_TOKEN "touch"

struct peer; // one made-up viewer

// Starts the server at the first call; later ones check that all clients are gone. For group
// set-up.
int server_start(void **state);
// Lets the server go through its loop once, or until it wants to sleep.
void server_round(void);
void server_settle(void);
void time_pass(u64 milliseconds); // and settles

// Connects. room: bytes that the connection takes before it is full, UINT64_MAX for no end.
struct peer *peer_connect(u64 room);
struct peer *peer_connect_as(const char *token);   // settled, hello done
void peer_give_room(struct peer *peer, u64 bytes); // the viewer has read something
void peer_send(struct peer *peer, const void *bytes, u64 count);
void peer_hang_up(struct peer *peer);      // and settles; peer must not be used any more
void peer_finish(struct peer *peer);       // it sends no more, but reads on; settles
void peers_come_from(u32 address);         // those that connect from now on
bool peer_closed(const struct peer *peer); // by the server, in order
bool peer_aborted(const struct peer *peer);
u64 peer_unread(const struct peer *peer); // bytes sent by the server and not taken by peer_next

void peer_request(struct peer *peer, request_t *request);
// The next whole frame, or NULL. Free with answer_free. Fails the test when it cannot be decoded.
answer_t *peer_next(struct peer *peer);
void answer_free(answer_t *answer);
// Sends, settles, and returns the next frame's error, which must be a response to it.
s64 peer_ask(struct peer *peer, request_t *request);
// The same, and returns the response (not NULL).
answer_t *peer_answer(struct peer *peer, request_t *request);

// REQUEST(HELLO, hello, &body): a request with id 7 and this body.
#define REQUEST(CASE, member, pointer)                                                             \
    (&(request_t){PROTOBUF_C_MESSAGE_INIT(&orrery__dci__request__descriptor),                      \
                  .id = 7,                                                                         \
                  .body_case = ORRERY__DCI__REQUEST__BODY_##CASE,                                  \
                  {.member = (pointer)}})
#define EMPTY(CASE, member, Type, TYPE)                                                            \
    REQUEST(CASE, member, &(Orrery__Dci__##Type##Request)ORRERY__DCI__##TYPE##_REQUEST__INIT)

#endif
