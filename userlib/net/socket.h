// SPDX-License-Identifier: MIT
// A socket of this process, without waiting and without file descriptor: what BSD sockets and
// streams are made of. One thread at a time reads, one at a time writes; commands by any.
#ifndef SOCKET_SOCKET_H
#define SOCKET_SOCKET_H

#include "session.h"

#include <ipc/net_session.h>
#include <net/protocol.h>

struct net_socket {
    struct net_session *session;
    u32 number;
    struct net_shared *shared;
    struct ring send, receive;
    bool finished; // we send no more
    bool deaf;     // we read what is there, and then the end
};

// Opens a new socket. Waits for the server until deadline. Errors as session_get, and E_LIMIT.
s64 net_socket_open(u64 deadline, struct net_socket *socket);
// Lets go of a socket. What was written still goes out, unless reset.
void net_socket_close(struct net_socket *socket, bool reset);

// Commands: errors as ipc/net_session.idl, and E_PEER when the server has ended.
s64 net_socket_bind(struct net_socket *socket, u32 address, u32 port, u32 *bound);
s64 net_socket_listen(struct net_socket *socket, u32 backlog);
s64 net_socket_connect(struct net_socket *socket, u32 address, u32 port);
// Accepts a connection. Returns E_AGAIN if nobody is there.
s64 net_socket_accept(struct net_socket *listener, struct net_socket *socket,
                      struct net_names *names);
// Ends sending, and says so to the server again when it is deaf meanwhile.
s64 net_socket_finish(struct net_socket *socket);
// Ends reading. Who waits for bytes gets the end.
void net_socket_end_reading(struct net_socket *socket);
s64 net_socket_names(struct net_socket *socket, struct net_names *names);

// Returns enum net_state. A socket whose server has ended is NET_FAILED.
u32 net_socket_state(const struct net_socket *socket);
// Returns why it has failed: E_PEER (reset), E_STALE (reset after the peer had ended its side),
// E_TIMEOUT, E_BUSY (refused), E_PROTO. 0: it has not.
s64 net_socket_error(const struct net_socket *socket);

// Reads at most count bytes. Returns how many, 0 at the end, E_AGAIN when there are none yet, or
// why it has failed (not E_STALE: that is the end, too).
s64 net_socket_read(struct net_socket *socket, void *to, u64 count, bool peek);
// Read in place: net_socket_front returns the first piece of what there is. After use,
// net_socket_taken tells how much of it was taken.
const u8 *net_socket_front(struct net_socket *socket, u32 *count);
void net_socket_taken(struct net_socket *socket, u32 count);
// Writes at most count bytes. Returns how many, E_AGAIN when there is no room, E_PEER after the end
// of sending, or why it has failed.
s64 net_socket_write(struct net_socket *socket, const void *from, u64 count);
u64 net_socket_room(const struct net_socket *socket);

// Returns the NET_WAIT_ bits for which a call would not give E_AGAIN.
u32 net_socket_ready(const struct net_socket *socket);
// Returns those of `waits` that are ready. If there are none, the server has been asked for a
// wake-up.
u32 net_socket_wanted(struct net_socket *socket, u32 waits);
// Returns whether it has failed. If not, the server has been asked for a wake-up when it does.
bool net_socket_watch(struct net_socket *socket);

#endif
