// SPDX-License-Identifier: MIT
// A link is all that one connection to a machine has: its socket, its session, how long it waits,
// what it does when it is lost. Each thread has one; the functions of this room are about the link
// of the thread that calls them.
#ifndef KOV_LINK_H
#define KOV_LINK_H

#include <orrery/types.h>

struct link;

// Makes a link to the machine at that host and TCP port, and does not connect yet (session_begin
// does). The texts are copied; without a token (NULL) it is looked for (wire/token.h), with "" the
// machine tells nothing but hello. NULL when no file descriptor is left, with a message.
struct link *link_new(const char *host, u64 port, const char *token);
// Closes its connection too. Not while a thread uses it.
void link_free(struct link *link);

// From here on the calls of this thread are about that link, which no other thread uses. With NULL,
// as before the first call, they are about a link of the thread's own, to the machine that the
// settings name.
void link_use(struct link *link);

// From any thread: there is a wish. dci_listen of the thread that uses the link returns KOV_OK
// early, or the next one does, so that the thread can look at its queue. Calls go on.
void link_wake(struct link *link);
// From any thread: the link is over, for good. Whatever its thread waits for returns soon:
// listening with KOV_OK, everything else with KOV_CONNECTION and a message.
void link_end(struct link *link);

// Of this thread's link.
bool link_ended(void);
const char *link_host(void);
u64 link_port(void);

#endif
