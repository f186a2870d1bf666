// SPDX-License-Identifier: MIT
// A link is all that one connection to a machine has: its socket, its session, how long it waits,
// and what it does when the connection is lost. Each thread has one link. The functions of this
// room use the link of the thread that calls them.
#ifndef KOV_LINK_H
#define KOV_LINK_H

#include <orrery/types.h>

struct link;

// Makes a link to the machine at that host and TCP port. It does not connect yet; session_begin
// does. The texts are copied. If token is NULL, wire/token.h looks for one. If it is "", the
// machine tells nothing but hello. Returns NULL with a message if no file descriptor is left.
struct link *link_new(const char *host, u64 port, const char *token);
// Frees the link and closes its connection. No thread may use it.
void link_free(struct link *link);

// Makes this thread use that link, which no other thread may use. With NULL, as before the first
// call, the thread uses a link of its own, to the machine that the settings name.
void link_use(struct link *link);

// Tells the link's thread that there is a wake-up, so that it looks at its queue. Its dci_listen
// returns KOV_OK early, or its next one does. Calls go on. Any thread may call it.
void link_wake(struct link *link);
// Ends the link for good. Its thread soon returns from any wait: from listening with KOV_OK, from
// all else with KOV_CONNECTION and a message. Any thread may call it.
void link_end(struct link *link);

// About this thread's link.
bool link_ended(void);
const char *link_host(void);
u64 link_port(void);

#endif
