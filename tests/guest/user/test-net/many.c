// SPDX-License-Identifier: MIT
// Many connections at once: accepted, polled, used by threads, and all given back.
#include "tests.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/thread.h>

#define PORT 6200
#define CONNECTIONS 24 // times two sockets: within a session's limit
#define ROUNDS 3
#define BYTES 40000

static int clients[CONNECTIONS], servers[CONNECTIONS];

static void open_all(int listener)
{
    for (int i = 0; i < CONNECTIONS; i++) {
        clients[i] = connect_to(PORT);
        servers[i] = accept_one(listener);
        if (clients[i] < 0 || servers[i] < 0)
            EXPECT(!"no connection");
    }
}

static void close_all(void)
{
    for (int i = 0; i < CONNECTIONS; i++) {
        close(clients[i]);
        close(servers[i]);
    }
}

static void polling(void)
{
    struct pollfd files[CONNECTIONS];
    char byte = 1;

    for (int i = 0; i < CONNECTIONS; i++)
        files[i] = (struct pollfd){.fd = servers[i], .events = POLLIN};
    EXPECT(poll(files, CONNECTIONS, 20) == 0);
    for (int i = 0; i < CONNECTIONS; i++) {
        int which = i * 7 % CONNECTIONS;
        EXPECT(send(clients[which], &byte, 1, 0) == 1);
        bool right = poll(files, CONNECTIONS, 5000) == 1 && (files[which].revents & POLLIN) != 0;
        EXPECT(right);
        EXPECT(recv(servers[which], &byte, 1, 0) == 1);
    }
    files[0] = (struct pollfd){.fd = clients[0], .events = POLLOUT};
    EXPECT(poll(files, 1, 0) == 1 && files[0].revents == POLLOUT);
}

static s64 echo(void *argument)
{
    int file = *(int *)argument;
    char buffer[2000];
    ssize_t got;

    while ((got = recv(file, buffer, sizeof(buffer), 0)) > 0)
        if (send(file, buffer, (size_t)got, 0) != got)
            return -1;
    return got;
}

static s64 ask(void *argument)
{
    int file = *(int *)argument;
    bool good =
        send_pattern(file, BYTES, (unsigned)file) && receive_pattern(file, BYTES, (unsigned)file);
    shutdown(file, SHUT_WR);
    return good;
}

static void threads(void)
{
    struct thread *asking[CONNECTIONS], *echoing[CONNECTIONS];

    for (int i = 0; i < CONNECTIONS; i++) {
        EXPECT(thread_create(&echoing[i], NULL, echo, &servers[i]) == 0);
        EXPECT(thread_create(&asking[i], NULL, ask, &clients[i]) == 0);
    }
    for (int i = 0; i < CONNECTIONS; i++) {
        s64 good = 0, end = -1;
        EXPECT(thread_join(asking[i], &good) == 0 && good == 1);
        EXPECT(thread_join(echoing[i], &end) == 0 && end == 0);
    }
}

static void the_limit_is_an_error(void)
{
    int files[200];
    int count = 0;

    while (count < 200 && (files[count] = socket(AF_INET, SOCK_STREAM, 0)) >= 0)
        count++;
    EXPECT(count >= 60 && count < 200 && errno == ENOBUFS);
    while (count > 0)
        close(files[--count]);
    int again = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT(again >= 0);
    close(again);
}

void test_many(void)
{
    int listener = listen_on(PORT);

    for (int round = 0; round < ROUNDS; round++) {
        open_all(listener);
        if (round == 0)
            polling();
        threads();
        close_all();
    }
    close(listener);
    the_limit_is_an_error();
}
