// SPDX-License-Identifier: MIT
// Sends requests to the machine. Takes its answers, and the events that it pushes in between.
// (docs/protocol.md; messages from proto/dci.proto.)
#ifndef KOV_DCI_H
#define KOV_DCI_H

#include "tools/kov.h"
#include "tools/memory.h"

#include <dci.pb-c.h>

typedef Orrery__Dci__Request dci_request;
typedef Orrery__Dci__Response dci_response;
typedef Orrery__Dci__ServerFrame dci_frame;
typedef Orrery__Dci__SystemInfo dci_system_info;

// Opens the connection. Most callers want session.h instead. Returns KOV_OK, or prints the failure
// and returns its code.
int dci_open(void);
void dci_close(void); // also allowed when it is not open

// A handler returns KOV_OK to go on. Any other code ends the call, and the handler has printed its
// message.
typedef int dci_response_handler(void *context, const dci_response *response);
typedef int dci_event_handler(void *context, const Orrery__Dci__Event *event);
typedef void dci_tap(void *context, const struct bytes *payload, const dci_frame *frame);

typedef void dci_request_tap(void *context, const dci_request *request);

// A request with one body. The arguments are the names of its case and of its member, and a pointer
// to the message.
#define DCI_REQUEST(CASE, member, message)                                                         \
    (&(dci_request){.base = PROTOBUF_C_MESSAGE_INIT(&orrery__dci__request__descriptor),            \
                    .body_case = ORRERY__DCI__REQUEST__BODY_##CASE,                                \
                    .member = message})

// Fills in the id of a request, sends it and hands each response to the handler. The handler may be
// NULL if no response carries a body. Each response must carry `body`, or nothing if that is
// ORRERY__DCI__RESPONSE__BODY__NOT_SET. An error answer is printed as "<what>: …".
int dci_call(dci_request *request, int body, const char *what, dci_response_handler *handler,
             void *context);
// As dci_call, but stores the error of the answer (0 or negative) in *error and does not print it.
// If nothing comes within `patience` seconds, *error is E_TIMEOUT and the connection is of no more
// use.
int dci_try(dci_request *request, int body, dci_response_handler *handler, void *context,
            double patience, int *error);

// Returns the machine's message of the last error answer, for people, with its clients if it
// refused because it is full. The text is printable.
const char *dci_refusal(void);
const char *role_name(Orrery__Dci__Role role);

// Sets who gets pushed events, during calls too. NULL drops the events.
void dci_on_event(dci_event_handler *handler, void *context);
// Sets who gets the events of programs that this client runs (run_output, run_ended) in place of
// the handler above. NULL: that one does.
void dci_on_run(dci_event_handler *handler, void *context);
// Sets who sees each frame as it came, before anybody else. NULL: nobody.
void dci_on_frame(dci_tap *tap, void *context);
// Sets who sees each request before it is sent. NULL: nobody.
void dci_on_request(dci_request_tap *tap, void *context);

// Takes pushed events for that long. Returns earlier when interrupted, woken by a wake-up, or when
// the link is ended (link.h). Calls and listening take up a lost connection again where resume.h
// says so.
int dci_listen(double seconds);
// Waits at most that long for one frame and takes it, also when interrupted. It takes a wake-up,
// too: look at the queue of requests before you wait again.
int dci_take(double seconds);

#endif
