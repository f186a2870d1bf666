// SPDX-License-Identifier: MIT
// A socket's life, and what it tells its process.
#include "tcp_socket.h"

#include "holder.h"

#include <net/map.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <stdlib.h>

// ---- towards the process -----------------------------------------------------------------------

void socket_wake_client_at(struct socket *socket, u32 for_what, u64 when)
{
    if (socket->holder == NULL || (shared_load(&socket->shared->client_waits) & for_what) == 0)
        return;
    shared_store(&socket->shared->client_waits, 0);
    holder_wake(socket->holder, when);
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

struct socket *socket_new(struct co_class *class, struct holder *holder)
{
    struct socket *socket = calloc(1, sizeof(*socket));
    if (socket == NULL)
        return NULL;
    if (share(socket) != 0 || co_create_shared(class, &socket->root, &socket->rep.co) < 0) {
        unshare(socket);
        free(socket);
        return NULL;
    }
    socket->holder = holder;
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
