// SPDX-License-Identifier: MIT
// The methods of a socket, as calls and the main loop use them; and how connections begin.
#include "tcp_socket.h"

#include <ipc/net_session.h>
#include <lwip/priv/tcp_priv.h>

static struct socket *socket_of(struct socket_rep *self)
{
    return (struct socket *)self->co.root;
}

// Asks for nothing that there is no room for: lwIP's callbacks go on with that. True when there is
// something to do after all.
static bool ask(struct socket *socket)
{
    u32 waits = 0;

    socket->asked = false;
    if (socket->holder == NULL || socket->pcb == NULL || socket->state == NET_LISTENING)
        return false;
    socket->asked = socket_can_send(socket) && !socket->starved && socket_room(socket) > 0;
    waits |= socket->asked ? NET_WAIT_READ : 0;
    waits |= socket_owes_window(socket) ? NET_WAIT_WRITE : 0;
    if (waits == 0)
        return false;
    shared_store(&socket->shared->server_waits, waits);
    if (socket->asked && ring_used(&socket->send) != 0)
        return true;
    return (waits & NET_WAIT_WRITE) != 0 &&
           shared_load(&socket->shared->receive.tail) != socket->credited;
}

static CO_METHOD s64 tcp_socket_work(struct socket_rep *self)
{
    CO_HOME(self);
    struct socket *socket = socket_of(self);

    if (socket->holder != NULL)
        socket_credit(socket);
    socket_send(socket);
    if (ask(socket))
        socket_ready(socket);
    return 0;
}

// lwIP would find it out at listen only, as all sockets may use addresses again at once.
static bool is_taken(const struct tcp_pcb *asks, u32 address, u32 port)
{
    for (const struct tcp_pcb_listen *other = tcp_listen_pcbs.listen_pcbs; other != NULL;
         other = other->next) {
        u32 its = ip_2_ip4(&other->local_ip)->addr;
        if (other->local_port == port && (its == address || its == 0 || address == 0))
            return true;
    }
    for (const struct tcp_pcb *other = tcp_bound_pcbs; other != NULL; other = other->next) {
        u32 its = ip_2_ip4(&other->local_ip)->addr;
        if (other != asks && other->local_port == port &&
            (its == address || its == 0 || address == 0))
            return true;
    }
    return false;
}

static CO_METHOD s64 tcp_socket_bind(struct socket_rep *self, u32 address, u32 port)
{
    CO_HOME(self);
    struct socket *socket = socket_of(self);
    ip_addr_t own = IPADDR4_INIT(address);

    if (socket->state != NET_IDLE || socket->pcb == NULL || socket->pcb->local_port != 0)
        return E_BUSY;
    if (port > UINT16_MAX)
        return E_INVAL;
    if (port != 0 && is_taken(socket->pcb, address, port))
        return E_EXIST;
    err_t error = tcp_bind(socket->pcb, &own, (u16)port);
    if (error != ERR_OK)
        return error == ERR_USE ? E_EXIST : E_INVAL;
    return socket->pcb->local_port;
}

static err_t on_accept(void *argument, struct tcp_pcb *pcb, err_t error)
{
    struct socket *listener = argument;

    if (error != ERR_OK || pcb == NULL || listener == NULL)
        return ERR_VAL;
    struct socket *socket = socket_new(&socket_class, NULL);
    if (socket == NULL) {
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    socket_set_state(socket, NET_OPENED, 0);
    socket->listener = listener;
    *listener->waiting_end = socket;
    listener->waiting_end = &socket->after;
    socket_attach(socket, pcb);
    tcp_backlog_delayed(pcb);
    shared_store(&listener->shared->offers, ++listener->offers);
    socket_wake_client(listener, NET_WAIT_READ);
    return ERR_OK;
}

static CO_METHOD s64 tcp_socket_listen(struct socket_rep *self, u32 backlog)
{
    CO_HOME(self);
    struct socket *socket = socket_of(self);
    u8 limit = (u8)(backlog < 1 ? 1 : backlog < 128 ? backlog : 128);

    if (socket->state == NET_LISTENING) {
        tcp_backlog_set(socket->pcb, limit);
        return 0;
    }
    if (socket->state != NET_IDLE || socket->pcb == NULL)
        return E_BUSY;
    err_t error;
    struct tcp_pcb *listening = tcp_listen_with_backlog_and_err(socket->pcb, limit, &error);
    if (listening == NULL)
        return error == ERR_USE ? E_EXIST : E_NOMEM;
    socket->pcb = listening;
    tcp_arg(listening, socket);
    tcp_accept(listening, on_accept);
    socket_set_state(socket, NET_LISTENING, 0);
    return 0;
}

static err_t on_connected(void *argument, struct tcp_pcb *pcb, err_t error)
{
    struct socket *socket = argument;

    (void)error; // always ERR_OK
    socket_callback_begin();
    socket_set_state(socket, NET_OPENED, 0);
    socket_ready(socket);
    return socket_callback_end(pcb);
}

static CO_METHOD s64 tcp_socket_connect(struct socket_rep *self, u32 address, u32 port)
{
    CO_HOME(self);
    struct socket *socket = socket_of(self);
    ip_addr_t peer = IPADDR4_INIT(address);

    if (socket->state != NET_IDLE || socket->pcb == NULL)
        return E_BUSY;
    if (port == 0 || port > UINT16_MAX || address == 0)
        return E_INVAL;
    socket_set_state(socket, NET_CONNECTING, 0);
    err_t error = tcp_connect(socket->pcb, &peer, (u16)port, on_connected);
    if (error == ERR_OK)
        return 0;
    socket_set_state(socket, NET_IDLE, 0);
    return error == ERR_RTE ? E_NOENT : E_NOMEM;
}

static CO_METHOD s64 tcp_socket_finish(struct socket_rep *self, u32 deaf)
{
    CO_HOME(self);
    struct socket *socket = socket_of(self);

    if (!socket_can_send(socket) && !socket->shut)
        return E_BUSY;
    socket->finishing = true;
    socket->deaf |= deaf != 0;
    socket_ready(socket);
    return 0;
}

static CO_METHOD s64 tcp_socket_set_option(struct socket_rep *self, u32 option, u64 value)
{
    CO_HOME(self);
    struct socket *socket = socket_of(self);

    if (option != NET_NO_DELAY && option != NET_KEEP_ALIVE)
        return E_INVAL;
    if (socket->pcb == NULL || socket->state == NET_LISTENING)
        return 0;
    if (option == NET_NO_DELAY && value != 0)
        tcp_nagle_disable(socket->pcb);
    else if (option == NET_NO_DELAY)
        tcp_nagle_enable(socket->pcb);
    else if (value != 0)
        ip_set_option(socket->pcb, SOF_KEEPALIVE);
    else
        ip_reset_option(socket->pcb, SOF_KEEPALIVE);
    return 0;
}

static const struct socket_ops tcp_socket_ops = {
    .base = CO_LEAF,
    .work = tcp_socket_work,
    .bind = tcp_socket_bind,
    .listen = tcp_socket_listen,
    .connect = tcp_socket_connect,
    .finish = tcp_socket_finish,
    .set_option = tcp_socket_set_option,
};

struct co_class socket_class = {
    .name = "Socket",
    .implementation = "TcpSocket",
    .size = sizeof(struct socket),
    .ops = &tcp_socket_ops.base,
    .destroy = socket_free,
};
