// SPDX-License-Identifier: MIT
// TCP by lwIP's raw callbacks on one side, rings on the other.
//
// A socket lives from socket_create or lwIP's accept until both sides have let go of it: `session`
// is NULL once (or as long as) no process holds it, `pcb` is NULL once the connection is gone.
#include "socket.h"

#include "server.h"
#include "session.h"

#include <lwip/tcp.h>
#include <net/map.h>
#include <ipc/net_session.h>
#include <orrery/memory.h>
#include <stdlib.h>
#include <user/scheduler.h>
#include <user/time.h>

#define KEEP_IDLE_MS 10000 // a silent peer is asked after this, then three times again
#define KEEP_INTERVAL_MS 5000
#define KEEP_COUNT 3
#define LINGER_POLLS                                                                               \
    20 // half seconds without progress that a connection nobody holds may take to end
#define MOMENT_US 2000     // a stream is what brings …
#define MOMENT_BYTES 16384 // … so much in such a time
#define GATHER_US 400      // how long it may wait
#define SEND_PIECE (16 * TCP_MSS)
#define SEND_QUEUE_SPARE (SEND_PIECE / TCP_MSS)

struct socket {
    struct co_root root;
    struct socket_rep rep;
    struct session *session;
    struct tcp_pcb *pcb;
    struct net_shared *shared;
    cap_t memory; // that it lies in, until the process has it
    struct ring send, receive;
    u32 credited;       // of what was put into receive: what the peer's window has back
    u32 state;          // enum net_state
    bool starved;       // lwIP had no memory for what the send ring holds
    bool finishing;     // the sending side ends when its ring is empty
    bool shut;          // it has ended
    bool peer_finished; // the peer will send no more
    u8 polls;           // without progress, when nobody holds it
    u32 offers;         // of a listener
    u64 moment;         // when this one began, and what has come in it and in the one before
    u32 recent, before;
    struct socket *listener;                       // of a connection that waits to be accepted
    struct socket *waiting, **waiting_end, *after; // listener: connections; connection: the next
    struct socket *next, **link;                   // of all
};

// The list of all sockets changes under net_lock and this lock; the scan takes only this one.
static struct user_spin list_lock;
static struct socket *all;

static const struct tcp_pcb *aborted; // in a callback: lwIP must be told when its own pcb is gone

static struct socket *socket_of(struct socket_rep *self)
{
    return (struct socket *)self->co.root;
}

// ---- towards the process -----------------------------------------------------------------------

static void wake_client_at(struct socket *socket, u32 for_what, u64 when)
{
    if (socket->session == NULL || (shared_load(&socket->shared->client_waits) & for_what) == 0)
        return;
    shared_store(&socket->shared->client_waits, 0);
    session_wake(socket->session, when);
}

static void wake_client(struct socket *socket, u32 for_what)
{
    wake_client_at(socket, for_what, 0);
}

static void set_state(struct socket *socket, u32 state, s32 error)
{
    socket->state = state;
    shared_store(&socket->shared->error, error);
    shared_store(&socket->shared->state, state);
    wake_client(socket, NET_WAIT_READ | NET_WAIT_WRITE);
}

// ---- life --------------------------------------------------------------------------------------

static void list_add(struct socket *socket)
{
    u32 before = user_disable();
    user_spin_lock(&list_lock);
    socket->next = all;
    socket->link = &all;
    if (all != NULL)
        all->link = &socket->next;
    all = socket;
    user_spin_unlock(&list_lock);
    user_enable(before);
}

static void list_remove(struct socket *socket)
{
    u32 before = user_disable();
    user_spin_lock(&list_lock);
    *socket->link = socket->next;
    if (socket->next != NULL)
        socket->next->link = socket->link;
    user_spin_unlock(&list_lock);
    user_enable(before);
}

static void socket_free(struct co_root *root)
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

static struct co_class socket_class;

static struct socket *socket_new(struct session *session)
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
    list_add(socket);
    return socket;
}

// Nobody knows it any more. Its memory goes when no method runs in it.
static void socket_end(struct socket *socket)
{
    unshare(socket);
    list_remove(socket);
    co_destroy(socket->root.coid);
}

static void leave_listener(struct socket *socket)
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

// The connection has gone. A socket that a process holds stays, to tell about it.
static void lost(struct socket *socket, s32 error)
{
    socket->pcb = NULL;
    leave_listener(socket);
    if (socket->session == NULL)
        socket_end(socket);
    else
        set_state(socket, NET_FAILED, error);
}

// Takes our callbacks off the connection.
static struct tcp_pcb *detach(struct socket *socket)
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

static void reset(struct socket *socket, s32 error)
{
    struct tcp_pcb *pcb = detach(socket);
    aborted = pcb;
    tcp_abort(pcb);
    lost(socket, error);
}

// Both sides have said all: lwIP sees to the rest.
static void finish_orderly(struct socket *socket)
{
    struct tcp_pcb *pcb = detach(socket);
    if (tcp_close(pcb) != ERR_OK) {
        aborted = pcb;
        tcp_abort(pcb);
    }
    lost(socket, E_PEER);
}

// ---- bytes -------------------------------------------------------------------------------------

static u32 connection_room(const struct socket *socket)
{
    if (tcp_sndqueuelen(socket->pcb) >= TCP_SND_QUEUELEN - SEND_QUEUE_SPARE)
        return 0;
    return tcp_sndbuf(socket->pcb);
}

static bool can_send(const struct socket *socket)
{
    return socket->pcb != NULL && !socket->shut &&
           (socket->state == NET_OPENED || socket->state == NET_FINISHED);
}

// The process has written nonsense into the shared memory.
static bool broken(struct socket *socket)
{
    reset(socket, E_PROTO);
    return true;
}

static bool send_piece(struct socket *socket)
{
    u32 count;
    const u8 *bytes = ring_front(&socket->send, &count);
    u32 room = connection_room(socket);

    count = count < room ? count : room;
    count = count < SEND_PIECE ? count : SEND_PIECE;
    if (count == 0)
        return false;
    socket->starved = tcp_write(socket->pcb, bytes, (u16)count, TCP_WRITE_FLAG_COPY) != ERR_OK;
    if (socket->starved)
        return false;
    ring_consume(&socket->send, count);
    return true;
}

// The sending side ends once all is with lwIP.
static void shut_when_sent(struct socket *socket)
{
    if (socket->finishing && ring_used(&socket->send) == 0)
        socket->shut = tcp_shutdown(socket->pcb, 0, 1) == ERR_OK;
}

static bool send_from_ring(struct socket *socket)
{
    bool any = false;

    if (!can_send(socket))
        return false;
    if (ring_used(&socket->send) < 0)
        return broken(socket);
    while (send_piece(socket))
        any = true;
    if (any)
        tcp_output(socket->pcb);
    if (any && ring_used(&socket->send) <= socket->send.capacity / 2)
        wake_client(socket, NET_WAIT_WRITE);
    shut_when_sent(socket);
    return any;
}

// What the process has taken out of the ring, the peer may send anew. The window is no larger than
// the ring, so that everything that comes always fits.
static bool credit(struct socket *socket)
{
    s64 room = ring_room(&socket->receive);

    if (socket->pcb == NULL || socket->state == NET_LISTENING)
        return false;
    if (room < 0)
        return broken(socket);
    u32 tail = socket->receive.own - (socket->receive.capacity - (u32)room);
    u32 taken = tail - socket->credited;
    if (taken == 0)
        return false;
    if (taken > socket->receive.capacity)
        return broken(socket); // it has put bytes back
    socket->credited = tail;
    for (u32 piece; taken > 0; taken -= piece) {
        piece = taken < UINT16_MAX ? taken : UINT16_MAX;
        tcp_recved(socket->pcb, (u16)piece);
    }
    return true;
}

// Nobody will take it: the peer must be able to go on, or it would never come to its end.
static void credit_all(struct socket *socket)
{
    u32 left = socket->receive.own - socket->credited;

    socket->credited += left;
    for (u32 piece; left > 0; left -= piece) {
        piece = left < UINT16_MAX ? left : UINT16_MAX;
        tcp_recved(socket->pcb, (u16)piece);
    }
}

// Waking a process for each frame of a stream would cost more than the frames. When many bytes have
// come in the last moments, some more may come first; a single one wakes at once.
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

static void receive_into_ring(struct socket *socket, const struct pbuf *bytes)
{
    for (const struct pbuf *piece = bytes; piece != NULL; piece = piece->next) {
        if (ring_write(&socket->receive, piece->payload, piece->len) != piece->len) {
            broken(socket);
            return;
        }
    }
    wake_client_at(socket, NET_WAIT_READ, read_wake_time(socket, bytes->tot_len));
}

// A connection that nobody holds ends when both sides have said all.
static void settle(struct socket *socket)
{
    bool held = socket->session != NULL || socket->listener != NULL;

    if (socket->peer_finished && socket->state == NET_OPENED)
        set_state(socket, NET_FINISHED, 0);
    if (!held && socket->pcb != NULL && socket->peer_finished && socket->shut)
        finish_orderly(socket);
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
        settle(socket);
        return callback_result(pcb);
    }
    if (socket->session != NULL || socket->listener != NULL)
        receive_into_ring(socket, bytes);
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
    send_from_ring(socket);
    settle(socket);
    return callback_result(pcb);
}

static err_t on_poll(void *argument, struct tcp_pcb *pcb)
{
    struct socket *socket = argument;
    bool held = socket->session != NULL || socket->listener != NULL;

    aborted = NULL;
    if (!held && ++socket->polls >= LINGER_POLLS)
        reset(socket, E_TIMEOUT);
    else
        send_from_ring(socket); // when lwIP had no memory
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

static void attach(struct socket *socket, struct tcp_pcb *pcb)
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

static err_t on_connected(void *argument, struct tcp_pcb *pcb, err_t error)
{
    struct socket *socket = argument;

    (void)error; // always ERR_OK
    aborted = NULL;
    set_state(socket, NET_OPENED, 0);
    send_from_ring(socket);
    return callback_result(pcb);
}

static err_t on_accept(void *argument, struct tcp_pcb *pcb, err_t error)
{
    struct socket *listener = argument;

    if (error != ERR_OK || pcb == NULL || listener == NULL)
        return ERR_VAL;
    struct socket *socket = socket_new(NULL);
    if (socket == NULL) {
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    set_state(socket, NET_OPENED, 0);
    socket->listener = listener;
    *listener->waiting_end = socket;
    listener->waiting_end = &socket->after;
    attach(socket, pcb);
    tcp_backlog_delayed(pcb);
    shared_store(&listener->shared->offers, ++listener->offers);
    wake_client(listener, NET_WAIT_READ);
    return ERR_OK;
}

// ---- methods -----------------------------------------------------------------------------------

static CO_METHOD s64 tcp_socket_work(struct socket_rep *self)
{
    CO_HOME(self);
    struct socket *socket = socket_of(self);

    bool any = socket->session != NULL && credit(socket);
    return send_from_ring(socket) || any;
}

// Asks for nothing that there is no room for: lwIP's callbacks go on with that.
static CO_METHOD s64 tcp_socket_await(struct socket_rep *self)
{
    CO_HOME(self);
    struct socket *socket = socket_of(self);
    u32 waits = 0;

    if (socket->session == NULL || socket->pcb == NULL || socket->state == NET_LISTENING)
        return 0;
    if (can_send(socket) && !socket->starved && connection_room(socket) > 0)
        waits |= NET_WAIT_READ;
    if (socket->receive.own - socket->credited >= TCP_WND / 2)
        waits |= NET_WAIT_WRITE;
    if (waits == 0)
        return 0;
    shared_store(&socket->shared->server_waits, waits);
    return ((waits & NET_WAIT_READ) != 0 && ring_used(&socket->send) != 0) ||
           ((waits & NET_WAIT_WRITE) != 0 && credit(socket));
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
    err_t error = tcp_bind(socket->pcb, &own, (u16)port);
    if (error != ERR_OK)
        return error == ERR_USE ? E_EXIST : E_INVAL;
    return socket->pcb->local_port;
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
    set_state(socket, NET_LISTENING, 0);
    return 0;
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
    set_state(socket, NET_CONNECTING, 0);
    err_t error = tcp_connect(socket->pcb, &peer, (u16)port, on_connected);
    if (error == ERR_OK)
        return 0;
    set_state(socket, NET_IDLE, 0);
    return error == ERR_RTE ? E_NOENT : E_NOMEM;
}

static CO_METHOD s64 tcp_socket_finish(struct socket_rep *self)
{
    CO_HOME(self);
    struct socket *socket = socket_of(self);

    if (!can_send(socket) && !socket->shut)
        return E_BUSY;
    socket->finishing = true;
    send_from_ring(socket);
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
    .await = tcp_socket_await,
    .bind = tcp_socket_bind,
    .listen = tcp_socket_listen,
    .connect = tcp_socket_connect,
    .finish = tcp_socket_finish,
    .set_option = tcp_socket_set_option,
};

static struct co_class socket_class = {
    .name = "Socket",
    .implementation = "TcpSocket",
    .size = sizeof(struct socket),
    .ops = &tcp_socket_ops.base,
    .destroy = socket_free,
};

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
    attach(socket, pcb);
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
    leave_listener(socket);
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
        reset(listener->waiting, E_PEER);
}

void socket_release(struct socket *socket)
{
    socket->session = NULL;
    if (socket->state == NET_LISTENING) {
        refuse_waiting(socket);
        tcp_close(detach(socket)); // of a listening one: cannot fail
        socket_end(socket);
    } else if (socket->pcb == NULL) {
        socket_end(socket);
    } else if (socket->state == NET_IDLE || socket->state == NET_CONNECTING) {
        reset(socket, 0);
    } else {
        socket->finishing = true;
        socket->polls = 0;
        credit_all(socket);
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
    reset(socket, 0);
}

// ---- all of them -------------------------------------------------------------------------------

bool sockets_work(void)
{
    bool any = false;

    for (struct socket *socket = all, *next; socket != NULL; socket = next) {
        next = socket->next;
        any |= CO_CALL(struct socket_rep, socket->root.coid, work) > 0;
    }
    return any;
}

bool sockets_await(void)
{
    bool any = false;

    for (struct socket *socket = all; socket != NULL; socket = socket->next)
        any |= CO_CALL(struct socket_rep, socket->root.coid, await) > 0;
    return any;
}

u32 sockets_unheld(coid_t *out, u32 max)
{
    u32 count = 0;

    u32 before = user_disable();
    user_spin_lock(&list_lock);
    for (struct socket *socket = all; socket != NULL && (out == NULL || count < max);
         socket = socket->next) {
        if (socket->session != NULL)
            continue;
        if (out != NULL)
            out[count] = socket->root.coid;
        count++;
    }
    user_spin_unlock(&list_lock);
    user_enable(before);
    return count;
}
