// SPDX-License-Identifier: MIT
// many-threads PROCESSES THREADS TURNS: so many processes at once, of so many threads each on all
// CPUs, which work, take the same lock, and sleep. With one argument less it is one of these
// processes. Ends with 0 when all counts are right.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/lock.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define PROCESSES_MAX 1024
#define THREADS_MAX 64

static struct mutex lock;
static u64 turns, sum;

static s64 work(void *argument)
{
    (void)argument;
    for (u64 i = 0; i < turns; i++) {
        mutex_lock(&lock);
        sum++;
        mutex_unlock(&lock);
        if (i % 16 == 0)
            thread_yield();
        if (i % 64 == 0)
            thread_sleep_us(100);
    }
    return 0;
}

static int one_process(u64 thread_count)
{
    struct thread *threads[THREADS_MAX];

    if (thread_count > THREADS_MAX)
        return 2;
    for (u64 i = 0; i < thread_count; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = (u32)(i % user_cpu_count());
        if (thread_create(&threads[i], &attributes, work, NULL) != 0)
            return 3;
    }
    for (u64 i = 0; i < thread_count; i++)
        thread_join(threads[i], NULL);
    return sum == thread_count * turns ? 0 : 4;
}

static s64 start(u64 number, const char *thread_count, const char *turn_count)
{
    const char *const argv[] = {"many-threads", thread_count, turn_count, NULL};
    struct process_spawn how = PROCESS_SPAWN;

    how.path = "bin/many-threads";
    how.argv = argv;
    how.cpu = (u32)(number % user_cpu_count());
    return process_spawn(&how);
}

static int many_processes(u64 count, const char *thread_count, const char *turn_count)
{
    static s64 pids[PROCESSES_MAX];
    u64 wrong = 0;

    if (count > PROCESSES_MAX)
        return 2;
    for (u64 i = 0; i < count; i++)
        pids[i] = start(i, thread_count, turn_count);
    for (u64 i = 0; i < count; i++) {
        s32 status = -1;
        s64 ended = pids[i] < 0 ? pids[i] : process_wait((u32)pids[i], &status, patience());
        if (ended != pids[i] || status != 0) {
            printf("process %lu: pid %ld, ended %ld, status %d\n", i, pids[i], ended, (int)status);
            wrong++;
        }
    }
    printf("many-threads: %lu processes, %lu wrong\n", count, wrong);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        turns = strtoul(argv[2], NULL, 10);
        return one_process(strtoul(argv[1], NULL, 10));
    }
    return argc == 4 ? many_processes(strtoul(argv[1], NULL, 10), argv[2], argv[3])
                     : many_processes(100, "10", "200");
}
