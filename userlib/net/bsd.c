// SPDX-License-Identifier: MIT
// BSD sockets: file descriptors over sockets, and waiting.
#include "socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <posix/fd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <user/lock.h>
#include <user/time.h>

#define SERVER_PATIENCE_US 10000000 // while the net server is being restarted

// What fd_file.private is.
struct bsd_socket {
    struct net_socket socket;
    struct mutex reading, writing;
    u64 receive_us, send_us; // SO_RCVTIMEO, SO_SNDTIMEO; 0: none
    bool reset_on_close;     // SO_LINGER {1, 0}
};

// ---- waiting -----------------------------------------------------------------------------------

struct want {
    struct net_socket *socket;
    u32 waits;
};

static bool want_ready(void *argument)
{
    const struct want *want = argument;
    return net_socket_wanted(want->socket, want->waits) != 0;
}

// 0, or E_TIMEOUT.
static s64 wait_for(struct net_socket *socket, u32 waits, u64 deadline)
{
    struct want want = {socket, waits};
    struct waiter waiter = {.thread = thread_current(), .ready = want_ready, .argument = &want};
    bool ready;

    wait_begin(&waiter);
    while (!(ready = want_ready(&want)) && time_now() < deadline)
        thread_park(deadline);
    wait_end(&waiter);
    return ready ? 0 : E_TIMEOUT;
}

static u64 deadline_of(u64 limit_us)
{
    return limit_us == 0 ? THREAD_FOREVER : time_after_us(limit_us);
}

// ---- errors ------------------------------------------------------------------------------------

static s64 socket_errno(s64 error)
{
    switch (error) {
    case E_PEER:
        return -ECONNRESET;
    case E_TIMEOUT:
        return -ETIMEDOUT;
    case E_BUSY:
        return -ECONNREFUSED;
    case E_AGAIN:
        return -EAGAIN;
    case E_PROTO:
        return -ECONNABORTED;
    default:
        return error < 0 ? -posix_errno(error) : error;
    }
}

static s64 command_errno(s64 error)
{
    switch (error) {
    case E_EXIST:
        return -EADDRINUSE;
    case E_BUSY:
        return -EINVAL;
    case E_LIMIT:
    case E_NOMEM:
        return -ENOBUFS;
    case E_NOENT:
        return -ENETUNREACH;
    default:
        return socket_errno(error);
    }
}

static int result(s64 value)
{
    return (int)posix_result(value);
}

// ---- bytes -------------------------------------------------------------------------------------

static bool connected(const struct net_socket *socket)
{
    u32 state = net_socket_state(socket);
    return state == NET_OPENED || state == NET_FINISHED || state == NET_FAILED;
}

static s64 receive_some(struct fd_file *file, void *to, u64 count, int flags, u64 deadline)
{
    struct bsd_socket *bsd = file->private;

    if (!connected(&bsd->socket))
        return -ENOTCONN;
    for (;;) {
        mutex_lock(&bsd->reading);
        s64 got = net_socket_read(&bsd->socket, to, count, flags & MSG_PEEK);
        mutex_unlock(&bsd->reading);
        if (got != E_AGAIN)
            return socket_errno(got);
        if ((flags & MSG_DONTWAIT) || (file->flags & O_NONBLOCK))
            return -EAGAIN;
        if (wait_for(&bsd->socket, NET_WAIT_READ, deadline) != 0)
            return -EAGAIN;
    }
}

static s64 receive(struct fd_file *file, void *to, u64 count, int flags)
{
    const struct bsd_socket *bsd = file->private;
    u64 deadline = deadline_of(bsd->receive_us);
    u64 done = 0;

    for (;;) {
        s64 got = receive_some(file, (u8 *)to + done, count - done, flags, deadline);
        if (got <= 0)
            return done > 0 ? (s64)done : got;
        done += (u64)got;
        if (done == count || !(flags & MSG_WAITALL) || (flags & MSG_PEEK))
            return (s64)done;
    }
}

static s64 send_all(struct fd_file *file, const void *from, u64 count, int flags)
{
    struct bsd_socket *bsd = file->private;
    bool wait = !(flags & MSG_DONTWAIT) && !(file->flags & O_NONBLOCK);
    u64 deadline = deadline_of(bsd->send_us);
    u64 done = 0;
    s64 put = 0;

    if (!connected(&bsd->socket))
        return -ENOTCONN;
    mutex_lock(&bsd->writing);
    while (done < count) {
        put = net_socket_write(&bsd->socket, (const u8 *)from + done, count - done);
        if (put >= 0)
            done += (u64)put;
        else if (put != E_AGAIN || !wait || wait_for(&bsd->socket, NET_WAIT_WRITE, deadline) != 0)
            break;
    }
    mutex_unlock(&bsd->writing);
    if (done > 0 || count == 0)
        return (s64)done;
    return bsd->socket.finished ? -EPIPE : socket_errno(put);
}

// ---- as a kind of file ---------------------------------------------------------------------------

static s64 socket_read(struct fd_file *file, void *to, u64 bytes, s64 offset)
{
    return offset == FD_AT_POSITION ? receive(file, to, bytes, 0) : -ESPIPE;
}

static s64 socket_write(struct fd_file *file, const void *from, u64 bytes, s64 offset)
{
    return offset == FD_AT_POSITION ? send_all(file, from, bytes, 0) : -ESPIPE;
}

static s64 socket_stat(struct fd_file *file, struct stat *info)
{
    (void)file;
    info->st_mode = S_IFSOCK | S_IRUSR | S_IWUSR;
    info->st_nlink = 1;
    info->st_blksize = NET_RING_BYTES;
    return 0;
}

static s64 socket_ready(struct fd_file *file, int events)
{
    struct bsd_socket *bsd = file->private;
    u32 ready = net_socket_ready(&bsd->socket);
    s64 bits = 0;

    if (ready & NET_WAIT_READ)
        bits |= POLLIN;
    if (ready & NET_WAIT_WRITE)
        bits |= POLLOUT;
    bits &= events;
    if (net_socket_state(&bsd->socket) == NET_FAILED)
        bits |= POLLERR | POLLHUP;
    return bits;
}

static void socket_close(struct fd_file *file)
{
    struct bsd_socket *bsd = file->private;
    net_socket_close(&bsd->socket, bsd->reset_on_close);
    free(bsd);
}

static const struct fd_ops socket_ops = {
    .kind = "socket",
    .read = socket_read,
    .write = socket_write,
    .stat = socket_stat,
    .ready = socket_ready,
    .close = socket_close,
};

// The descriptor of a socket; takes over what it stands for, also on error.
static int install(const struct net_socket *socket)
{
    struct bsd_socket *bsd = calloc(1, sizeof(*bsd));
    struct fd_file *file = bsd == NULL ? NULL : fd_file_new(&socket_ops, O_RDWR);

    if (file == NULL) {
        struct net_socket unwanted = *socket;
        net_socket_close(&unwanted, true);
        free(bsd);
        return result(-ENOMEM);
    }
    bsd->socket = *socket;
    file->private = bsd;
    return result(fd_install(file, 0));
}

// The socket behind a descriptor, held until fd_put(*file); NULL with errno.
static struct bsd_socket *hold(int fd, struct fd_file **file)
{
    *file = fd_hold(fd);
    if (*file == NULL) {
        errno = EBADF;
        return NULL;
    }
    if ((*file)->ops != &socket_ops) {
        fd_put(*file);
        errno = ENOTSOCK;
        return NULL;
    }
    return (*file)->private;
}

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
        return result(-EAFNOSUPPORT);
    if (type != SOCK_STREAM || (protocol != 0 && protocol != IPPROTO_TCP))
        return result(-EPROTONOSUPPORT);
    s64 error = net_socket_open(time_after_us(SERVER_PATIENCE_US), &socket);
    if (error == E_TIMEOUT || error == E_NOENT || error == E_PEER)
        return result(-ENETDOWN);
    return error != 0 ? result(command_errno(error)) : install(&socket);
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)address;
    struct fd_file *file;
    u32 port;

    if (!good_address(address, length))
        return result(-EINVAL);
    struct bsd_socket *bsd = hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = net_socket_bind(&bsd->socket, in->sin_addr.s_addr, in->sin_port, &port);
    fd_put(file);
    return result(command_errno(error));
}

int listen(int fd, int backlog)
{
    struct fd_file *file;
    struct bsd_socket *bsd = hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = net_socket_listen(&bsd->socket, backlog < 1 ? 1 : (u32)backlog);
    fd_put(file);
    return result(command_errno(error));
}

static s64 accept_wait(struct fd_file *file, struct net_socket *socket, struct net_names *names)
{
    struct bsd_socket *bsd = file->private;
    u64 deadline = deadline_of(bsd->receive_us);

    for (;;) {
        mutex_lock(&bsd->reading);
        s64 error = net_socket_accept(&bsd->socket, socket, names);
        mutex_unlock(&bsd->reading);
        if (error != E_AGAIN)
            return command_errno(error);
        if ((file->flags & O_NONBLOCK) || wait_for(&bsd->socket, NET_WAIT_READ, deadline) != 0)
            return -EAGAIN;
    }
}

int accept(int fd, struct sockaddr *address, socklen_t *length)
{
    struct net_socket socket;
    struct net_names names;
    struct fd_file *file;

    if (hold(fd, &file) == NULL)
        return -1;
    s64 error = accept_wait(file, &socket, &names);
    fd_put(file);
    if (error != 0)
        return result(error);
    put_address(names.peer_address, names.peer_port, address, length);
    return install(&socket);
}

static s64 connect_wait(struct fd_file *file, u32 host, u32 port)
{
    struct bsd_socket *bsd = file->private;
    u32 state = net_socket_state(&bsd->socket);

    if (state == NET_CONNECTING)
        return -EALREADY;
    if (state == NET_FAILED)
        return socket_errno(net_socket_error(&bsd->socket));
    if (state != NET_IDLE)
        return -EISCONN;
    s64 error = net_socket_connect(&bsd->socket, host, port);
    if (error != 0)
        return command_errno(error);
    if (file->flags & O_NONBLOCK)
        return -EINPROGRESS;
    if (wait_for(&bsd->socket, NET_WAIT_WRITE, deadline_of(bsd->send_us)) != 0)
        return -ETIMEDOUT;
    return socket_errno(net_socket_error(&bsd->socket));
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)address;
    struct fd_file *file;

    if (!good_address(address, length))
        return result(-EINVAL);
    if (hold(fd, &file) == NULL)
        return -1;
    s64 error = connect_wait(file, in->sin_addr.s_addr, in->sin_port);
    fd_put(file);
    return result(error);
}

ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    struct fd_file *file;
    if (hold(fd, &file) == NULL)
        return -1;
    s64 sent = send_all(file, bytes, count, flags);
    fd_put(file);
    return posix_result(sent);
}

ssize_t recv(int fd, void *bytes, size_t count, int flags)
{
    struct fd_file *file;
    if (hold(fd, &file) == NULL)
        return -1;
    s64 got = receive(file, bytes, count, flags);
    fd_put(file);
    return posix_result(got);
}

ssize_t sendto(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *to,
               socklen_t length)
{
    (void)length;
    return to != NULL ? result(-EISCONN) : send(fd, bytes, count, flags);
}

ssize_t recvfrom(int fd, void *bytes, size_t count, int flags, struct sockaddr *from,
                 socklen_t *length)
{
    ssize_t got = recv(fd, bytes, count, flags);
    if (got >= 0 && from != NULL)
        getpeername(fd, from, length);
    return got;
}

// What still comes after SHUT_RD is kept for whoever reads it after all.
int shutdown(int fd, int how)
{
    struct fd_file *file;

    if (how != SHUT_RD && how != SHUT_WR && how != SHUT_RDWR)
        return result(-EINVAL);
    struct bsd_socket *bsd = hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = 0;
    if (!connected(&bsd->socket)) {
        error = -ENOTCONN;
    } else if (how != SHUT_RD && !bsd->socket.finished) {
        mutex_lock(&bsd->writing);
        error = command_errno(net_socket_finish(&bsd->socket));
        mutex_unlock(&bsd->writing);
    }
    fd_put(file);
    return result(error);
}

static int names_of(int fd, bool peer, struct sockaddr *address, socklen_t *length)
{
    struct net_names names;
    struct fd_file *file;

    struct bsd_socket *bsd = hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = net_socket_names(&bsd->socket, &names);
    fd_put(file);
    if (error != 0 || (peer && names.peer_port == 0))
        return result(-ENOTCONN);
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

// ---- options -----------------------------------------------------------------------------------

static s64 set_timeout(u64 *us, const void *value, socklen_t length)
{
    const struct timeval *time = value;

    if (length != sizeof(*time) || time->tv_sec < 0 || time->tv_usec < 0)
        return -EINVAL;
    *us = (u64)time->tv_sec * 1000000 + (u64)time->tv_usec;
    return 0;
}

static s64 set_linger(struct bsd_socket *bsd, const void *value, socklen_t length)
{
    const struct linger *linger = value;

    if (length != sizeof(*linger))
        return -EINVAL;
    bsd->reset_on_close = linger->l_onoff && linger->l_linger == 0;
    return 0;
}

static s64 set_at_server(struct bsd_socket *bsd, u32 option, const void *value, socklen_t length)
{
    if (length != sizeof(int))
        return -EINVAL;
    return command_errno(net_session_set_option(bsd->socket.session->endpoint, bsd->socket.number,
                                                option, *(const int *)value != 0));
}

static s64 set_option(struct bsd_socket *bsd, int level, int option, const void *value,
                      socklen_t length)
{
    if (level == IPPROTO_TCP && option == TCP_NODELAY)
        return set_at_server(bsd, NET_NO_DELAY, value, length);
    if (level != SOL_SOCKET)
        return -ENOPROTOOPT;
    switch (option) {
    case SO_REUSEADDR:
        return 0;
    case SO_KEEPALIVE:
        return set_at_server(bsd, NET_KEEP_ALIVE, value, length);
    case SO_LINGER:
        return set_linger(bsd, value, length);
    case SO_RCVTIMEO:
        return set_timeout(&bsd->receive_us, value, length);
    case SO_SNDTIMEO:
        return set_timeout(&bsd->send_us, value, length);
    default:
        return -ENOPROTOOPT;
    }
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
    struct fd_file *file;

    struct bsd_socket *bsd = hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = value == NULL ? -EFAULT : set_option(bsd, level, option, value, length);
    fd_put(file);
    return result(error);
}

static s64 get_option(const struct bsd_socket *bsd, int option, int *value)
{
    switch (option) {
    case SO_ERROR:
        *value = (int)-socket_errno(net_socket_error(&bsd->socket));
        return 0;
    case SO_TYPE:
        *value = SOCK_STREAM;
        return 0;
    case SO_ACCEPTCONN:
        *value = net_socket_state(&bsd->socket) == NET_LISTENING;
        return 0;
    case SO_SNDBUF:
    case SO_RCVBUF:
        *value = NET_RING_BYTES;
        return 0;
    default:
        return -ENOPROTOOPT;
    }
}

int getsockopt(int fd, int level, int option, void *value, socklen_t *length)
{
    struct fd_file *file;
    int number;

    struct bsd_socket *bsd = hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = level != SOL_SOCKET ? -ENOPROTOOPT : get_option(bsd, option, &number);
    fd_put(file);
    if (error == 0 && *length < sizeof(number))
        error = -EINVAL;
    if (error != 0)
        return result(error);
    memcpy(value, &number, sizeof(number));
    *length = sizeof(number);
    return 0;
}
