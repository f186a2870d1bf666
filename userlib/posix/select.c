// SPDX-License-Identifier: MIT
// select, by poll.
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/select.h>

#define SECOND_MS 1000
#define MS_NS 1000000L

static bool has(const fd_set *set, int fd)
{
    return set != NULL && FD_ISSET(fd, set);
}

static nfds_t ask_for(int count, const fd_set *read, const fd_set *write, const fd_set *except,
                      struct pollfd *fds)
{
    nfds_t asked = 0;
    for (int fd = 0; fd < count; fd++) {
        short events = (short)((has(read, fd) ? POLLIN : 0) | (has(write, fd) ? POLLOUT : 0) |
                               (has(except, fd) ? POLLPRI : 0));
        if (events != 0)
            fds[asked++] = (struct pollfd){.fd = fd, .events = events};
    }
    return asked;
}

// Leaves a descriptor in the set if the bits say so. Returns 1 if it stays.
static int keep(fd_set *set, const struct pollfd *fd, short events, short bits)
{
    if ((fd->events & events) == 0)
        return 0;
    if ((fd->revents & bits) != 0)
        return 1;
    FD_CLR(fd->fd, set);
    return 0;
}

static int answer(const struct pollfd *fds, nfds_t count, fd_set *read, fd_set *write,
                  fd_set *except)
{
    int ready = 0;
    for (nfds_t i = 0; i < count; i++) {
        if ((fds[i].revents & POLLNVAL) != 0) {
            errno = EBADF;
            return -1;
        }
    }
    for (nfds_t i = 0; i < count; i++) {
        ready += keep(read, &fds[i], POLLIN, POLLIN | POLLHUP | POLLERR);
        ready += keep(write, &fds[i], POLLOUT, POLLOUT | POLLERR);
        ready += keep(except, &fds[i], POLLPRI, POLLPRI);
    }
    return ready;
}

// Milliseconds, rounded up; -1: for ever; -2: not a time.
static int milliseconds(const struct timespec *time)
{
    if (time == NULL)
        return -1;
    if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= SECOND_MS * MS_NS)
        return -2;
    if (time->tv_sec >= INT_MAX / SECOND_MS)
        return INT_MAX;
    return (int)time->tv_sec * SECOND_MS + (int)((time->tv_nsec + MS_NS - 1) / MS_NS);
}

int pselect(int count, fd_set *read, fd_set *write, fd_set *except, const struct timespec *time,
            const sigset_t *signals)
{
    struct pollfd fds[FD_SETSIZE];
    int timeout = milliseconds(time);
    (void)signals; // they end processes, or do nothing
    if (count < 0 || count > FD_SETSIZE || timeout < -1) {
        errno = EINVAL;
        return -1;
    }
    nfds_t asked = ask_for(count, read, write, except, fds);
    if (poll(fds, asked, timeout) < 0)
        return -1;
    return answer(fds, asked, read, write, except);
}

int select(int count, fd_set *read, fd_set *write, fd_set *except, struct timeval *time)
{
    struct timespec same;
    if (time == NULL)
        return pselect(count, read, write, except, NULL, NULL);
    same = (struct timespec){.tv_sec = time->tv_sec, .tv_nsec = time->tv_usec * 1000};
    return pselect(count, read, write, except, &same, NULL);
}
