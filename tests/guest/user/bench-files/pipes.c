// SPDX-License-Identifier: MIT
// A byte through pipes: there and back between processes, and between threads.
#include <orrery/ipc.h>
#include <posix/spawn.h>
#include <stdio.h>
#include <unistd.h>
#include <user/thread.h>
#include <user/time.h>

#include "bench.h"

#define ROUNDS 100

static int there[2], back[2]; // each: to read from, to write to

int answer_bytes(int from, int to)
{
    char byte;

    while (read(from, &byte, 1) == 1) {
        if (write(to, &byte, 1) != 1)
            return 1;
    }
    return 0;
}

static void one_thread(void)
{
    char byte = 0;

    write(there[1], &byte, 1);
    read(there[0], &byte, 1);
}

static void round_trip(void)
{
    char byte = 0;

    write(there[1], &byte, 1);
    read(back[0], &byte, 1);
}

// The child holds no end of its own from which it reads, so that it ends with ours.
static s64 begin_child(void)
{
    cap_t process;
    static const char *const argv[] = {"bench-files", "answer", NULL};
    const struct posix_spawn_fd fds[] = {{0, there[0]}, {1, back[1]}, {2, 2}};
    struct process_spawn spawn = PROCESS_SPAWN;

    spawn.path = "/bin/bench-files";
    spawn.argv = argv;
    s64 pid = posix_spawn_program(&spawn, fds, 3, &process);
    if (pid > 0)
        sys_cap_drop(process);
    return pid;
}

static s64 answer(void *unused)
{
    char byte;

    (void)unused;
    for (u32 i = 0; i < BATCHES * ROUNDS + 1; i++) {
        read(there[0], &byte, 1);
        write(back[1], &byte, 1);
    }
    return 0;
}

bool bench_pipes(void)
{
    struct thread *thread;

    if (pipe(there) != 0 || pipe(back) != 0)
        return false;
    measure("files.pipe_1", ROUNDS, one_thread);
    if (thread_create(&thread, NULL, answer, NULL) != 0)
        return false;
    measure("files.pipe_threads", ROUNDS, round_trip);
    thread_join(thread, NULL);
    s64 child = begin_child();
    if (child < 0)
        return false;
    measure("files.pipe_processes", ROUNDS, round_trip);
    close(there[1]);
    return process_wait((u32)child, NULL, THREAD_FOREVER) >= 0;
}
