// SPDX-License-Identifier: MIT
#include "socket.h"

#include <net/map.h>
#include <string.h>

// ---- life --------------------------------------------------------------------------------------

// Maps the memory of a socket of this number: new, or what has been kept of the one before.
static s64 map(struct net_session *session, u32 number, cap_t memory, void **address)
{
    void **mapped = &session->mapped[number];

    if (memory == 0) {
        *address = __atomic_load_n(mapped, __ATOMIC_ACQUIRE);
        return *address == NULL ? E_PROTO : 0;
    }
    s64 error = net_map(memory, address);
    sys_cap_drop(memory);
    if (error != 0)
        return error;
    void *before = __atomic_exchange_n(mapped, *address, __ATOMIC_ACQ_REL);
    if (before != NULL)
        net_unmap(before);
    return 0;
}

// Takes over the session's reference and the capability.
static s64 set_up(struct net_socket *socket, struct net_session *session, u32 number, cap_t memory)
{
    void *address;
    u32 kept, wake = 0;

    *socket = (struct net_socket){.session = session, .number = number};
    s64 error = number < NET_SOCKETS_MAX ? map(session, number, memory, &address) : E_PROTO;
    if (error != 0) {
        session_woken(net_session_abort(session->endpoint, number, 0, &kept, &wake), &wake);
        session_put(session);
        return error;
    }
    u8 *rings = (u8 *)address + NET_CONTROL_BYTES;
    socket->shared = address;
    ring_init(&socket->send, &socket->shared->send, rings, NET_RING_BYTES);
    ring_init(&socket->receive, &socket->shared->receive, rings + NET_RING_BYTES, NET_RING_BYTES);
    return 0;
}

s64 net_socket_open(u64 deadline, struct net_socket *socket)
{
    struct net_session *session;
    u32 number;
    cap_t memory;

    s64 error = session_get(deadline, &session);
    if (error != 0)
        return error;
    error = net_session_create(session->endpoint, &number, &memory);
    if (error != 0) {
        session_put(session);
        return error;
    }
    return set_up(socket, session, number, memory);
}

// Another thread may have a new socket of this number, and its memory, before the answer comes.
void net_socket_close(struct net_socket *socket, bool reset)
{
    struct net_session *session = socket->session;
    void *address = socket->shared;
    u32 kept = 0, wake = 0;
    s64 error = reset ? net_session_abort(session->endpoint, socket->number, 1, &kept, &wake)
                      : net_session_close(session->endpoint, socket->number, 1, &kept, &wake);
    session_woken(error, &wake);
    if (kept == 0 && __atomic_compare_exchange_n(&session->mapped[socket->number], &address, NULL,
                                                 false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        net_unmap(socket->shared);
    session_put(session);
    memset(socket, 0, sizeof(*socket));
}

// ---- commands ----------------------------------------------------------------------------------

s64 net_socket_bind(struct net_socket *socket, u32 address, u32 port, u32 *bound)
{
    return net_session_bind(socket->session->endpoint, socket->number, address, port, bound);
}

s64 net_socket_listen(struct net_socket *socket, u32 backlog)
{
    return net_session_listen(socket->session->endpoint, socket->number, backlog);
}

s64 net_socket_connect(struct net_socket *socket, u32 address, u32 port)
{
    u32 wake = 0;

    s64 error =
        net_session_connect(socket->session->endpoint, socket->number, address, port, &wake);
    session_woken(error, &wake);
    return error;
}

s64 net_socket_finish(struct net_socket *socket)
{
    u32 wake = 0;

    socket->finished = true;
    s64 error = net_session_finish(socket->session->endpoint, socket->number, socket->deaf, &wake);
    session_woken(error, &wake);
    return error;
}

void net_socket_end_reading(struct net_socket *socket)
{
    u32 wake = 1;

    socket->deaf = true;
    session_woken(0, &wake);
}

s64 net_socket_names(struct net_socket *socket, struct net_names *names)
{
    return net_session_names(socket->session->endpoint, socket->number, names);
}

// In this order: when both are equal, there was none at the time of the second.
static bool offered(const struct net_socket *socket)
{
    u32 none_since = shared_load(&socket->shared->none_since);
    return shared_load(&socket->shared->offers) != none_since;
}

s64 net_socket_accept(struct net_socket *listener, struct net_socket *socket,
                      struct net_names *names)
{
    u32 number;
    cap_t memory;

    if (net_socket_state(listener) == NET_FAILED)
        return net_socket_error(listener);
    if (net_socket_state(listener) == NET_LISTENING && !offered(listener))
        return E_AGAIN;
    struct net_session *session = listener->session;
    s64 error = net_session_accept(session->endpoint, listener->number, &number, names, &memory);
    if (error != 0)
        return error;
    __atomic_add_fetch(&session->references, 1, __ATOMIC_RELAXED);
    return set_up(socket, session, number, memory);
}

// ---- states ------------------------------------------------------------------------------------

u32 net_socket_state(const struct net_socket *socket)
{
    return session_lost(socket->session) ? NET_FAILED : shared_load(&socket->shared->state);
}

s64 net_socket_error(const struct net_socket *socket)
{
    if (session_lost(socket->session))
        return E_PEER;
    if (shared_load(&socket->shared->state) != NET_FAILED)
        return 0;
    s32 error = shared_load(&socket->shared->error);
    return error < 0 ? error : E_PEER;
}

u32 net_socket_ready(const struct net_socket *socket)
{
    u32 state = net_socket_state(socket);
    u32 ready = 0;

    if (state == NET_FAILED)
        return NET_WAIT_READ | NET_WAIT_WRITE;
    if (state == NET_LISTENING)
        return offered(socket) ? NET_WAIT_READ : 0;
    if (state == NET_FINISHED || socket->deaf || ring_used(&socket->receive) != 0)
        ready |= NET_WAIT_READ;
    if (state != NET_CONNECTING && state != NET_IDLE &&
        (socket->finished || ring_room(&socket->send) != 0))
        ready |= NET_WAIT_WRITE;
    return ready;
}

// What happened before the asking does not wake, so it looks once more.
u32 net_socket_wanted(struct net_socket *socket, u32 waits)
{
    u32 ready = net_socket_ready(socket) & waits;
    if (ready != 0)
        return ready;
    u32 *client_waits = &socket->shared->client_waits;
    shared_store(client_waits, shared_load(client_waits) | waits);
    return net_socket_ready(socket) & waits;
}

bool net_socket_watch(struct net_socket *socket)
{
    u32 *client_waits = &socket->shared->client_waits;

    if (net_socket_state(socket) == NET_FAILED)
        return true;
    shared_store(client_waits, shared_load(client_waits) | NET_WAIT_WRITE);
    return net_socket_state(socket) == NET_FAILED;
}

// ---- bytes -------------------------------------------------------------------------------------

static void wake_server(struct net_socket *socket, u32 for_what)
{
    if ((shared_load(&socket->shared->server_waits) & for_what) == 0)
        return;
    shared_store(&socket->shared->server_waits, 0);
    session_ring(socket->session, socket->number);
}

const u8 *net_socket_front(struct net_socket *socket, u32 *count)
{
    return ring_front(&socket->receive, count);
}

// The server wants to know in good time before the ring is empty, but not for every byte.
void net_socket_taken(struct net_socket *socket, u32 count)
{
    ring_consume(&socket->receive, count);
    if (ring_used(&socket->receive) < socket->receive.capacity / 4)
        wake_server(socket, NET_WAIT_WRITE);
}

s64 net_socket_read(struct net_socket *socket, void *to, u64 count, bool peek)
{
    u32 state = net_socket_state(socket); // before the ring: what it holds came before the end
    s64 got = ring_peek(&socket->receive, to, count);

    if (got > 0 && !peek)
        net_socket_taken(socket, (u32)got);
    if (got != 0 || count == 0)
        return got;
    s64 error = state == NET_FAILED ? net_socket_error(socket) : 0;
    if (error != 0 && error != E_STALE) // then the peer had ended its side in order
        return error;
    return error != 0 || state == NET_FINISHED || socket->deaf ? 0 : E_AGAIN;
}

s64 net_socket_write(struct net_socket *socket, const void *from, u64 count)
{
    u32 state = net_socket_state(socket);

    if (state == NET_FAILED)
        return net_socket_error(socket);
    if (socket->finished)
        return E_PEER;
    s64 put = ring_write(&socket->send, from, count);
    if (put > 0)
        wake_server(socket, NET_WAIT_READ);
    return put == 0 && count > 0 ? E_AGAIN : put;
}

u64 net_socket_room(const struct net_socket *socket)
{
    s64 room = ring_room(&socket->send);
    return room > 0 ? (u64)room : 0;
}
