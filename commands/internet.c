// SPDX-License-Identifier: MIT
#include "internet.h"

#include "common.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <unistd.h>

#define BACKLOG 16

static int fail(int file, const char *what)
{
    complain(what);
    if (file >= 0)
        close(file);
    return -1;
}

int internet_connect(const char *host, const char *port)
{
    const struct addrinfo hints = {.ai_family = AF_INET};
    struct addrinfo *address;

    int error = getaddrinfo(host, port, &hints, &address);
    if (error != 0) {
        complain_text(host, gai_strerror(error));
        return -1;
    }
    int file = socket(AF_INET, SOCK_STREAM, 0);
    if (file < 0 || connect(file, address->ai_addr, address->ai_addrlen) != 0)
        file = fail(file, host);
    freeaddrinfo(address);
    return file;
}

int internet_listen(const char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    u64 number;

    if (!parse_number(port, UINT16_MAX, &number)) {
        complain_text(port, "is no port");
        return -1;
    }
    address.sin_port = htons((in_port_t)number);
    int file = socket(AF_INET, SOCK_STREAM, 0);
    if (file < 0 || bind(file, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(file, BACKLOG) != 0)
        return fail(file, port);
    return file;
}

int internet_accept(int listener)
{
    struct sockaddr_in peer;
    socklen_t length = sizeof(peer);

    int file = accept(listener, (struct sockaddr *)&peer, &length);
    if (file < 0)
        return fail(-1, "accept");
    fprintf(stderr, "connected: %s port %u\n", inet_ntoa(peer.sin_addr), ntohs(peer.sin_port));
    return file;
}
