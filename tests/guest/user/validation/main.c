// SPDX-License-Identifier: MIT
// Runs the programs whose rows complete the kernel's validation table (S000 §4.4), one after the
// other. As the first process it has the machine to itself, and the machine is powered
// off with its status.
#include <stdio.h>
#include <user/process.h>
#include <user/thread.h>

static const struct program {
    const char *path;
    const char *argv[3];
    const char *about;
} programs[] = {
    {"bin/test-pmu",
     {"test-pmu", "brief"},
     "user code, processes, threads, exclusion and turns, by counters"},
    {"bin/test-queues", {"test-queues"}, "queues of sleep locks, entry by entry"},
    {"bin/test-objects", {"test-objects"}, "objects of a process, and their DREF counts"},
};

// Its status; -1 if it has none.
static s32 run(const struct program *program)
{
    struct process_spawn spawn = PROCESS_SPAWN;
    s32 status = -1;

    spawn.path = program->path;
    spawn.argv = program->argv;
    spawn.rights = PROCESS_SAME_RIGHTS;
    s64 pid = process_spawn(&spawn);
    if (pid > 0)
        pid = process_wait((u32)pid, &status, THREAD_FOREVER);
    if (pid < 0)
        printf("%s: %s\n", program->argv[0], orrery_strerror(pid));
    return pid < 0 ? -1 : status;
}

int main(void)
{
    u32 failed = 0;

    for (u32 i = 0; i < ARRAY_SIZE(programs); i++) {
        printf("-- %s: %s\n", programs[i].argv[0], programs[i].about);
        fflush(stdout);
        s32 status = run(&programs[i]);
        if (status != 0)
            printf("%s FAILED with status %d\n", programs[i].argv[0], (int)status);
        failed += status != 0;
    }
    printf("VALIDATION %u programs ok, %u failed\n", (unsigned)(ARRAY_SIZE(programs) - failed),
           (unsigned)failed);
    return failed != 0;
}
