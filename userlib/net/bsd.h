// SPDX-License-Identifier: MIT
// BSD sockets: file descriptors over sockets, and waiting.
// Results are negative errno where they are s64.
#ifndef SOCKET_BSD_H
#define SOCKET_BSD_H

#include "socket.h"

#include <posix/fd.h>
#include <sys/socket.h>
#include <user/lock.h>

// What fd_file.private is.
struct bsd_socket {
    struct net_socket socket;
    struct mutex reading, writing;
    u64 receive_us, send_us; // SO_RCVTIMEO, SO_SNDTIMEO; 0: none
    bool reset_on_close;     // SO_LINGER {1, 0}
};

// The descriptor of a socket; takes over what it stands for, also on error.
int bsd_install(const struct net_socket *socket);
// The socket behind a descriptor, held until fd_put(*file); NULL with errno.
struct bsd_socket *bsd_hold(int fd, struct fd_file **file);

// Has it, or had it, a peer?
bool bsd_connected(const struct net_socket *socket);
// Flags are MSG_…
s64 bsd_receive(struct fd_file *file, void *to, u64 count, int flags);
s64 bsd_send(struct fd_file *file, const void *from, u64 count, int flags);

// Until one of NET_WAIT_… is there: 0, or E_TIMEOUT.
s64 bsd_wait(struct net_socket *socket, u32 waits, u64 deadline);
// So long from now; 0: for ever.
u64 bsd_deadline(u64 limit_us);

// What is wrong with a connection, and with a command, as negative errno.
s64 bsd_errno(s64 error);
s64 bsd_command_errno(s64 error);
// -1 with errno, or the value.
int bsd_result(s64 value);

#endif
