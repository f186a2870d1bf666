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
    s64 (*finish)(struct socket_rep *self); // no more than what the ring holds goes out
    s64 (*set_option)(struct socket_rep *self, u32 option, u64 value);
};

struct socket_rep {
    CO_REP(struct socket_ops);
};

struct socket_names {
    u32 own_address, own_port, peer_address, peer_port;
};

// A socket of holder, in the memory *kept that its process has of one before, if that is not NULL:
// then *kept is NULL and *memory 0. Else *memory is the capability for its memory, to be dropped by
// the caller. E_NOMEM.
s64 socket_create(struct holder *holder, struct socket **socket, struct net_shared **kept,
                  cap_t *memory);
// The oldest connection that listener (listening) has not given away, as a socket of its holder: as
// socket_create. E_AGAIN: there is none; E_BUSY: not listening. *kept stays when the connection has
// memory already, as bytes have come.
s64 socket_accept(struct socket *listener, struct socket **socket, struct net_shared **kept,
                  cap_t *memory);
// Before socket_release (all_sent) and socket_abort (not): the memory, for another socket of the
// process, or NULL when there is something in it that has still to be sent.
struct net_shared *socket_part(struct socket *socket, bool all_sent);
coid_t socket_coid(const struct socket *socket);
s64 socket_get_names(const struct socket *socket, struct socket_names *names);
// The process has let go of it: sends what is left, ends the connection, and then itself.
void socket_release(struct socket *socket);
// The same, by a reset.
void socket_abort(struct socket *socket);

// There is something to do for it: its process or its connection has changed something.
void socket_ready(struct socket *socket);
// Sockets let go of connections that have ended on both sides.
void sockets_settle_over(void);
// Works on the socket that has been ready for longest: false when there is none.
bool sockets_work(void);
// COIDs of sockets that nobody holds, at most max: how many there are (max 0), or were written.
// Any thread, no lock: for the scan.
u32 sockets_unheld(coid_t *out, u32 max);

#endif
