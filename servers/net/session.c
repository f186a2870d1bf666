// SPDX-License-Identifier: MIT
// Sessions: how they begin and end, and wake-ups.
#include "session.h"

#include "server.h"
#include "session_state.h"
#include "socket.h"

#include <ipc/net.h>
#include <ipc/net_session.h>
#include <net/map.h>
#include <stdlib.h>
#include <user/ipc.h>
#include <user/process.h>
#include <user/thread.h>

static struct client_session *sessions[NET_SESSIONS_MAX];
struct holder *holders;
cap_t sessions_doorbell;

// ---- the object --------------------------------------------------------------------------------

// Sockets' memory stays while a scan looks at it, so these take no lock.
static CO_METHOD s64 session_num_children(struct co_rep *self)
{
    CO_HOME(self);
    const struct client_session *session = (const struct client_session *)self->root;
    s64 count = 0;

    for (u32 i = 0; i < NET_SOCKETS_MAX; i++)
        count += session->sockets[i] != NULL;
    return count;
}

static CO_METHOD s64 session_children(struct co_rep *self, coid_t *out, u32 max)
{
    CO_HOME(self);
    const struct client_session *session = (const struct client_session *)self->root;
    u32 count = 0;

    for (u32 i = 0; i < NET_SOCKETS_MAX && count < max; i++) {
        const struct socket *socket = session->sockets[i];
        if (socket != NULL)
            out[count++] = socket_coid(socket);
    }
    return count;
}

static CO_METHOD s64 session_find(struct session_rep *self)
{
    CO_HOME(self);
    return (s64)self->co.root; // root is the session's first member
}

static void session_free(struct co_root *root)
{
    free(root);
}

static const struct session_ops session_ops = {
    .base = {.get_num_children = session_num_children, .get_children = session_children},
    .find = session_find,
};

static struct co_class session_class = {
    .name = "Session",
    .implementation = "NetSession",
    .size = sizeof(struct client_session),
    .ops = &session_ops.base,
    .destroy = session_free,
};

u32 sessions_count(void)
{
    u32 count = 0;
    for (u32 i = 0; i < NET_SESSIONS_MAX; i++)
        count += sessions[i] != NULL;
    return count;
}

u32 sessions_coids(coid_t *out, u32 max)
{
    u32 count = 0;
    for (u32 i = 0; i < NET_SESSIONS_MAX && count < max; i++) {
        const struct client_session *session = sessions[i];
        if (session != NULL)
            out[count++] = session->root.coid;
    }
    return count;
}

// ---- wake-ups ----------------------------------------------------------------------------------

static void session_end(struct client_session *session)
{
    for (u32 i = 0; i < NET_SOCKETS_MAX; i++) {
        struct socket *socket = session->sockets[i];
        session->sockets[i] = NULL;
        if (socket != NULL)
            socket_release(socket);
        if (session->kept[i] != NULL)
            net_unmap(session->kept[i]);
    }
    holder_rest(&session->holder);
    ipc_endpoint_close(session->endpoint);
    if (session->client != 0)
        sys_cap_drop(session->client);
    sessions[session->slot] = NULL;
    co_destroy(session->root.coid);
}

// A full queue is no loss: what is in it says the same.
static void send_wake(struct client_session *session)
{
    static const u64 nothing[MESSAGE_WORDS];

    holder_rest(&session->holder);
    s64 error = ipc_send(session->client, -1, nothing);
    if (error != 0 && error != E_AGAIN && error != E_NOMEM) {
        session_end(session);
        server_wake(); // its connections have to end
    }
}

void sessions_wake(u64 now)
{
    for (struct holder *holder = holders, *next; holder != NULL; holder = next) {
        next = holder->next;
        if (holder->wake <= now)
            send_wake(container_of(holder, struct client_session, holder));
    }
}

u64 sessions_deadline(void)
{
    u64 next = UINT64_MAX;

    for (const struct holder *holder = holders; holder != NULL; holder = holder->next)
        next = holder->wake < next ? holder->wake : next;
    return next;
}

// A thread of each session: a call that the process never answers ends when the process does.
static s64 watch(void *argument)
{
    struct ipc_message message = {0};
    coid_t coid = (coid_t)argument;

    mutex_lock(&net_lock);
    s64 found = CO_CALL(struct session_rep, coid, find);
    cap_t copy = found > 0 ? ((struct client_session *)found)->watched : 0;
    mutex_unlock(&net_lock);
    if (copy != 0) {
        ipc_call(copy, &message);
        sys_cap_drop(copy);
        if (message.received_cap != 0) // it has answered, and with something that nobody asked for
            sys_cap_drop(message.received_cap);
    }
    mutex_lock(&net_lock);
    found = CO_CALL(struct session_rep, coid, find);
    if (found > 0)
        session_end((struct client_session *)found);
    mutex_unlock(&net_lock);
    server_wake();
    return 0;
}

// ---- the service -------------------------------------------------------------------------------

static s64 session_create(u32 slot, u32 pid, cap_t wake, cap_t *endpoint)
{
    struct client_session *session = calloc(1, sizeof(*session));
    if (session == NULL)
        return E_NOMEM;
    session->slot = slot;
    session->pid = pid;
    session->client = wake;
    holder_rest(&session->holder);
    s64 coid = co_create_shared(&session_class, &session->root, &session->rep.co);
    if (coid < 0) {
        free(session);
        return coid;
    }
    session->service =
        (struct ipc_service){.dispatch = net_session_dispatch, .context = (void *)coid};
    s64 made = ipc_interface_endpoint(&session->service);
    if (made < 0) {
        co_destroy((coid_t)coid);
        return made;
    }
    *endpoint = session->endpoint = (cap_t)made;
    sessions[slot] = session;
    return 0;
}

static s64 start_watching(struct client_session *session)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *thread;

    s64 copy = sys_cap_copy(session->client);
    if (copy < 0)
        return copy;
    session->watched = (cap_t)copy;
    attributes.name = "session";
    attributes.stack_bytes = THREAD_STACK_MIN;
    attributes.detached = true;
    s64 error = thread_create(&thread, &attributes, watch, (void *)session->root.coid);
    if (error != 0)
        sys_cap_drop(session->watched);
    return error;
}

// Returns a free slot that the process may have, or E_LIMIT.
static s64 free_slot(u32 pid)
{
    u32 own = 0, end = process_has_right(pid, RIGHT_ALL) ? NET_SESSIONS_MAX
                                                         : NET_SESSIONS_MAX - NET_SESSIONS_RESERVED;
    s64 slot = E_LIMIT;

    for (u32 i = 0; i < NET_SESSIONS_MAX; i++) {
        own += sessions[i] != NULL && sessions[i]->pid == pid;
        if (sessions[i] == NULL && slot < 0 && i < end)
            slot = i;
    }
    return own < NET_SESSIONS_OF_PROCESS ? slot : E_LIMIT;
}

static s64 open_session(u32 pid, cap_t wake, cap_t *endpoint)
{
    s64 slot = free_slot(pid);

    if (slot < 0)
        return slot;
    s64 error = session_create((u32)slot, pid, wake, endpoint);
    if (error != 0)
        return error;
    error = start_watching(sessions[slot]);
    if (error != 0) {
        sessions[slot]->client = 0; // stays the caller's, who drops it
        session_end(sessions[slot]);
    }
    return error;
}

s64 net_server_open(struct ipc_caller *caller, cap_t wake, cap_t *session)
{
    if (wake == 0)
        return E_INVAL;
    mutex_lock(&net_lock);
    s64 error = open_session(caller->pid, wake, session);
    mutex_unlock(&net_lock);
    server_wake();
    return error;
}

// Looks at all sessions of one process, which has not said which.
static void look_at_all(u32 pid)
{
    mutex_lock(&net_lock);
    for (u32 i = 0; i < NET_SESSIONS_MAX; i++)
        for (u32 j = 0; sessions[i] != NULL && sessions[i]->pid == pid && j < NET_SOCKETS_MAX; j++)
            if (sessions[i]->sockets[j] != NULL)
                socket_ready(sessions[i]->sockets[j]);
    server_turn();
    mutex_unlock(&net_lock);
}

static s64 on_doorbell(struct ipc_request *request)
{
    if (request->cap != 0)
        sys_cap_drop(request->cap);
    if (request->call == 0)
        look_at_all(request->pid);
    return request->call == 0 ? 0 : E_NOTSUP;
}

s64 sessions_start(cap_t *service)
{
    static const struct ipc_service net = {.dispatch = net_dispatch};

    s64 endpoint = ipc_endpoint(on_doorbell, NULL);
    if (endpoint < 0)
        return endpoint;
    sessions_doorbell = (cap_t)endpoint;
    endpoint = ipc_interface_endpoint(&net);
    *service = (cap_t)endpoint;
    return endpoint < 0 ? endpoint : 0;
}
