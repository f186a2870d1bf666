// SPDX-License-Identifier: MIT
// A socket's life, and what it tells its process.
#include "tcp_socket.h"

#include "holder.h"

#include <net/map.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <stdlib.h>

#define EARLY_BYTES_MAX 1024

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

// ---- memory that it shares ---------------------------------------------------------------------

static struct net_shared nobodys; // of those that share none: what a socket tells is lost there

static void set_up_rings(struct socket *socket, struct net_shared *shared, u8 *send, u8 *receive)
{
    socket->shared = shared;
    socket->credited = 0;
    ring_init(&socket->send, &shared->send, send, NET_RING_BYTES);
    ring_init(&socket->receive, &shared->receive, receive, NET_RING_BYTES);
}

// Its rings stay empty.
static void share_nothing(struct socket *socket)
{
    set_up_rings(socket, &nobodys, NULL, NULL);
}

static void forget_early(struct socket *socket)
{
    free(socket->early);
    socket->early = NULL;
    socket->early_count = 0;
}

static void use(struct socket *socket, void *memory)
{
    u8 *rings = (u8 *)memory + NET_CONTROL_BYTES;

    set_up_rings(socket, memory, rings, rings + NET_RING_BYTES);
    if (socket->early != NULL)
        ring_write(&socket->receive, socket->early, socket->early_count);
    forget_early(socket);
    shared_store(&socket->shared->state, socket->state);
}

bool socket_hold_early(struct socket *socket, const struct pbuf *bytes)
{
    if (socket->early != NULL || bytes->tot_len > EARLY_BYTES_MAX)
        return false;
    socket->early = malloc(bytes->tot_len);
    if (socket->early == NULL)
        return false;
    socket->early_count = pbuf_copy_partial(bytes, socket->early, bytes->tot_len, 0);
    return true;
}

bool socket_shares(const struct socket *socket)
{
    return socket->shared != &nobodys;
}

void socket_use(struct socket *socket, struct net_shared *kept)
{
    memset(kept, 0, sizeof(*kept));
    use(socket, kept);
}

s64 socket_share(struct socket *socket)
{
    void *memory;

    s64 cap = sys_memory_new("socket", NET_SOCKET_BYTES);
    if (cap < 0)
        return cap;
    s64 error = net_map((cap_t)cap, &memory);
    if (error != 0) {
        sys_cap_drop((cap_t)cap);
        return error;
    }
    socket->memory = (cap_t)cap;
    use(socket, memory);
    return 0;
}

struct net_shared *socket_unshare(struct socket *socket)
{
    struct net_shared *shared = socket->shared;

    if (socket->memory != 0)
        sys_cap_drop(socket->memory);
    socket->memory = 0;
    if (!socket_shares(socket))
        return NULL;
    share_nothing(socket);
    return shared;
}

// ---- life --------------------------------------------------------------------------------------

void socket_free(struct co_root *root)
{
    free(root); // root is the socket's first member
}

struct socket *socket_new(struct co_class *class, struct holder *holder)
{
    struct socket *socket = calloc(1, sizeof(*socket));
    if (socket == NULL)
        return NULL;
    if (co_create_shared(class, &socket->root, &socket->rep.co) < 0) {
        free(socket);
        return NULL;
    }
    share_nothing(socket);
    socket->holder = holder;
    socket->waiting_end = &socket->waiting;
    socket_list_add(socket);
    return socket;
}

// Ends a socket that nobody knows any more. Its memory goes when no method runs in it.
void socket_end(struct socket *socket)
{
    forget_early(socket);
    struct net_shared *shared = socket_unshare(socket);
    if (shared != NULL)
        net_unmap(shared);
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
    if (listener->waiting == NULL)
        shared_store(&listener->shared->none_since, listener->offers);
    socket->listener = NULL;
}
