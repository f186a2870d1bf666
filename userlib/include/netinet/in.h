// SPDX-License-Identifier: MIT
// IPv4 addresses. This machine is big endian: network order is its own.
#ifndef _NETINET_IN_H
#define _NETINET_IN_H

#include <sys/socket.h>

#define IPPROTO_IP 0
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17

#define INADDR_ANY 0u
#define INADDR_LOOPBACK 0x7f000001u
#define INADDR_BROADCAST 0xffffffffu
#define INADDR_NONE 0xffffffffu
#define INET_ADDRSTRLEN 16

typedef uint16_t in_port_t;
typedef uint32_t in_addr_t;

struct in_addr {
    in_addr_t s_addr;
};

struct sockaddr_in {
    uint8_t sin_len;
    sa_family_t sin_family;
    in_port_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};

static inline uint16_t htons(uint16_t value)
{
    return value;
}

static inline uint16_t ntohs(uint16_t value)
{
    return value;
}

static inline uint32_t htonl(uint32_t value)
{
    return value;
}

static inline uint32_t ntohl(uint32_t value)
{
    return value;
}

#endif
