// SPDX-License-Identifier: MIT
// The calls that a process makes on its sockets.
#include "server.h"
#include "session_state.h"
#include "socket.h"

#include <ipc/net_session.h>
#include <net/map.h>
#include <user/ipc.h>

// Takes the lock: the caller's session, or NULL when it has ended.
static struct client_session *enter(const struct ipc_caller *caller)
{
    mutex_lock(&net_lock);
    s64 found = CO_CALL(struct session_rep, (coid_t)caller->context, find);
    return found > 0 ? (struct client_session *)found : NULL; // E_STALE
}

// Ends a call: does what the call has given lwIP and others to do. Returns the result.
static s64 leave(s64 result)
{
    server_turn();
    mutex_unlock(&net_lock);
    return result;
}

// Does as leave for a call that may wake its own process. The wake-up goes along with the answer,
// if that is no error: a message would cost more than the rest.
static s64 leave_woken(struct client_session *session, u32 *wake, s64 result)
{
    server_work();
    *wake = result == 0 && session->holder.wake == 0;
    if (*wake)
        holder_rest(&session->holder);
    return leave(result);
}

static struct socket *socket_at(const struct client_session *session, u32 number)
{
    return session != NULL && number < NET_SOCKETS_MAX ? session->sockets[number] : NULL;
}

// Takes the lock: one of the caller's sockets, or NULL.
static struct socket *enter_socket(const struct ipc_caller *caller, u32 number)
{
    return socket_at(enter(caller), number);
}

static s64 free_number(const struct client_session *session)
{
    for (u32 i = 0; i < NET_SOCKETS_MAX; i++)
        if (session->sockets[i] == NULL)
            return i;
    return E_LIMIT;
}

s64 net_session_server_stay(struct ipc_caller *caller)
{
    (void)caller;
    return IPC_LATER;
}

s64 net_session_server_doorbell(struct ipc_caller *caller, cap_t *endpoint)
{
    (void)caller;
    *endpoint = sessions_doorbell;
    return 0;
}

s64 net_session_server_poll(struct ipc_caller *caller, u32 number, u32 *wake)
{
    struct client_session *session = enter(caller);
    if (session == NULL || number >= NET_SOCKETS_MAX || session->sockets[number] == NULL)
        return leave(E_NOENT);
    socket_ready(session->sockets[number]);
    return leave_woken(session, wake, 0);
}

static s64 create(struct client_session *session, u32 *number, cap_t *memory)
{
    if (session == NULL)
        return E_PEER;
    s64 free = free_number(session);
    if (free < 0)
        return free;
    *number = (u32)free;
    s64 error =
        socket_create(&session->holder, &session->sockets[free], &session->kept[free], memory);
    session->kept_count -= error == 0 && *memory == 0;
    return error;
}

s64 net_session_server_create(struct ipc_caller *caller, u32 *number, cap_t *memory)
{
    caller->drop_answer = true;
    return leave(create(enter(caller), number, memory));
}

s64 net_session_server_bind(struct ipc_caller *caller, u32 number, u32 address, u32 port,
                            u32 *bound)
{
    struct socket *socket = enter_socket(caller, number);
    if (socket == NULL)
        return leave(E_NOENT);
    s64 result = CO_CALL(struct socket_rep, socket_coid(socket), bind, address, port);
    if (result >= 0)
        *bound = (u32)result;
    return leave(result < 0 ? result : 0);
}

s64 net_session_server_listen(struct ipc_caller *caller, u32 number, u32 backlog)
{
    struct socket *socket = enter_socket(caller, number);
    if (socket == NULL)
        return leave(E_NOENT);
    return leave(CO_CALL(struct socket_rep, socket_coid(socket), listen, backlog));
}

static s64 get_names(const struct socket *socket, struct net_names *names)
{
    struct socket_names found;

    s64 error = socket_get_names(socket, &found);
    if (error != 0)
        return error;
    *names = (struct net_names){.own_address = found.own_address,
                                .own_port = found.own_port,
                                .peer_address = found.peer_address,
                                .peer_port = found.peer_port};
    return 0;
}

static s64 accept(struct client_session *session, u32 number, u32 *accepted,
                  struct net_names *names, cap_t *memory)
{
    if (session == NULL || number >= NET_SOCKETS_MAX || session->sockets[number] == NULL)
        return E_NOENT;
    s64 free = free_number(session);
    if (free < 0)
        return free;
    s64 error = socket_accept(session->sockets[number], &session->sockets[free],
                              &session->kept[free], memory);
    if (error != 0)
        return error;
    if (*memory != 0 && session->kept[free] != NULL) { // the process gets other memory there
        net_unmap(session->kept[free]);
        session->kept[free] = NULL;
        session->kept_count--;
    } else if (*memory == 0) {
        session->kept_count--;
    }
    *accepted = (u32)free;
    get_names(session->sockets[free], names); // or zeros: it has gone already
    return 0;
}

s64 net_session_server_accept(struct ipc_caller *caller, u32 number, u32 *accepted,
                              struct net_names *names, cap_t *memory)
{
    caller->drop_answer = true;
    return leave(accept(enter(caller), number, accepted, names, memory));
}

s64 net_session_server_connect(struct ipc_caller *caller, u32 number, u32 address, u32 port,
                               u32 *wake)
{
    struct client_session *session = enter(caller);
    struct socket *socket = socket_at(session, number);
    if (socket == NULL)
        return leave(E_NOENT);
    s64 result = CO_CALL(struct socket_rep, socket_coid(socket), connect, address, port);
    return leave_woken(session, wake, result);
}

s64 net_session_server_finish(struct ipc_caller *caller, u32 number, u32 deaf, u32 *wake)
{
    struct client_session *session = enter(caller);
    struct socket *socket = socket_at(session, number);
    if (socket == NULL)
        return leave(E_NOENT);
    return leave_woken(session, wake,
                       CO_CALL(struct socket_rep, socket_coid(socket), finish, deaf));
}

// Keeps a socket's memory for the process to use again, if all that it holds has gone. Returns
// whether it did.
static u32 keep(struct client_session *session, u32 number, bool all_sent)
{
    if (session->kept_count == NET_KEPT_MAX)
        return 0;
    session->kept[number] = socket_part(session->sockets[number], all_sent);
    session->kept_count += session->kept[number] != NULL;
    return session->kept[number] != NULL;
}

static s64 let_go(struct client_session *session, u32 number, u32 *kept,
                  void (*how)(struct socket *))
{
    if (session == NULL || number >= NET_SOCKETS_MAX || session->sockets[number] == NULL)
        return E_NOENT;
    struct socket *socket = session->sockets[number];
    if (*kept != 0)
        *kept = keep(session, number, how == socket_release);
    session->sockets[number] = NULL;
    how(socket);
    return 0;
}

s64 net_session_server_close(struct ipc_caller *caller, u32 number, u32 keep, u32 *kept, u32 *wake)
{
    struct client_session *session = enter(caller);
    *kept = keep;
    return leave_woken(session, wake, let_go(session, number, kept, socket_release));
}

s64 net_session_server_abort(struct ipc_caller *caller, u32 number, u32 keep, u32 *kept, u32 *wake)
{
    struct client_session *session = enter(caller);
    *kept = keep;
    return leave_woken(session, wake, let_go(session, number, kept, socket_abort));
}

s64 net_session_server_names(struct ipc_caller *caller, u32 number, struct net_names *names)
{
    const struct socket *socket = enter_socket(caller, number);
    return leave(socket == NULL ? E_NOENT : get_names(socket, names));
}

s64 net_session_server_set_option(struct ipc_caller *caller, u32 number, u32 option, u64 value)
{
    struct socket *socket = enter_socket(caller, number);
    if (socket == NULL)
        return leave(E_NOENT);
    return leave(CO_CALL(struct socket_rep, socket_coid(socket), set_option, option, value));
}
