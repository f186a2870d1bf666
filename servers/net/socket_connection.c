// SPDX-License-Identifier: MIT
// A socket's connection, as lwIP calls back about it.
#include "tcp_socket.h"

#define KEEP_IDLE_MS 10000 // a silent peer is asked after this, then three times again
#define KEEP_INTERVAL_MS 5000
#define KEEP_COUNT 3
// Half seconds without progress that a connection nobody holds may take to end.
#define LINGER_POLLS 20

// Most answer the peer's end with their own soon, and one segment says both. If not, lwIP's fast
// timer says it. A peer in the machine loses nothing by that: it has no more to send.
static void acknowledge_later(struct tcp_pcb *pcb)
{
    if (pcb->state != CLOSE_WAIT || !ip_addr_isloopback(&pcb->remote_ip))
        return;
    tcp_clear_flags(pcb, TF_ACK_NOW);
    tcp_set_flags(pcb, TF_ACK_DELAY);
}

// An acknowledgement would say that somebody has them. A reset tells the peer that they are lost
// (RFC 1122, 4.2.2.13).
static void refuse(struct socket *socket, struct pbuf *bytes)
{
    pbuf_free(bytes);
    socket_reset(socket, E_PEER);
}

static err_t on_receive(void *argument, struct tcp_pcb *pcb, struct pbuf *bytes, err_t error)
{
    struct socket *socket = argument;

    (void)error;
    socket_callback_begin();
    socket->polls = 0;
    if (bytes == NULL) {
        acknowledge_later(pcb);
        socket->peer_finished = true;
        socket_finish(socket);
        return socket_callback_end(pcb);
    }
    if (socket_takes_nothing(socket)) {
        refuse(socket, bytes);
        return socket_callback_end(pcb);
    }
    bool early = socket->listener != NULL && !socket_shares(socket);
    bool held = early && socket_hold_early(socket, bytes);
    if (early && !held && socket_share(socket) != 0)
        return ERR_MEM; // lwIP keeps the bytes, and offers them again
    if (held) {
        pbuf_free(bytes);
        return socket_callback_end(pcb);
    }
    socket_receive(socket, bytes);
    pbuf_free(bytes);
    return socket_callback_end(pcb);
}

static err_t on_sent(void *argument, struct tcp_pcb *pcb, u16 count)
{
    struct socket *socket = argument;

    (void)count;
    socket_callback_begin();
    socket->polls = 0;
    if (!socket->asked)
        socket_ready(socket);
    socket_finish(socket);
    return socket_callback_end(pcb);
}

static err_t on_poll(void *argument, struct tcp_pcb *pcb)
{
    struct socket *socket = argument;
    bool held = socket->holder != NULL || socket->listener != NULL;

    socket_callback_begin();
    if (!held && ++socket->polls >= LINGER_POLLS)
        socket_reset(socket, E_TIMEOUT);
    else if (!socket->asked)
        socket_ready(socket); // when lwIP had no memory
    return socket_callback_end(pcb);
}

static s32 reason_of(const struct socket *socket, err_t error)
{
    if (socket->state == NET_CONNECTING)
        return error == ERR_RST ? E_BUSY : E_TIMEOUT;
    if (error != ERR_RST)
        return E_TIMEOUT;
    return socket->state == NET_FINISHED && !socket->finishing ? E_STALE : E_PEER;
}

// lwIP has freed the connection already.
static void on_error(void *argument, err_t error)
{
    struct socket *socket = argument;

    socket->pcb = NULL;
    if (error == ERR_CLSD && socket->holder != NULL)
        return; // both sides had ended it
    socket_lost(socket, reason_of(socket, error));
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
