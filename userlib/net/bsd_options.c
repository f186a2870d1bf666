// SPDX-License-Identifier: MIT
// Options of BSD sockets.
#include "bsd.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/time.h>

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
    return bsd_command_errno(net_session_set_option(
        bsd->socket.session->endpoint, bsd->socket.number, option, *(const int *)value != 0));
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

    struct bsd_socket *bsd = bsd_hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = value == NULL ? -EFAULT : set_option(bsd, level, option, value, length);
    fd_put(file);
    return bsd_result(error);
}

static s64 get_option(struct bsd_socket *bsd, int option, int *value)
{
    switch (option) {
    case SO_ERROR:
        *value = (int)-bsd_take_error(bsd);
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

    struct bsd_socket *bsd = bsd_hold(fd, &file);
    if (bsd == NULL)
        return -1;
    s64 error = level != SOL_SOCKET ? -ENOPROTOOPT : get_option(bsd, option, &number);
    fd_put(file);
    if (error == 0 && *length < sizeof(number))
        error = -EINVAL;
    if (error != 0)
        return bsd_result(error);
    memcpy(value, &number, sizeof(number));
    *length = sizeof(number);
    return 0;
}
