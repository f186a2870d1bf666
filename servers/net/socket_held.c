// SPDX-License-Identifier: MIT
// What whoever holds sockets does with them.
#include "tcp_socket.h"

static cap_t take_memory(struct socket *socket)
{
    cap_t memory = socket->memory;
    socket->memory = 0;
    return memory;
}

// Gives a socket the process's kept memory, or new memory. Returns 0 or an error.
static s64 share(struct socket *socket, struct net_shared **kept)
{
    if (*kept == NULL)
        return socket_share(socket);
    socket_use(socket, *kept);
    *kept = NULL;
    return 0;
}

s64 socket_create(struct holder *holder, struct socket **out, struct net_shared **kept,
                  cap_t *memory)
{
    struct tcp_pcb *pcb = tcp_new();
    struct socket *socket = pcb == NULL ? NULL : socket_new(&socket_class, holder);
    s64 error = socket == NULL ? E_NOMEM : share(socket, kept);

    if (error != 0) {
        if (pcb != NULL)
            tcp_abort(pcb);
        if (socket != NULL)
            socket_end(socket);
        return error;
    }
    socket_attach(socket, pcb);
    *out = socket;
    *memory = take_memory(socket);
    return 0;
}

s64 socket_accept(struct socket *listener, struct socket **out, struct net_shared **kept,
                  cap_t *memory)
{
    struct socket *socket = listener->waiting;

    if (listener->state != NET_LISTENING)
        return E_BUSY;
    if (socket == NULL)
        return E_AGAIN;
    s64 error = socket_shares(socket) ? 0 : share(socket, kept);
    if (error != 0)
        return error;
    socket_leave_listener(socket);
    socket->holder = listener->holder;
    tcp_backlog_accepted(socket->pcb);
    socket_ready(socket);
    *out = socket;
    *memory = take_memory(socket);
    return 0;
}

struct net_shared *socket_part(struct socket *socket, bool all_sent)
{
    socket_note_unread(socket);
    if (all_sent)
        socket_send(socket);
    if (all_sent && !socket->unread && socket_can_send(socket) && ring_used(&socket->send) != 0)
        return NULL;
    if (socket->pcb != NULL && socket->state != NET_LISTENING)
        socket_credit_all(socket);
    return socket_unshare(socket);
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

void socket_release(struct socket *socket)
{
    socket_note_unread(socket);
    if (socket->unread)
        socket_send(socket); // what fits goes out before the reset
    socket->holder = NULL;
    if (socket->state == NET_LISTENING) {
        while (socket->waiting != NULL)
            socket_reset(socket->waiting, E_PEER);
        tcp_close(socket_detach(socket)); // of a listening one: cannot fail
        socket_end(socket);
    } else if (socket->pcb == NULL) {
        socket_end(socket);
    } else if (socket->state == NET_IDLE || socket->state == NET_CONNECTING || socket->unread) {
        socket_reset(socket, 0);
    } else {
        socket->finishing = true;
        socket->polls = 0;
        socket_credit_all(socket);
        socket_ready(socket);
    }
}

void socket_abort(struct socket *socket)
{
    if (socket->state == NET_LISTENING || socket->pcb == NULL) {
        socket_release(socket);
        return;
    }
    socket->holder = NULL;
    socket_reset(socket, 0);
}
