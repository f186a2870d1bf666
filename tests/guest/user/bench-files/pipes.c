// SPDX-License-Identifier: MIT
// A byte through pipes: there and back between threads, between processes, and between threads
// again once an end was another process's.
#include <orrery/ipc.h>
#include <orrery/process.h>
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

s64 begin_child(const char *what, int from, int to)
{
    cap_t process;
    const char *const argv[] = {"bench-files", what, NULL};
    const struct posix_spawn_fd fds[] = {{0, from}, {1, to}, {2, 2}};
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

static bool measure_threads(const char *name)
{
    struct thread *thread;

    if (thread_create(&thread, NULL, answer, NULL) != 0)
        return false;
    measure(name, ROUNDS, round_trip);
    thread_join(thread, NULL);
    return true;
}

bool bench_pipes(void)
{
    if (pipe(there) != 0 || pipe(back) != 0)
        return false;
    measure("files.pipe_1", ROUNDS, one_thread);
    if (!measure_threads("files.pipe_threads"))
        return false;
    s64 child = begin_child("answer", there[0], back[1]);
    if (child < 0)
        return false;
    measure("files.pipe_processes", ROUNDS, round_trip);
    s64 killed = sys_process_kill((u32)child, 0);
    // The child's ends are gone, and the pipes are the server's for good.
    return killed == 0 && process_wait((u32)child, NULL, THREAD_FOREVER) >= 0 &&
           measure_threads("files.pipe_threads_lent");
}
