// SPDX-License-Identifier: MIT
// TCP over the loopback: a byte there and back between threads, in one thread, and between
// processes; and connections.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <user/process.h>
#include <user/thread.h>

#include "bench.h"

#define ROUNDS 50
#define PORT 4000

// This machine's byte order is the network's.
static const struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_port = PORT, .sin_addr.s_addr = INADDR_LOOPBACK};
static const int on = 1;
static int listener, ours, theirs;

int answer_connected(void)
{
    int socket_here = socket(AF_INET, SOCK_STREAM, 0);

    if (connect(socket_here, (const struct sockaddr *)&address, sizeof(address)) != 0)
        return 1;
    setsockopt(socket_here, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return answer_bytes(socket_here, socket_here);
}

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

    connect(here, (const struct sockaddr *)&address, sizeof(address));
    int there = accept(listener, NULL, NULL);
    close(here);
    close(there);
}

static bool measure_processes(void)
{
    s64 child = begin_child("connect", 0, 1);

    if (child < 0 || (ours = accept(listener, NULL, NULL)) < 0)
        return false;
    setsockopt(ours, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    measure("net.tcp_processes", ROUNDS, round_trip);
    close(ours);
    return process_wait((u32)child, NULL, THREAD_FOREVER) >= 0;
}

bool bench_sockets(void)
{
    struct thread *thread;

    listener = socket(AF_INET, SOCK_STREAM, 0);
    ours = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, 4) != 0 ||
        connect(ours, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
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
    return measure_processes();
}
