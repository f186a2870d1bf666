// SPDX-License-Identifier: MIT
// Bytes between the rings and the connection, both ways.
#include "tcp_socket.h"

#include <user/time.h>

#define MOMENT_US 2000                       // a stream is what brings …
#define MOMENT_BYTES 16384                   // … so much in such a time
#define GATHER_US 400                        // how long it may wait
#define SEND_QUEUE_SPARE 16                  // segments …
#define SEND_PIECE (SEND_QUEUE_SPARE * 1460) // … that this is at most

u32 socket_room(const struct socket *socket)
{
    if (tcp_sndqueuelen(socket->pcb) >= TCP_SND_QUEUELEN - SEND_QUEUE_SPARE)
        return 0;
    return tcp_sndbuf(socket->pcb);
}

bool socket_can_send(const struct socket *socket)
{
    return socket->pcb != NULL && !socket->shut &&
           (socket->state == NET_OPENED || socket->state == NET_FINISHED);
}

static bool send_piece(struct socket *socket)
{
    u32 count;
    const u8 *bytes = ring_front(&socket->send, &count);
    u32 room = socket_room(socket);

    count = count < room ? count : room;
    count = count < SEND_PIECE ? count : SEND_PIECE;
    if (count == 0)
        return false;
    net_checksum_copies = !ip_addr_isloopback(&socket->pcb->remote_ip);
    socket->starved = tcp_write(socket->pcb, bytes, (u16)count, TCP_WRITE_FLAG_COPY) != ERR_OK;
    net_checksum_copies = true;
    if (socket->starved)
        return false;
    ring_consume(&socket->send, count);
    return true;
}

void socket_send(struct socket *socket)
{
    bool any = false;

    if (!socket_can_send(socket))
        return;
    s64 used = ring_used(&socket->send);
    if (used == 0 && !socket->finishing)
        return;
    if (used < 0) {
        socket_reset(socket, E_PROTO);
        return;
    }
    while (send_piece(socket))
        any = true;
    if (any)
        tcp_output(socket->pcb);
    if (any && ring_used(&socket->send) <= socket->send.capacity / 2)
        socket_wake_client(socket, NET_WAIT_WRITE);
    if (socket->finishing && ring_used(&socket->send) == 0) // all is with lwIP
        socket->shut = tcp_shutdown(socket->pcb, 0, 1) == ERR_OK;
}

// Tells lwIP how much the process has taken out of the ring: the peer may send as much anew. The
// window is no larger than the ring, so that everything that comes always fits.
void socket_credit(struct socket *socket)
{
    s64 room = ring_room(&socket->receive);

    if (socket->pcb == NULL || socket->state == NET_LISTENING)
        return;
    u32 tail = socket->receive.own - (socket->receive.capacity - (u32)room);
    u32 taken = tail - socket->credited;
    if (room < 0 || taken > socket->receive.capacity) { // it has put bytes back
        socket_reset(socket, E_PROTO);
        return;
    }
    socket->credited = tail;
    for (u32 piece; taken > 0; taken -= piece) {
        piece = taken < UINT16_MAX ? taken : UINT16_MAX;
        tcp_recved(socket->pcb, (u16)piece);
    }
}

bool socket_owes_window(const struct socket *socket)
{
    return socket->receive.own - socket->credited >= TCP_WND / 2;
}

// Tells lwIP that everything has been taken, since nobody will take it. The peer must be able to go
// on, or it would never come to its end.
void socket_credit_all(struct socket *socket)
{
    u32 left = socket->receive.own - socket->credited;

    socket->credited += left;
    for (u32 piece; left > 0; left -= piece) {
        piece = left < UINT16_MAX ? left : UINT16_MAX;
        tcp_recved(socket->pcb, (u16)piece);
    }
}

// Returns when to wake the process for bytes that have come. Waking it for each frame of a stream
// would cost more than the frames. When many bytes have come in the last moments, some more may
// come first; a single one wakes at once.
static u64 read_wake_time(struct socket *socket, u32 bytes)
{
    u64 now = time_now();

    if (now - socket->moment > time_from_us(MOMENT_US)) {
        bool directly_before = now - socket->moment < time_from_us(2 * MOMENT_US);
        socket->before = directly_before ? socket->recent : 0;
        socket->recent = 0;
        socket->moment = now;
    }
    socket->recent += bytes;
    bool much = socket->before + socket->recent >= MOMENT_BYTES;
    if (!much || ring_room(&socket->receive) < socket->receive.capacity * 3 / 4)
        return 0;
    return now + time_from_us(GATHER_US);
}

void socket_receive(struct socket *socket, const struct pbuf *bytes)
{
    for (const struct pbuf *piece = bytes; piece != NULL; piece = piece->next) {
        if (ring_write(&socket->receive, piece->payload, piece->len) != piece->len) {
            socket_reset(socket, E_PROTO);
            return;
        }
    }
    socket_wake_client_at(socket, NET_WAIT_READ, read_wake_time(socket, bytes->tot_len));
    if (socket_owes_window(socket))
        socket_ready(socket);
}

bool socket_takes_nothing(const struct socket *socket)
{
    bool held = socket->holder != NULL || socket->listener != NULL;
    return !held || (socket->deaf && socket->finishing);
}

void socket_note_unread(struct socket *socket)
{
    if (ring_room(&socket->receive) != (s64)socket->receive.capacity)
        socket->unread = true;
}

// Ends a connection that nobody holds, once both sides have said all.
void socket_finish(struct socket *socket)
{
    bool held = socket->holder != NULL || socket->listener != NULL;

    if (socket->peer_finished && socket->state == NET_OPENED)
        socket_set_state(socket, NET_FINISHED, 0);
    if (!held && socket->pcb != NULL && socket->peer_finished && socket->shut)
        socket_finish_orderly(socket);
}
