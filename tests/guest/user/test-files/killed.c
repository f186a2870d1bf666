// SPDX-License-Identifier: MIT
// Processes that are killed at any moment of mapping files that have no name any
// more: nothing of the files is left.
#include "tests.h"

#include <fcntl.h>
#include <orrery/sys.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define PATH "/tmp/mapped-by-the-killed"
#define ROUNDS 100
#define LIFE_US 20000 // at most, and more than a start takes

int child_map(void)
{
    for (;;) {
        int fd = open(PATH, O_RDWR | O_CREAT | O_EXCL, 0644);
        if (fd < 0 || unlink(PATH) != 0 || write(fd, "x", 1) != 1)
            return 1;
        volatile char *map = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED || map[0] != 'x' || munmap((void *)map, 1) != 0 || close(fd) != 0)
            return 2;
    }
}

static void kill_a_mapper(void)
{
    const char *argv[] = {"test-files", "map", NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    s32 status = 0;
    spawn.path = "/bin/test-files";
    spawn.argv = argv;
    spawn.cpu = (user_cpu() + 1) % user_cpu_count();
    s64 pid = process_spawn(&spawn);
    EXPECT(pid > 0);
    thread_sleep_us(LIFE_US / 4 + (u64)rand() % LIFE_US);
    kill((pid_t)pid, SIGKILL);
    EXPECT(process_wait((u32)pid, &status, THREAD_FOREVER) == pid);
    EXPECT(status != 1 && status != 2);
    unlink(PATH); // killed in between
}

void test_killed(void)
{
    u32 files = live_objects("FCMFile");
    EXPECT(live_objects("Process") > 1);
    for (u32 round = 0; round < ROUNDS; round++)
        kill_a_mapper();
    EXPECT(WAIT_FOR(live_objects("FCMFile") <= files));
}
