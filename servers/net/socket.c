// SPDX-License-Identifier: MIT
// A socket's life, and what sessions do with it.
#include "tcp_socket.h"

#include "session.h"

#include <ipc/net_session.h>
#include <net/map.h>
#include <orrery/memory.h>
#include <stdlib.h>

// ---- towards the process -----------------------------------------------------------------------

void socket_wake_client_at(struct socket *socket, u32 for_what, u64 when)
{
    if (socket->session == NULL || (shared_load(&socket->shared->client_waits) & for_what) == 0)
        return;
    shared_store(&socket->shared->client_waits, 0);
    session_wake(socket->session, when);
}

void socket_wake_client(struct socket *socket, u32 for_what)
{
    socket_wake_client_at(socket, for_what, 0);
}

void socket_set_state(struct socket *socket, u32 state, s32 error)
{
    socket->state = state;
    shared_store(&socket->shared->error, error);
    shared_store(&socket->shared->state, state);
    socket_wake_client(socket, NET_WAIT_READ | NET_WAIT_WRITE);
}

// ---- life --------------------------------------------------------------------------------------

void socket_free(struct co_root *root)
{
    free(root); // root is the socket's first member
}

// Memory for both rings, shared with the process later.
static s64 share(struct socket *socket)
{
    void *memory;

    s64 cap = sys_memory_new("socket", NET_SOCKET_BYTES);
    if (cap < 0)
        return cap;
    socket->memory = (cap_t)cap;
    s64 error = net_map(socket->memory, &memory);
    if (error != 0)
        return error;
    u8 *rings = (u8 *)memory + NET_CONTROL_BYTES;
    socket->shared = memory;
    ring_init(&socket->send, &socket->shared->send, rings, NET_RING_BYTES);
    ring_init(&socket->receive, &socket->shared->receive, rings + NET_RING_BYTES, NET_RING_BYTES);
    return 0;
}

static void unshare(struct socket *socket)
{
    if (socket->shared != NULL)
        net_unmap(socket->shared);
    if (socket->memory != 0)
        sys_cap_drop(socket->memory);
}

struct socket *socket_new(struct session *session)
{
    struct socket *socket = calloc(1, sizeof(*socket));
    if (socket == NULL)
        return NULL;
    if (share(socket) != 0 || co_create_shared(&socket_class, &socket->root, &socket->rep.co) < 0) {
        unshare(socket);
        free(socket);
        return NULL;
    }
    socket->session = session;
    socket->waiting_end = &socket->waiting;
    socket_list_add(socket);
    return socket;
}

// Nobody knows it any more. Its memory goes when no method runs in it.
void socket_end(struct socket *socket)
{
    unshare(socket);
    socket_list_remove(socket);
    co_destroy(socket->root.coid);
}

void socket_leave_listener(struct socket *socket)
{
    struct socket *listener = socket->listener;
    if (listener == NULL)
        return;
    struct socket **at = &listener->waiting;
    while (*at != socket)
        at = &(*at)->after;
    *at = socket->after;
    if (*at == NULL)
        listener->waiting_end = at;
    socket->listener = NULL;
}

// ---- for sessions ------------------------------------------------------------------------------

static cap_t take_memory(struct socket *socket)
{
    cap_t memory = socket->memory;
    socket->memory = 0;
    return memory;
}

s64 socket_create(struct session *session, struct socket **out, cap_t *memory)
{
    struct tcp_pcb *pcb = tcp_new();
    if (pcb == NULL)
        return E_NOMEM;
    struct socket *socket = socket_new(session);
    if (socket == NULL) {
        tcp_abort(pcb);
        return E_NOMEM;
    }
    socket_attach(socket, pcb);
    *out = socket;
    *memory = take_memory(socket);
    return 0;
}

s64 socket_accept(struct socket *listener, struct socket **out, cap_t *memory)
{
    struct socket *socket = listener->waiting;

    if (listener->state != NET_LISTENING)
        return E_BUSY;
    if (socket == NULL)
        return E_AGAIN;
    socket_leave_listener(socket);
    socket->session = listener->session;
    tcp_backlog_accepted(socket->pcb);
    *out = socket;
    *memory = take_memory(socket);
    return 0;
}

coid_t socket_coid(const struct socket *socket)
{
    return socket->root.coid;
}

s64 socket_get_names(const struct socket *socket, struct socket_names *names)
{
    const struct tcp_pcb *pcb = socket->pcb;

    if (pcb == NULL)
        return E_BUSY;
    *names = (struct socket_names){.own_address = ip4_addr_get_u32(ip_2_ip4(&pcb->local_ip)),
                                   .own_port = pcb->local_port};
    if (socket->state == NET_LISTENING)
        return 0; // lwIP's listening pcb is a shorter struct
    names->peer_address = ip4_addr_get_u32(ip_2_ip4(&pcb->remote_ip));
    names->peer_port = pcb->remote_port;
    return 0;
}

static void refuse_waiting(struct socket *listener)
{
    while (listener->waiting != NULL)
        socket_reset(listener->waiting, E_PEER);
}

void socket_release(struct socket *socket)
{
    socket->session = NULL;
    if (socket->state == NET_LISTENING) {
        refuse_waiting(socket);
        tcp_close(socket_detach(socket)); // of a listening one: cannot fail
        socket_end(socket);
    } else if (socket->pcb == NULL) {
        socket_end(socket);
    } else if (socket->state == NET_IDLE || socket->state == NET_CONNECTING) {
        socket_reset(socket, 0);
    } else {
        socket->finishing = true;
        socket->polls = 0;
        socket_credit_all(socket);
        CO_CALL(struct socket_rep, socket->root.coid, work);
    }
}

void socket_abort(struct socket *socket)
{
    if (socket->state == NET_LISTENING || socket->pcb == NULL) {
        socket_release(socket);
        return;
    }
    socket->session = NULL;
    socket_reset(socket, 0);
}
