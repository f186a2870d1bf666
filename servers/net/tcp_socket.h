// SPDX-License-Identifier: MIT
// TCP by lwIP's raw callbacks on one side, rings on the other: what the parts of a socket share.
// All calls: net_lock held.
//
// A socket lives from socket_create or lwIP's accept until both sides have let go of it: `holder`
// is NULL once (or as long as) no process holds it, `pcb` is NULL once the connection is gone.
#ifndef NET_TCP_SOCKET_H
#define NET_TCP_SOCKET_H

#include "server.h"
#include "socket.h"

#include <lwip/tcp.h>
#include <net/ring.h>

struct socket {
    struct co_root root;
    struct socket_rep rep;
    struct holder *holder;
    struct tcp_pcb *pcb;
    struct net_shared *shared; // of its own, or what nobody looks at
    cap_t memory;              // that it lies in, until the process has it
    struct ring send, receive;
    u32 credited;       // of what was put into receive: what the peer's window has back
    u32 state;          // enum net_state
    bool starved;       // lwIP had no memory for what the send ring holds
    bool asked;         // the process tells when it has put something into an empty send ring
    bool finishing;     // the sending side ends when its ring is empty
    bool shut;          // it has ended
    bool peer_finished; // the peer will send no more
    bool deaf;          // its process has said that it takes no more
    bool unread;        // bytes came that nobody has taken, and nobody will
    u8 polls;           // without progress, when nobody holds it
    u32 offers;         // of a listener
    u64 moment;         // when this one began, and what has come in it and in the one before
    u32 recent, before;
    struct socket *listener; // of a connection that waits to be accepted
    u8 *early;               // bytes that came meanwhile, NULL: none
    u32 early_count;
    struct socket *waiting, **waiting_end, *after; // listener: connections; connection: the next
    struct socket *next, **link;                   // of all
    struct socket *ready_next, **ready_link;       // of those with something to do; NULL: not one
};

// ---- socket.c -----------------------------------------------------------------------------------

// Gives it memory to share with a process: new, or what the process has kept. E_NOMEM, E_LIMIT.
s64 socket_share(struct socket *socket);
void socket_use(struct socket *socket, struct net_shared *kept);
bool socket_shares(const struct socket *socket);
// Holds the first bytes of a connection that waits to be accepted, until it has memory to share:
// then its process may have some kept. False: they are too many, or not the first.
bool socket_hold_early(struct socket *socket, const struct pbuf *bytes);
// Takes its memory away. Returns what it had.
struct net_shared *socket_unshare(struct socket *socket);
// Makes a socket that holder (NULL: nobody yet) holds, without a connection and memory to share.
// Returns NULL if out of memory.
struct socket *socket_new(struct co_class *class, struct holder *holder);
// Ends a socket that nobody knows any more. Its memory goes when no method runs in it.
void socket_end(struct socket *socket);
void socket_free(struct co_root *root);
// Takes a connection off those that wait to be accepted.
void socket_leave_listener(struct socket *socket);
// Wakes the process if it waits for this (NET_WAIT_…), at a time, or now.
void socket_wake_client_at(struct socket *socket, u32 for_what, u64 when);
void socket_wake_client(struct socket *socket, u32 for_what);
// Tells the process: enum net_state, and an error or 0.
void socket_set_state(struct socket *socket, u32 state, s32 error);

// ---- socket_list.c ------------------------------------------------------------------------------

void socket_list_add(struct socket *socket);
void socket_list_remove(struct socket *socket);

// ---- socket_end.c -------------------------------------------------------------------------------

// Takes our callbacks off the connection.
struct tcp_pcb *socket_detach(struct socket *socket);
// Notes that the connection has gone. A socket that a process holds stays, to tell about it.
void socket_lost(struct socket *socket, s32 error);
// Ends the connection at once.
void socket_reset(struct socket *socket, s32 error);
// Both sides have said all: lwIP sees to the rest.
void socket_finish_orderly(struct socket *socket);
// Around each of lwIP's callbacks about a connection, which must return what the second one does.
void socket_callback_begin(void);
err_t socket_callback_end(const struct tcp_pcb *pcb);

// ---- socket_bytes.c -----------------------------------------------------------------------------

// Returns how much the connection takes now.
u32 socket_room(const struct socket *socket);
bool socket_can_send(const struct socket *socket);
// Both reset the connection when the process has written what cannot be.
void socket_send(struct socket *socket);
void socket_credit(struct socket *socket);
// Returns whether so much has come that the peer waits before long: the process is to tell what it
// takes.
bool socket_owes_window(const struct socket *socket);
void socket_credit_all(struct socket *socket);
void socket_receive(struct socket *socket, const struct pbuf *bytes);
// Returns whether its process has let go of it for good, or has ended both directions: what comes
// now is lost.
bool socket_takes_nothing(const struct socket *socket);
// Notes whether bytes have come that the process has not taken. Before its memory goes.
void socket_note_unread(struct socket *socket);
// Ends a connection that nobody holds, once both sides have said all.
void socket_finish(struct socket *socket);

// ---- socket_connection.c ------------------------------------------------------------------------

// Puts our callbacks on the connection.
void socket_attach(struct socket *socket, struct tcp_pcb *pcb);

// ---- socket_methods.c ---------------------------------------------------------------------------

extern struct co_class socket_class;

#endif
