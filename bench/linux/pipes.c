// SPDX-License-Identifier: MIT
// Bytes between processes and threads: through pipes, and through a Unix socket.
#include <linux/net.h>
#include <linux/socket.h>

#include "bench.h"

#define ROUNDS 200UL
#define STREAM 1 // SOCK_STREAM, which the kernel's headers do not export
#define UNIX 1   // AF_UNIX

static int there[2], back[2]; // each: to read from, to write to

static void pipe_byte(void)
{
    u8 byte = 0;

    SYS(write, there[1], &byte, 1);
    SYS(read, there[0], &byte, 1);
}

static void answer(void *unused)
{
    u8 byte = 0;

    (void)unused;
    for (u64 i = 0; i < (BATCHES * ROUNDS) + 1; i++) {
        SYS(read, there[0], &byte, 1);
        SYS(write, back[1], &byte, 1);
    }
}

static void round_trip(void)
{
    u8 byte = 0;

    SYS(write, there[1], &byte, 1);
    SYS(read, back[0], &byte, 1);
}

void bench_pipes(void)
{
    static struct task task;

    need("pipe", SYS(pipe, there));
    need("pipe", SYS(pipe, back));
    measure("files.pipe_1", ROUNDS, pipe_byte);
    u64 id = process(answer, NULL);
    measure("files.pipe_processes", ROUNDS, round_trip);
    process_wait(id);
    task_begin(&task, answer, NULL);
    measure("files.pipe_threads", ROUNDS, round_trip);
    task_join(&task);

    int pair[2];
    need("socketpair", SYS(socketpair, UNIX, STREAM, 0, pair));
    there[1] = back[0] = pair[0]; // the parent's end
    there[0] = back[1] = pair[1];
    id = process(answer, NULL);
    measure("ipc.library_cross_0", ROUNDS, round_trip);
    process_wait(id);
}
