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
    bool keep_alive, delay;  // SO_KEEPALIVE; TCP_NODELAY's opposite
    bool reuse_address;      // SO_REUSEADDR, merely kept
    bool told;               // why the connection failed, which is told once; atomic
};

// Makes the descriptor of a socket. Takes over the socket, also on error. Returns it, or -1 with
// errno.
int bsd_install(const struct net_socket *socket);
// Gets the socket behind a descriptor, held until fd_put(*file). Returns NULL with errno if there
// is none.
struct bsd_socket *bsd_hold(int fd, struct fd_file **file);

// Returns whether it has, or had, a peer.
bool bsd_connected(const struct net_socket *socket);
// Receive and send; flags are MSG_…
s64 bsd_receive(struct fd_file *file, void *to, u64 count, int flags);
s64 bsd_send(struct fd_file *file, const void *from, u64 count, int flags);

// Waits until one of NET_WAIT_… is there. Returns 0 or E_TIMEOUT.
s64 bsd_wait(struct net_socket *socket, u32 waits, u64 deadline);
// Returns the time so long from now, or for ever with 0.
u64 bsd_deadline(u64 limit_us);

// Returns as negative errno why the connection has failed, or 0: it has not, or that was told. The
// error is told once, as elsewhere: then reading finds the end, and writing EPIPE.
s64 bsd_take_error(struct bsd_socket *bsd);
// Returns as negative errno what is wrong with a connection, and with a command.
s64 bsd_errno(s64 error);
s64 bsd_command_errno(s64 error);
// Returns the value, or -1 with errno.
int bsd_result(s64 value);

#endif
