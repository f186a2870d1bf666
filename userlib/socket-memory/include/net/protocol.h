// SPDX-License-Identifier: MIT
// The memory that a socket's process and the net server share (docs/net.md). Commands are calls
// (ipc/net.idl, ipc/net_session.idl); bytes go through a memory object a socket.
//
// A side that wants to be told of a change says so in its `waits` word and looks once more. The
// side that makes such a change clears that word and tells the other. The process tells by a call
// (net_session_poll), whose answer says whether something has come for the process itself. The
// server tells by an empty message to the endpoint that net_open was given. Messages merge: each
// means "look at all sockets". So do messages to the doorbell, for a process that cannot call.
//
// Each side sees the other's end by a call that is never answered. The process's is
// net_session_stay; the server's is any call to the endpoint that net_open was given.
#ifndef NET_PROTOCOL_H
#define NET_PROTOCOL_H

#include <net/ring.h>

#define NET_SERVICE "net" // in the name service
#define NET_RING_BYTES 0x20000u
#define NET_CONTROL_BYTES 0x1000u
#define NET_SOCKET_BYTES (NET_CONTROL_BYTES + 2 * NET_RING_BYTES)
#define NET_SOCKETS_MAX 64        // a session
#define NET_KEPT_MAX 8            // of a session: memory of closed sockets
#define NET_SESSIONS_MAX 64       // at once
#define NET_SESSIONS_OF_PROCESS 4 // of one process
#define NET_SESSIONS_RESERVED 16  // the last ones, for processes that have a right

enum net_state {
    NET_IDLE,       // made, maybe bound
    NET_LISTENING,  // accepting
    NET_CONNECTING, // on the way
    NET_OPENED,     // both ways
    NET_FINISHED,   // the peer sends no more than what the ring holds
    NET_FAILED,     // ended; `error` says why
};

// Bits of waits words.
#define NET_WAIT_READ 1u  // for bytes, a connection to accept, or a change of state
#define NET_WAIT_WRITE 2u // for room, or a change of state

// Head of a socket's memory. Untrusted on both sides.
struct net_shared {
    u32 state;  // server: enum net_state
    s32 error;  // server: in NET_FAILED: E_PEER: reset, E_STALE: reset after the peer had ended its
                // side, E_TIMEOUT, E_BUSY: refused, E_PROTO
    u32 offers; // server: connections that ever could be accepted, modulo 2^32
    u32 none_since; // server: what `offers` was when there last was none to accept
    u8 server_pad[RING_LINE - 4 * sizeof(u32)];
    u32 client_waits; // set by the process, cleared by the server
    u8 client_pad[RING_LINE - sizeof(u32)];
    u32 server_waits; // set by the server, cleared by the process
    u8 waits_pad[RING_LINE - sizeof(u32)];
    struct ring_shared send;    // process → server
    struct ring_shared receive; // server → process
};
_Static_assert(sizeof(struct net_shared) <= NET_CONTROL_BYTES, "shared between processes");

#endif
