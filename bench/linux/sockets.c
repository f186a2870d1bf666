// SPDX-License-Identifier: MIT
// TCP over the loopback.
#include <linux/in.h>
#include <linux/sockios.h>
#include <linux/tcp.h>

#include "bench.h"

#define ROUNDS 100UL
// What the kernel's headers do not export.
#define AF_INET 2
#define STREAM 1 // SOCK_STREAM
#define PORT 4000

// Of struct ifreq, whose header wants a C library's.
struct interface_flags {
    char name[16];
    short flags;
    u8 unused[22];
};
#define UP_AND_RUNNING 0x41 // IFF_UP | IFF_RUNNING

static struct sockaddr_in address = {.sin_family = AF_INET,
                                     .sin_port = __builtin_bswap16(PORT),
                                     .sin_addr.s_addr = __builtin_bswap32(INADDR_LOOPBACK)};
static int listener, ours, theirs;

static int stream(void)
{
    return (int)need("socket", SYS(socket, AF_INET, STREAM, 0));
}

static void no_delay(int fd)
{
    int on = 1;

    need("setsockopt", SYS(setsockopt, fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)));
}

static void raise_loopback(void)
{
    struct interface_flags request = {.name = "lo", .flags = UP_AND_RUNNING};
    int fd = stream();

    need("ioctl", SYS(ioctl, fd, SIOCSIFFLAGS, &request));
    SYS(close, fd);
}

static void answer(void *unused)
{
    u8 byte;

    (void)unused;
    for (u64 i = 0; i < (BATCHES * ROUNDS) + 1; i++) {
        SYS(read, theirs, &byte, 1);
        SYS(write, theirs, &byte, 1);
    }
}

static void round_trip(void)
{
    u8 byte = 0;

    SYS(write, ours, &byte, 1);
    SYS(read, ours, &byte, 1);
}

static void one_thread(void)
{
    u8 byte = 0;

    SYS(write, ours, &byte, 1);
    SYS(read, theirs, &byte, 1);
}

static void connect_accept_close(void)
{
    int here = stream();

    need("connect", SYS(connect, here, &address, sizeof(address)));
    int there = (int)need("accept", SYS(accept, listener, 0, 0));
    SYS(close, here);
    SYS(close, there);
}

void bench_sockets(void)
{
    static struct task task;

    raise_loopback();
    listener = stream();
    need("bind", SYS(bind, listener, &address, sizeof(address)));
    need("listen", SYS(listen, listener, 16));
    ours = stream();
    need("connect", SYS(connect, ours, &address, sizeof(address)));
    theirs = (int)need("accept", SYS(accept, listener, 0, 0));
    no_delay(ours);
    no_delay(theirs);
    u64 id = process(answer, NULL);
    measure("net.tcp_processes", ROUNDS, round_trip);
    process_wait(id);
    task_begin(&task, answer, NULL);
    measure("net.tcp_1", ROUNDS, round_trip);
    task_join(&task);
    measure("net.tcp_one_thread", ROUNDS, one_thread);
    measure("net.connect_accept_close", ROUNDS, connect_accept_close);
}
