// SPDX-License-Identifier: MIT
// Socket: a TCP connection or a listening port, between lwIP and the memory shared with the process
// that holds it. A clustered object. All calls: net_lock held.
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

#include <co/object.h>
#include <net/protocol.h>
#include <orrery/process.h>

struct holder;
struct socket;
struct socket_rep;

struct socket_ops {
    struct co_ops base;
    // Moves bytes both ways as far as there is room, then asks the process to tell of more.
    s64 (*work)(struct socket_rep *self);
    s64 (*bind)(struct socket_rep *self, u32 address, u32 port); // the port, E_EXIST, E_BUSY
    s64 (*listen)(struct socket_rep *self, u32 backlog);
    s64 (*connect)(struct socket_rep *self, u32 address, u32 port);
    // No more than what the ring holds goes out. deaf: nor does the process take any more.
    s64 (*finish)(struct socket_rep *self, u32 deaf);
    s64 (*set_option)(struct socket_rep *self, u32 option, u64 value);
};

struct socket_rep {
    CO_REP(struct socket_ops);
};

struct socket_names {
    u32 own_address, own_port, peer_address, peer_port;
};

// Makes a socket of holder. If *kept is not NULL, the socket uses that memory, which its process
// has of one before: then *kept becomes NULL and *memory 0. Else *memory is the capability for its
// new memory, to be dropped by the caller. Returns 0 or E_NOMEM.
s64 socket_create(struct holder *holder, struct socket **socket, struct net_shared **kept,
                  cap_t *memory);
// Makes a socket of the oldest connection that listener (listening) has not given away, for its
// holder, with memory as socket_create. *kept stays if the connection has memory already, as bytes
// have come. Returns 0, E_AGAIN if there is none, or E_BUSY if it is not listening.
s64 socket_accept(struct socket *listener, struct socket **socket, struct net_shared **kept,
                  cap_t *memory);
// Takes away the memory, for another socket of the process. Returns it, or NULL if something in it
// has still to be sent. Before socket_release (all_sent) and socket_abort (not).
struct net_shared *socket_part(struct socket *socket, bool all_sent);
coid_t socket_coid(const struct socket *socket);
s64 socket_get_names(const struct socket *socket, struct socket_names *names);
// Releases a socket that the process has let go of: sends what is left, ends the connection, and
// then itself. If bytes have come that the process has not taken, and when more come, ends it by a
// reset.
void socket_release(struct socket *socket);
// Does as socket_release, but ends the connection by a reset.
void socket_abort(struct socket *socket);

// Notes that there is something to do for it: its process or its connection has changed something.
void socket_ready(struct socket *socket);
// Sockets let go of connections that have ended on both sides.
void sockets_release_ended(void);
// Works on the socket that has been ready for longest: false when there is none.
bool sockets_work(void);
// Writes COIDs of sockets that nobody holds, at most max. Returns how many were written, or with
// max 0 how many there are. For the scan: any thread, no lock.
u32 sockets_unheld(coid_t *out, u32 max);

#endif
