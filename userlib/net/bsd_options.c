// SPDX-License-Identifier: MIT
// Options of BSD sockets.
#include "bsd.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/time.h>

#define NO_DELAY 0 // stands for TCP_NODELAY where options of SOL_SOCKET are meant; none of them

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

// Returns 1 or 0 for an int, or -EINVAL.
static s64 switch_of(const void *value, socklen_t length)
{
    return length != sizeof(int) ? -EINVAL : *(const int *)value != 0;
}

static s64 set_at_server(struct bsd_socket *bsd, u32 option, s64 on)
{
    return bsd_command_errno(
        net_session_set_option(bsd->socket.session->endpoint, bsd->socket.number, option, (u64)on));
}

static s64 set_switch(struct bsd_socket *bsd, int option, s64 on)
{
    s64 error = 0;

    if (on < 0)
        return on;
    if (option == SO_REUSEADDR) {
        bsd->reuse_address = on != 0;
    } else if (option == SO_KEEPALIVE) {
        error = set_at_server(bsd, NET_KEEP_ALIVE, on);
        bsd->keep_alive = error == 0 ? on != 0 : bsd->keep_alive;
    } else {
        error = set_at_server(bsd, NET_NO_DELAY, on);
        bsd->delay = error == 0 ? on == 0 : bsd->delay;
    }
    return error;
}

static s64 set_option(struct bsd_socket *bsd, int level, int option, const void *value,
                      socklen_t length)
{
    if (level == IPPROTO_TCP && option == TCP_NODELAY)
        return set_switch(bsd, NO_DELAY, switch_of(value, length));
    if (level != SOL_SOCKET)
        return -ENOPROTOOPT;
    switch (option) {
    case SO_REUSEADDR:
    case SO_KEEPALIVE:
        return set_switch(bsd, option, switch_of(value, length));
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

// What getsockopt answers.
union answer {
    int number;
    struct timeval time;
    struct linger linger;
};

static s64 answer_time(u64 us, union answer *answer)
{
    answer->time =
        (struct timeval){.tv_sec = (time_t)(us / 1000000), .tv_usec = (suseconds_t)(us % 1000000)};
    return sizeof(answer->time);
}

static s64 answer_number(int number, union answer *answer)
{
    answer->number = number;
    return sizeof(number);
}

// Returns the answer's bytes, or a negative errno.
static s64 get_option(struct bsd_socket *bsd, int option, union answer *answer)
{
    switch (option) {
    case SO_ERROR:
        return answer_number((int)-bsd_take_error(bsd), answer);
    case SO_TYPE:
        return answer_number(SOCK_STREAM, answer);
    case SO_ACCEPTCONN:
        return answer_number(net_socket_state(&bsd->socket) == NET_LISTENING, answer);
    case SO_SNDBUF:
    case SO_RCVBUF:
        return answer_number(NET_RING_BYTES, answer);
    case SO_REUSEADDR:
        return answer_number(bsd->reuse_address, answer);
    case SO_KEEPALIVE:
        return answer_number(bsd->keep_alive, answer);
    case SO_LINGER:
        answer->linger = (struct linger){.l_onoff = bsd->reset_on_close};
        return sizeof(answer->linger);
    case SO_RCVTIMEO:
        return answer_time(bsd->receive_us, answer);
    case SO_SNDTIMEO:
        return answer_time(bsd->send_us, answer);
    default:
        return -ENOPROTOOPT;
    }
}

int getsockopt(int fd, int level, int option, void *value, socklen_t *length)
{
    struct fd_file *file;
    union answer answer;
    s64 bytes = -ENOPROTOOPT;

    struct bsd_socket *bsd = bsd_hold(fd, &file);
    if (bsd == NULL)
        return -1;
    if (level == IPPROTO_TCP && option == TCP_NODELAY)
        bytes = answer_number(!bsd->delay, &answer);
    else if (level == SOL_SOCKET)
        bytes = get_option(bsd, option, &answer);
    fd_put(file);
    if (bytes > 0 && *length < (socklen_t)bytes)
        bytes = -EINVAL;
    if (bytes < 0)
        return bsd_result(bytes);
    memcpy(value, &answer, (u64)bytes);
    *length = (socklen_t)bytes;
    return 0;
}
