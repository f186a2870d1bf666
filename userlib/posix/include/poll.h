// SPDX-License-Identifier: MIT
// Waiting for several descriptors.
#ifndef _POLL_H
#define _POLL_H

#define POLLIN 0x01
#define POLLPRI 0x02
#define POLLOUT 0x04
#define POLLERR 0x08 // answers only, as the next two
#define POLLHUP 0x10
#define POLLNVAL 0x20

struct pollfd {
    int fd; // < 0: skipped
    short events, revents;
};
typedef unsigned long nfds_t;

// Waits until one descriptor is ready, at most timeout milliseconds (< 0: for ever). Returns how
// many are, or -1 and errno.
int poll(struct pollfd *fds, nfds_t count, int timeout);

#endif
