// SPDX-License-Identifier: MIT
// A socket's connection, as lwIP calls back about it, and its end.
#include "tcp_socket.h"

#define KEEP_IDLE_MS 10000 // a silent peer is asked after this, then three times again
#define KEEP_INTERVAL_MS 5000
#define KEEP_COUNT 3
#define LINGER_POLLS                                                                               \
    20 // half seconds without progress that a connection nobody holds may take to end

static const struct tcp_pcb *aborted; // in a callback: lwIP must be told when its own pcb is gone

// ---- its end -----------------------------------------------------------------------------------

// The connection has gone. A socket that a process holds stays, to tell about it.
static void lost(struct socket *socket, s32 error)
{
    socket->pcb = NULL;
    socket_leave_listener(socket);
    if (socket->session == NULL)
        socket_end(socket);
    else
        socket_set_state(socket, NET_FAILED, error);
}

// Takes our callbacks off the connection.
struct tcp_pcb *socket_detach(struct socket *socket)
{
    struct tcp_pcb *pcb = socket->pcb;

    tcp_arg(pcb, NULL);
    if (socket->state != NET_LISTENING) {
        tcp_recv(pcb, NULL);
        tcp_sent(pcb, NULL);
        tcp_err(pcb, NULL);
        tcp_poll(pcb, NULL, 0);
    }
    socket->pcb = NULL;
    return pcb;
}

void socket_reset(struct socket *socket, s32 error)
{
    struct tcp_pcb *pcb = socket_detach(socket);
    aborted = pcb;
    tcp_abort(pcb);
    lost(socket, error);
}

// Both sides have said all: lwIP sees to the rest.
void socket_finish_orderly(struct socket *socket)
{
    struct tcp_pcb *pcb = socket_detach(socket);
    if (tcp_close(pcb) != ERR_OK) {
        aborted = pcb;
        tcp_abort(pcb);
    }
    lost(socket, E_PEER);
}

// ---- lwIP's callbacks --------------------------------------------------------------------------

static err_t callback_result(const struct tcp_pcb *pcb)
{
    return aborted == pcb ? ERR_ABRT : ERR_OK;
}

static err_t on_receive(void *argument, struct tcp_pcb *pcb, struct pbuf *bytes, err_t error)
{
    struct socket *socket = argument;

    (void)error;
    aborted = NULL;
    socket->polls = 0;
    if (bytes == NULL) {
        socket->peer_finished = true;
        socket_settle(socket);
        return callback_result(pcb);
    }
    if (socket->session != NULL || socket->listener != NULL)
        socket_receive(socket, bytes);
    else
        tcp_recved(pcb, bytes->tot_len);
    pbuf_free(bytes);
    return callback_result(pcb);
}

static err_t on_sent(void *argument, struct tcp_pcb *pcb, u16 count)
{
    struct socket *socket = argument;

    (void)count;
    aborted = NULL;
    socket->polls = 0;
    socket_send(socket);
    socket_settle(socket);
    return callback_result(pcb);
}

static err_t on_poll(void *argument, struct tcp_pcb *pcb)
{
    struct socket *socket = argument;
    bool held = socket->session != NULL || socket->listener != NULL;

    aborted = NULL;
    if (!held && ++socket->polls >= LINGER_POLLS)
        socket_reset(socket, E_TIMEOUT);
    else
        socket_send(socket); // when lwIP had no memory
    return callback_result(pcb);
}

// lwIP has freed the connection already.
static void on_error(void *argument, err_t error)
{
    struct socket *socket = argument;
    s32 reason = E_PEER;

    socket->pcb = NULL;
    if (error == ERR_CLSD && socket->session != NULL)
        return; // both sides had ended it
    if (socket->state == NET_CONNECTING)
        reason = error == ERR_RST ? E_BUSY : E_TIMEOUT;
    lost(socket, reason);
}

void socket_attach(struct socket *socket, struct tcp_pcb *pcb)
{
    socket->pcb = pcb;
    tcp_arg(pcb, socket);
    tcp_recv(pcb, on_receive);
    tcp_sent(pcb, on_sent);
    tcp_err(pcb, on_error);
    tcp_poll(pcb, on_poll, 1);
    tcp_nagle_disable(pcb);
    ip_set_option(pcb, SOF_KEEPALIVE | SOF_REUSEADDR);
    pcb->keep_idle = KEEP_IDLE_MS;
    pcb->keep_intvl = KEEP_INTERVAL_MS;
    pcb->keep_cnt = KEEP_COUNT;
}

err_t socket_on_connected(void *argument, struct tcp_pcb *pcb, err_t error)
{
    struct socket *socket = argument;

    (void)error; // always ERR_OK
    aborted = NULL;
    socket_set_state(socket, NET_OPENED, 0);
    socket_send(socket);
    return callback_result(pcb);
}

err_t socket_on_accept(void *argument, struct tcp_pcb *pcb, err_t error)
{
    struct socket *listener = argument;

    if (error != ERR_OK || pcb == NULL || listener == NULL)
        return ERR_VAL;
    struct socket *socket = socket_new(NULL);
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
