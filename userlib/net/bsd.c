// SPDX-License-Identifier: MIT
// BSD sockets: the calls.
#include "bsd.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <user/time.h>

#define SERVER_PATIENCE_US 10000000 // while the net server is being restarted

// ---- addresses ---------------------------------------------------------------------------------

static bool good_address(const struct sockaddr *address, socklen_t length)
{
    return address != NULL && length >= sizeof(struct sockaddr_in) && address->sa_family == AF_INET;
}

static void put_address(u32 host, u32 port, struct sockaddr *to, socklen_t *length)
{
    struct sockaddr_in address = {.sin_len = sizeof(address),
                                  .sin_family = AF_INET,
                                  .sin_port = (in_port_t)port,
                                  .sin_addr = {host}};

    if (to == NULL || length == NULL)
        return;
    memcpy(to, &address, *length < sizeof(address) ? *length : sizeof(address));
    *length = sizeof(address);
}

// ---- calls -------------------------------------------------------------------------------------

int socket(int domain, int type, int protocol)
{
    struct net_socket socket;

    if (domain != AF_INET)
        return bsd_result(-EAFNOSUPPORT);
    if (type != SOCK_STREAM || (protocol != 0 && protocol != IPPROTO_TCP))
        return bsd_result(-EPROTONOSUPPORT);
    s64 error = net_socket_open(time_after_us(SERVER_PATIENCE_US), &socket);
    if (error == E_TIMEOUT || error == E_NOENT || error == E_PEER)
        return bsd_result(-ENETDOWN);
    return error != 0 ? bsd_result(bsd_command_errno(error)) : bsd_install(&socket);
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)address;
    struct fd_file *file;
    u32 port;

    if (!good_address(address, length))
        return bsd_result(-EINVAL);
    struct bsd_socket *bsd = bsd_hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = net_socket_bind(&bsd->socket, in->sin_addr.s_addr, in->sin_port, &port);
    fd_put(file);
    return bsd_result(bsd_command_errno(error));
}

int listen(int fd, int backlog)
{
    struct fd_file *file;
    struct bsd_socket *bsd = bsd_hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = net_socket_listen(&bsd->socket, backlog < 1 ? 1 : (u32)backlog);
    fd_put(file);
    return bsd_result(bsd_command_errno(error));
}

static s64 accept_wait(struct fd_file *file, struct net_socket *socket, struct net_names *names)
{
    struct bsd_socket *bsd = file->private;
    u64 deadline = bsd_deadline(bsd->receive_us);

    for (;;) {
        mutex_lock(&bsd->reading);
        s64 error = net_socket_accept(&bsd->socket, socket, names);
        mutex_unlock(&bsd->reading);
        if (error != E_AGAIN)
            return bsd_command_errno(error);
        if ((file->flags & O_NONBLOCK) || bsd_wait(&bsd->socket, NET_WAIT_READ, deadline) != 0)
            return -EAGAIN;
    }
}

int accept(int fd, struct sockaddr *address, socklen_t *length)
{
    struct net_socket socket;
    struct net_names names;
    struct fd_file *file;

    if (bsd_hold(fd, &file) == NULL)
        return -1;
    s64 error = accept_wait(file, &socket, &names);
    fd_put(file);
    if (error != 0)
        return bsd_result(error);
    put_address(names.peer_address, names.peer_port, address, length);
    return bsd_install(&socket);
}

static s64 connect_wait(struct fd_file *file, u32 host, u32 port)
{
    struct bsd_socket *bsd = file->private;
    u32 state = net_socket_state(&bsd->socket);

    if (state == NET_CONNECTING)
        return -EALREADY;
    if (state == NET_FAILED)
        return bsd_errno(net_socket_error(&bsd->socket));
    if (state != NET_IDLE)
        return -EISCONN;
    s64 error = net_socket_connect(&bsd->socket, host, port);
    if (error != 0)
        return bsd_command_errno(error);
    if (file->flags & O_NONBLOCK)
        return -EINPROGRESS;
    if (bsd_wait(&bsd->socket, NET_WAIT_WRITE, bsd_deadline(bsd->send_us)) != 0)
        return -ETIMEDOUT;
    return bsd_take_error(bsd);
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)address;
    struct fd_file *file;

    if (!good_address(address, length))
        return bsd_result(-EINVAL);
    if (bsd_hold(fd, &file) == NULL)
        return -1;
    s64 error = connect_wait(file, in->sin_addr.s_addr, in->sin_port);
    fd_put(file);
    return bsd_result(error);
}

ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    struct fd_file *file;
    if (bsd_hold(fd, &file) == NULL)
        return -1;
    s64 sent = bsd_send(file, bytes, count, flags);
    fd_put(file);
    return posix_result(sent);
}

ssize_t recv(int fd, void *bytes, size_t count, int flags)
{
    struct fd_file *file;
    if (bsd_hold(fd, &file) == NULL)
        return -1;
    s64 got = bsd_receive(file, bytes, count, flags);
    fd_put(file);
    return posix_result(got);
}

ssize_t sendto(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *to,
               socklen_t length)
{
    (void)length;
    return to != NULL ? bsd_result(-EISCONN) : send(fd, bytes, count, flags);
}

ssize_t recvfrom(int fd, void *bytes, size_t count, int flags, struct sockaddr *from,
                 socklen_t *length)
{
    ssize_t got = recv(fd, bytes, count, flags);
    if (got >= 0 && from != NULL)
        getpeername(fd, from, length);
    return got;
}

// What still comes after SHUT_RD is kept for whoever reads it after all, unless sending has ended,
// too.
static s64 shut(struct bsd_socket *bsd, int how)
{
    u32 state = net_socket_state(&bsd->socket);
    bool ends = how != SHUT_RD || bsd->socket.finished;
    s64 error = 0;

    if (state != NET_OPENED && state != NET_FINISHED)
        return -ENOTCONN;
    mutex_lock(&bsd->writing);
    if (how != SHUT_WR)
        net_socket_end_reading(&bsd->socket);
    if (ends && (!bsd->socket.finished || how != SHUT_WR))
        error = net_socket_finish(&bsd->socket);
    mutex_unlock(&bsd->writing);
    return error == E_BUSY ? -ENOTCONN : bsd_command_errno(error);
}

int shutdown(int fd, int how)
{
    struct fd_file *file;

    if (how != SHUT_RD && how != SHUT_WR && how != SHUT_RDWR)
        return bsd_result(-EINVAL);
    struct bsd_socket *bsd = bsd_hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = shut(bsd, how);
    fd_put(file);
    return bsd_result(error);
}

static int names_of(int fd, bool peer, struct sockaddr *address, socklen_t *length)
{
    struct net_names names;
    struct fd_file *file;

    struct bsd_socket *bsd = bsd_hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = net_socket_names(&bsd->socket, &names);
    fd_put(file);
    if (error != 0 || (peer && names.peer_port == 0))
        return bsd_result(-ENOTCONN);
    if (peer)
        put_address(names.peer_address, names.peer_port, address, length);
    else
        put_address(names.own_address, names.own_port, address, length);
    return 0;
}

int getsockname(int fd, struct sockaddr *address, socklen_t *length)
{
    return names_of(fd, false, address, length);
}

int getpeername(int fd, struct sockaddr *address, socklen_t *length)
{
    return names_of(fd, true, address, length);
}
