// SPDX-License-Identifier: MIT
// BSD sockets over the net server: TCP over IPv4 (AF_INET, SOCK_STREAM). A socket is a file
// descriptor: read, write, close, fcntl(O_NONBLOCK) and poll work on it. Thread context. Calls
// return -1 and set errno on error.
//
// When the net server ends, every socket of the process fails with ECONNRESET. New ones work once
// it runs again; until then socket() fails with ENETDOWN. Names: numeric addresses and localhost.
#ifndef _SYS_SOCKET_H
#define _SYS_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define AF_UNSPEC 0
#define AF_INET 2
#define PF_INET AF_INET

#define SOCK_STREAM 1
#define SOCK_DGRAM 2 // refused: EPROTONOSUPPORT

#define SOL_SOCKET 0xffff
#define SO_REUSEADDR 0x0004  // int; merely kept: ended connections take no port
#define SO_KEEPALIVE 0x0008  // int; on by default
#define SO_LINGER 0x0080     // struct linger; only {1, 0}: close resets the connection
#define SO_SNDBUF 0x1001     // get only: bytes of the ring
#define SO_RCVBUF 0x1002     // get only
#define SO_RCVTIMEO 0x1006   // struct timeval; 0: none
#define SO_SNDTIMEO 0x1005   // struct timeval
#define SO_ERROR 0x1007      // get only: the pending error, and clears it
#define SO_TYPE 0x1008       // get only
#define SO_ACCEPTCONN 0x0002 // get only

#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2

#define MSG_PEEK 0x02
#define MSG_WAITALL 0x40
#define MSG_DONTWAIT 0x80
#define MSG_NOSIGNAL 0x4000 // accepted; there are no signals

#define SOMAXCONN 64

typedef uint32_t socklen_t;
typedef uint8_t sa_family_t;

struct sockaddr {
    uint8_t sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};

struct sockaddr_storage {
    uint8_t ss_len;
    sa_family_t ss_family;
    uint8_t ss_data[14];
    uint64_t ss_align[2];
};

struct linger {
    int l_onoff;
    int l_linger;
};

// EPROTONOSUPPORT, EAFNOSUPPORT, EMFILE, ENETDOWN (no net server), ENOBUFS.
int socket(int domain, int type, int protocol);
int bind(int file, const struct sockaddr *address, socklen_t length); // EADDRINUSE
int listen(int file, int backlog);
int accept(int file, struct sockaddr *address, socklen_t *length);
// ECONNREFUSED, ETIMEDOUT, EINPROGRESS (O_NONBLOCK: writable once connected or failed, then
// SO_ERROR).
int connect(int file, const struct sockaddr *address, socklen_t length);
ssize_t send(int file, const void *bytes, size_t count, int flags);
ssize_t recv(int file, void *bytes, size_t count, int flags);
ssize_t sendto(int file, const void *bytes, size_t count, int flags, const struct sockaddr *to,
               socklen_t length);
ssize_t recvfrom(int file, void *bytes, size_t count, int flags, struct sockaddr *from,
                 socklen_t *length);
int shutdown(int file, int how);
int getsockname(int file, struct sockaddr *address, socklen_t *length);
int getpeername(int file, struct sockaddr *address, socklen_t *length);
int setsockopt(int file, int level, int option, const void *value, socklen_t length);
int getsockopt(int file, int level, int option, void *value, socklen_t *length);

#endif
