// SPDX-License-Identifier: MIT
// TCP over the loopback: a byte there and back between threads, the same in one thread, and
// connections.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/thread.h>

#include "bench.h"

#define ROUNDS 50
#define PORT 4000

static struct sockaddr_in address;
static int listener, ours, theirs;

static s64 answer(void *unused)
{
    char byte;

    (void)unused;
    for (u32 i = 0; i < BATCHES * ROUNDS + 1; i++) {
        read(theirs, &byte, 1);
        write(theirs, &byte, 1);
    }
    return 0;
}

static void round_trip(void)
{
    char byte = 0;

    write(ours, &byte, 1);
    read(ours, &byte, 1);
}

static void one_thread(void)
{
    char byte = 0;

    write(ours, &byte, 1);
    read(theirs, &byte, 1);
}

static void connect_accept_close(void)
{
    int here = socket(AF_INET, SOCK_STREAM, 0);

    connect(here, (struct sockaddr *)&address, sizeof(address));
    int there = accept(listener, NULL, NULL);
    close(here);
    close(there);
}

bool bench_sockets(void)
{
    const int on = 1;
    struct thread *thread;

    address = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    listener = socket(AF_INET, SOCK_STREAM, 0);
    ours = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, 4) != 0 ||
        connect(ours, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        (theirs = accept(listener, NULL, NULL)) < 0)
        return false;
    setsockopt(ours, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(theirs, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (thread_create(&thread, NULL, answer, NULL) != 0)
        return false;
    measure("net.tcp_1", ROUNDS, round_trip);
    thread_join(thread, NULL);
    measure("net.tcp_one_thread", ROUNDS, one_thread);
    measure("net.connect_accept_close", ROUNDS, connect_accept_close);
    return true;
}
