// SPDX-License-Identifier: MIT
// Host names: dotted addresses, "localhost", and "host", the machine that the emulator runs on.
#ifndef _NETDB_H
#define _NETDB_H

#include <netinet/in.h>

#define AI_PASSIVE 1
#define AI_NUMERICHOST 4
#define EAI_NONAME (-2)
#define EAI_FAMILY (-6)
#define EAI_SERVICE (-8)
#define EAI_MEMORY (-10)

struct addrinfo {
    int ai_flags, ai_family, ai_socktype, ai_protocol;
    socklen_t ai_addrlen;
    struct sockaddr *ai_addr;
    char *ai_canonname;
    struct addrinfo *ai_next;
};

// One result at most. service: a port number in digits.
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **result);
void freeaddrinfo(struct addrinfo *result);
const char *gai_strerror(int error);

#endif
