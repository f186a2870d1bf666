// SPDX-License-Identifier: MIT
// BSD sockets as a kind of file: bytes, and waiting for them.
#include "bsd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <user/time.h>

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

// Waits until one of `waits` is ready. Returns 0 or E_TIMEOUT.
s64 bsd_wait(struct net_socket *socket, u32 waits, u64 deadline)
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

u64 bsd_deadline(u64 limit_us)
{
    return limit_us == 0 ? THREAD_FOREVER : time_after_us(limit_us);
}

// ---- errors ------------------------------------------------------------------------------------

s64 bsd_errno(s64 error)
{
    switch (error) {
    case E_PEER:
        return -ECONNRESET;
    case E_STALE:
        return -EPIPE;
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

s64 bsd_take_error(struct bsd_socket *bsd)
{
    s64 error = net_socket_error(&bsd->socket);

    if (error == 0 || __atomic_exchange_n(&bsd->told, true, __ATOMIC_RELAXED))
        return 0;
    return bsd_errno(error);
}

s64 bsd_command_errno(s64 error)
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
        return bsd_errno(error);
    }
}

int bsd_result(s64 value)
{
    return (int)posix_result(value);
}

// ---- bytes -------------------------------------------------------------------------------------

bool bsd_connected(const struct net_socket *socket)
{
    u32 state = net_socket_state(socket);
    return state == NET_OPENED || state == NET_FINISHED || state == NET_FAILED;
}

static s64 receive_some(struct fd_file *file, void *to, u64 count, int flags, u64 deadline)
{
    struct bsd_socket *bsd = file->private;

    if (!bsd_connected(&bsd->socket))
        return -ENOTCONN;
    for (;;) {
        mutex_lock(&bsd->reading);
        s64 got = net_socket_read(&bsd->socket, to, count, flags & MSG_PEEK);
        mutex_unlock(&bsd->reading);
        if (got < 0 && net_socket_state(&bsd->socket) == NET_FAILED)
            return bsd_take_error(bsd);
        if (got != E_AGAIN)
            return bsd_errno(got);
        if ((flags & MSG_DONTWAIT) || (file->flags & O_NONBLOCK))
            return -EAGAIN;
        if (bsd_wait(&bsd->socket, NET_WAIT_READ, deadline) != 0)
            return -EAGAIN;
    }
}

s64 bsd_receive(struct fd_file *file, void *to, u64 count, int flags)
{
    const struct bsd_socket *bsd = file->private;
    u64 deadline = bsd_deadline(bsd->receive_us);
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

static s64 why_not_sent(struct bsd_socket *bsd, s64 error)
{
    if (net_socket_state(&bsd->socket) != NET_FAILED)
        return bsd->socket.finished ? -EPIPE : bsd_errno(error);
    s64 reason = bsd_take_error(bsd);
    return reason != 0 ? reason : -EPIPE;
}

s64 bsd_send(struct fd_file *file, const void *from, u64 count, int flags)
{
    struct bsd_socket *bsd = file->private;
    bool wait = !(flags & MSG_DONTWAIT) && !(file->flags & O_NONBLOCK);
    u64 deadline = bsd_deadline(bsd->send_us);
    u64 done = 0;
    s64 put = 0;

    if (!bsd_connected(&bsd->socket))
        return -ENOTCONN;
    mutex_lock(&bsd->writing);
    while (done < count) {
        put = net_socket_write(&bsd->socket, (const u8 *)from + done, count - done);
        if (put >= 0)
            done += (u64)put;
        else if (put != E_AGAIN || !wait || bsd_wait(&bsd->socket, NET_WAIT_WRITE, deadline) != 0)
            break;
    }
    mutex_unlock(&bsd->writing);
    if (done > 0 || count == 0)
        return (s64)done;
    return put == E_AGAIN ? -EAGAIN : why_not_sent(bsd, put);
}

// ---- as a kind of file -------------------------------------------------------------------------

static s64 socket_read(struct fd_file *file, void *to, u64 bytes, s64 offset)
{
    return offset == FD_AT_POSITION ? bsd_receive(file, to, bytes, 0) : -ESPIPE;
}

static s64 socket_write(struct fd_file *file, const void *from, u64 bytes, s64 offset)
{
    return offset == FD_AT_POSITION ? bsd_send(file, from, bytes, 0) : -ESPIPE;
}

static s64 socket_stat(struct fd_file *file, struct stat *info)
{
    (void)file;
    *info = (struct stat){
        .st_mode = S_IFSOCK | S_IRUSR | S_IWUSR, .st_nlink = 1, .st_blksize = NET_RING_BYTES};
    return 0;
}

// Neither side sends any more, or nothing is taken any more.
static bool over_both_ways(const struct net_socket *socket, u32 state)
{
    bool no_more_comes = state == NET_FINISHED || socket->deaf;
    return state == NET_FAILED || (no_more_comes && socket->finished);
}

static s64 socket_ready(struct fd_file *file, int events)
{
    const struct bsd_socket *bsd = file->private;
    u32 state = net_socket_state(&bsd->socket), ready = net_socket_ready(&bsd->socket);
    s64 bits = 0;

    if (ready & NET_WAIT_READ)
        bits |= POLLIN;
    if (ready & NET_WAIT_WRITE)
        bits |= POLLOUT;
    bits &= events;
    if (over_both_ways(&bsd->socket, state))
        bits |= POLLHUP;
    if (state == NET_FAILED && !__atomic_load_n(&bsd->told, __ATOMIC_RELAXED))
        bits |= POLLERR;
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

// Makes the descriptor of a socket. Takes over the socket, also on error. Returns it, or -1 with
// errno.
int bsd_install(const struct net_socket *socket)
{
    struct bsd_socket *bsd = calloc(1, sizeof(*bsd));
    struct fd_file *file = bsd == NULL ? NULL : fd_file_new(&socket_ops, O_RDWR);

    if (file == NULL) {
        struct net_socket unwanted = *socket;
        net_socket_close(&unwanted, true);
        free(bsd);
        return bsd_result(-ENOMEM);
    }
    bsd->socket = *socket;
    bsd->keep_alive = true; // as the server begins it
    file->private = bsd;
    return bsd_result(fd_install(file, 0));
}

// Gets the socket behind a descriptor, held until fd_put(*file). Returns NULL with errno if there
// is none.
struct bsd_socket *bsd_hold(int fd, struct fd_file **file)
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
