// SPDX-License-Identifier: MIT
#include "ends.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 // there are no signals
#endif
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

struct name {
    int number;
    const char *text;
};

void ends_settle(int ms)
{
    poll(NULL, 0, ms);
}

// ---- what is seen -------------------------------------------------------------------------------

static void say_error(int number, char *text)
{
    static const struct name names[] = {
        {0, "0"},
        {EPIPE, "EPIPE"},
        {EAGAIN, "EAGAIN"},
        {ENOTCONN, "ENOTCONN"},
        {ECONNRESET, "ECONNRESET"},
        {ETIMEDOUT, "ETIMEDOUT"},
        {ECONNREFUSED, "ECONNREFUSED"},
    };

    snprintf(text, ENDS_TEXT, "errno %d", number);
    for (size_t i = 0; i < LENGTH(names); i++)
        if (names[i].number == number)
            snprintf(text, ENDS_TEXT, "%s", names[i].text);
}

static void say_result(ssize_t result, char *text)
{
    if (result < 0)
        say_error(errno, text);
    else
        snprintf(text, ENDS_TEXT, "%d", (int)result);
}

static void say_events(int fd, char *text)
{
    static const struct name names[] = {
        {POLLIN, "IN"}, {POLLOUT, "OUT"}, {POLLERR, "ERR"}, {POLLHUP, "HUP"}, {POLLNVAL, "NVAL"}};
    struct pollfd entry = {.fd = fd, .events = POLLIN | POLLOUT};

    text[0] = '\0';
    if (poll(&entry, 1, 0) <= 0)
        strcpy(text, "-");
    for (size_t i = 0; i < LENGTH(names); i++)
        if (entry.revents & names[i].number)
            snprintf(text + strlen(text), ENDS_TEXT - strlen(text), "%s%s", text[0] ? "+" : "",
                     names[i].text);
}

static void say_pending(int fd, char *text)
{
    int number = 0;
    socklen_t length = sizeof(number);

    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &length) != 0)
        number = errno;
    say_error(number, text);
}

// ---- what is done -------------------------------------------------------------------------------

static ssize_t end(int *fd, int resets)
{
    struct linger at_once = {1, 0};

    if (resets)
        setsockopt(*fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    int result = close(*fd);
    *fd = -1;
    return result;
}

static ssize_t take(int fd, size_t count)
{
    char bytes[100];
    return recv(fd, bytes, count < sizeof(bytes) ? count : sizeof(bytes), MSG_DONTWAIT);
}

void ends_act(char act, int *fd, char *text)
{
    switch (act) {
    case 'w':
        say_result(send(*fd, "bytes", 5, MSG_DONTWAIT | MSG_NOSIGNAL), text);
        break;
    case 'r':
    case 't':
        say_result(take(*fd, act == 't' ? 2 : 100), text);
        break;
    case 'c':
    case 'l':
        say_result(end(fd, act == 'l'), text);
        break;
    case 's':
    case 'd':
    case 'x':
        say_result(shutdown(*fd, act == 's' ? SHUT_WR : act == 'd' ? SHUT_RD : SHUT_RDWR), text);
        break;
    case 'p':
        say_events(*fd, text);
        break;
    case 'e':
        say_pending(*fd, text);
        break;
    default:
        snprintf(text, ENDS_TEXT, "no act");
    }
}

// ---- connections --------------------------------------------------------------------------------

static void check(int result, const char *what)
{
    if (result >= 0)
        return;
    perror(what);
    exit(1);
}

static struct sockaddr_in name_of(const char *address, int port)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((in_port_t)port)};

    if (inet_aton(address, &name.sin_addr) == 0)
        check(-1, address);
    return name;
}

int ends_listen(const char *address, int port)
{
    struct sockaddr_in name = name_of(address, port);
    int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);

    check(fd, "socket");
    check(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)), "SO_REUSEADDR");
    check(bind(fd, (struct sockaddr *)&name, sizeof(name)), "bind");
    check(listen(fd, 4), "listen");
    return fd;
}

int ends_connect(const char *address, int port)
{
    struct sockaddr_in name = name_of(address, port);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    check(fd, "socket");
    check(connect(fd, (struct sockaddr *)&name, sizeof(name)), "connect");
    return fd;
}

int ends_accept(int listener)
{
    int fd = accept(listener, NULL, NULL);

    check(fd, "accept");
    return fd;
}
