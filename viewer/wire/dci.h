// SPDX-License-Identifier: MIT
// Requests to the machine and what comes back: answers to a call, pushed events in between.
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

// Opens the connection; session.h has what most want. KOV_OK, or the failure is printed and its
// code returned.
int dci_open(void);
void dci_close(void); // also when it is not open

// A handler returns KOV_OK to go on, or another code (message printed) that ends the call.
typedef int dci_response_handler(void *context, const dci_response *response);
typedef int dci_event_handler(void *context, const Orrery__Dci__Event *event);
typedef void dci_tap(void *context, const struct bytes *payload, const dci_frame *frame);

typedef void dci_request_tap(void *context, const dci_request *request);

// A request with one body: the names of its case and of its member, and a pointer to the message.
#define DCI_REQUEST(CASE, member, message)                                                         \
    (&(dci_request){.base = PROTOBUF_C_MESSAGE_INIT(&orrery__dci__request__descriptor),            \
                    .body_case = ORRERY__DCI__REQUEST__BODY_##CASE,                                \
                    .member = message})

// Sends a request (its id is filled in) and hands every response to it to the handler (NULL: none
// is expected to carry a body). `body` is what a response must carry,
// ORRERY__DCI__RESPONSE__BODY__NOT_SET for nothing. An error answer is printed as "<what>: …".
int dci_call(dci_request *request, int body, const char *what, dci_response_handler *handler,
             void *context);
// The same, but an answer with an error is told in *error (0 or negative) and not printed. When
// nothing comes within `patience` seconds *error is E_TIMEOUT, and the connection is of no more
// use.
int dci_try(dci_request *request, int body, dci_response_handler *handler, void *context,
            double patience, int *error);

// What the machine said with the last error that an answer had, for people,
// with whom it serves if that is why. Printable.
const char *dci_refusal(void);
const char *role_name(Orrery__Dci__Role role);

// Who gets pushed events, during calls too; NULL drops them.
void dci_on_event(dci_event_handler *handler, void *context);
// Who else sees every frame as it came, before anybody else; NULL: nobody.
void dci_on_frame(dci_tap *tap, void *context);
// Who sees every request before it is sent; NULL: nobody.
void dci_on_request(dci_request_tap *tap, void *context);

// Takes pushed events for that long, less when interrupted, woken by a wish or ended (link.h).
// Calls and listening take up a lost connection again where resume.h says so.
int dci_listen(double seconds);
// Waits at most that long for one frame and takes it, also when interrupted. It takes a wish, too:
// look at the queue of wishes before waiting once more.
int dci_take(double seconds);

#endif
