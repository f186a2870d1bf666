// SPDX-License-Identifier: MIT
// The end of a socket's connection.
#include "tcp_socket.h"

#include <lwip/priv/tcp_priv.h>

static const struct tcp_pcb *aborted; // in a callback: lwIP must be told when its own pcb is gone

void socket_callback_begin(void)
{
    aborted = NULL;
}

err_t socket_callback_end(const struct tcp_pcb *pcb)
{
    return aborted == pcb ? ERR_ABRT : ERR_OK;
}

void socket_lost(struct socket *socket, s32 error)
{
    socket->pcb = NULL;
    socket_leave_listener(socket);
    if (socket->holder == NULL)
        socket_end(socket);
    else
        socket_set_state(socket, NET_FAILED, error);
}

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
    socket_lost(socket, error);
}

// lwIP keeps a connection that has ended for 2 MSL and then forgets it without a word, so its
// socket lets go of it before. One inside of the machine need not be kept: the other side is at its
// end, and nothing of it is under way.
void sockets_release_ended(void)
{
    static u8 seen; // argument of those that were here before; new ones come first
    struct tcp_pcb *next;

    for (struct tcp_pcb *pcb = tcp_tw_pcbs; pcb != NULL; pcb = next) {
        struct socket *socket = pcb->callback_arg;
        if (pcb->callback_arg == &seen)
            return;
        next = pcb->next;
        tcp_arg(pcb, &seen);
        if (socket != NULL)
            socket->pcb = NULL;
        if (socket != NULL && socket->holder == NULL) // else its process has still to read
            socket_end(socket);
        if (!ip_addr_isloopback(&pcb->remote_ip))
            continue;
        tcp_pcb_remove(&tcp_tw_pcbs, pcb);
        tcp_free(pcb);
    }
}

void socket_finish_orderly(struct socket *socket)
{
    struct tcp_pcb *pcb = socket_detach(socket);
    if (tcp_close(pcb) != ERR_OK) {
        aborted = pcb;
        tcp_abort(pcb);
    }
    socket_lost(socket, E_PEER);
}
