// SPDX-License-Identifier: MIT
// The calls: what they refuse, what they tell.
#include "tests.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <user/time.h>

#define PORT 6000

static int fails(int result, int error)
{
    return result == -1 && errno == error;
}

static void wrong_arguments(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    EXPECT(fails(socket(17, SOCK_STREAM, 0), EAFNOSUPPORT));
    EXPECT(fails(socket(AF_INET, SOCK_DGRAM, 0), EPROTONOSUPPORT));
    EXPECT(fails(listen(99, 1), EBADF));
    EXPECT(fails(listen(1, 1), ENOTSOCK));
    int file = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(file > 2);
    EXPECT(fails(bind(file, (struct sockaddr *)&address, 3), EINVAL));
    EXPECT(fails((int)send(file, "x", 1, 0), ENOTCONN));
    EXPECT(fails((int)recv(file, &address, 1, 0), ENOTCONN));
    EXPECT(fails(accept(file, NULL, NULL), EINVAL));
    EXPECT(fails(shutdown(file, SHUT_WR), ENOTCONN));
    EXPECT(fails(connect(file, (struct sockaddr *)&address, sizeof(address)), EINVAL));
    EXPECT(close(file) == 0);
    EXPECT(fails(close(file), EBADF));
}

static void ports(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof(address);

    int first = listen_on(PORT);
    int second = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_port = htons(PORT);
    EXPECT(fails(bind(second, (struct sockaddr *)&address, sizeof(address)), EADDRINUSE));
    close(second);
    close(first);
    int again = listen_on(PORT); // at once
    close(again);
    int any = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_port = 0;
    EXPECT(bind(any, (struct sockaddr *)&address, sizeof(address)) == 0);
    EXPECT(getsockname(any, (struct sockaddr *)&address, &length) == 0);
    EXPECT(address.sin_port != 0 && length == sizeof(address));
    close(any);
}

static void nobody_listens(void)
{
    EXPECT(connect_to(PORT + 1) == -1 && errno == ECONNREFUSED);
}

static void names(void)
{
    struct sockaddr_in own, peer;
    socklen_t length = sizeof(own);
    int ends[2];

    connect_pair(PORT + 2, ends);
    EXPECT(getpeername(ends[0], (struct sockaddr *)&peer, &length) == 0);
    EXPECT(ntohs(peer.sin_port) == PORT + 2 && ntohl(peer.sin_addr.s_addr) == INADDR_LOOPBACK);
    EXPECT(getsockname(ends[0], (struct sockaddr *)&own, &length) == 0);
    EXPECT(getpeername(ends[1], (struct sockaddr *)&peer, &length) == 0);
    EXPECT(own.sin_port == peer.sin_port);
    close(ends[0]);
    close(ends[1]);
}

static void options(void)
{
    struct timeval short_time = {0, 50000};
    int one = 1, value = -1;
    socklen_t length = sizeof(value);
    char byte;
    int ends[2];

    connect_pair(PORT + 3, ends);
    EXPECT(setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) == 0);
    EXPECT(setsockopt(ends[0], SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one)) == 0);
    EXPECT(fails(setsockopt(ends[0], SOL_SOCKET, 0x7777, &one, sizeof(one)), ENOPROTOOPT));
    EXPECT(getsockopt(ends[0], SOL_SOCKET, SO_ERROR, &value, &length) == 0 && value == 0);
    EXPECT(getsockopt(ends[0], SOL_SOCKET, SO_RCVBUF, &value, &length) == 0 && value > 0);
    EXPECT(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &short_time, sizeof(short_time)) == 0);
    u64 before = time_now();
    EXPECT(fails((int)recv(ends[0], &byte, 1, 0), EAGAIN));
    u64 us = time_to_us(time_now() - before);
    EXPECT(us >= 50000);
    close(ends[0]);
    close(ends[1]);
}

static void not_blocking(void)
{
    char byte = 'x';
    int ends[2];

    int listener = listen_on(PORT + 4);
    EXPECT(fcntl(listener, F_SETFL, O_NONBLOCK) == 0);
    EXPECT(fails(accept_one(listener), EAGAIN));
    close(listener);
    connect_pair(PORT + 5, ends);
    EXPECT(fails((int)recv(ends[0], &byte, 1, MSG_DONTWAIT), EAGAIN));
    EXPECT(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    EXPECT(fails((int)read(ends[0], &byte, 1), EAGAIN));
    size_t sent = 0;
    static char much[65536];
    for (ssize_t put; (put = write(ends[0], much, sizeof(much))) > 0;)
        sent += (size_t)put;
    EXPECT(errno == EAGAIN && sent >= sizeof(much));
    close(ends[0]);
    close(ends[1]);
}

static void texts(void)
{
    struct addrinfo *found;
    struct in_addr address;
    char text[INET_ADDRSTRLEN];

    EXPECT(inet_aton("10.0.2.15", &address) == 1 && ntohl(address.s_addr) == 0x0a00020f);
    EXPECT(inet_aton("10.0.256.2", &address) == 0);
    EXPECT(inet_aton("10.0.2.256", &address) == 0);
    EXPECT(inet_aton("10.0.2.1x", &address) == 0);
    EXPECT(strcmp(inet_ntop(AF_INET, "\x7f\0\0\1", text, sizeof(text)), "127.0.0.1") == 0);
    EXPECT(inet_ntop(AF_INET, "\x7f\0\0\1", text, 5) == NULL);
    EXPECT(getaddrinfo("localhost", "80", NULL, &found) == 0);
    EXPECT(((struct sockaddr_in *)found->ai_addr)->sin_port == htons(80));
    freeaddrinfo(found);
    EXPECT(getaddrinfo("no.such.host", "80", NULL, &found) == EAI_NONAME);
    EXPECT(getaddrinfo("localhost", "http", NULL, &found) == EAI_SERVICE);
}

void test_calls(void)
{
    wrong_arguments();
    ports();
    nobody_listens();
    names();
    options();
    not_blocking();
    texts();
}
