// SPDX-License-Identifier: MIT
// The thread library, part by part. The last line is "test-threads: N passed, N failed".
#include "tests.h"

#include <stdio.h>

static unsigned long passed, failed; // atomic

void expect(bool condition, const char *file, int line, const char *text)
{
    if (condition) {
        __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
        return;
    }
    __atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
    printf("FAILED %s:%d: %s\n", file, line, text);
}

int main(void)
{
    test_basics();
    test_order();
    test_locks();
    test_pages();
    test_storm();
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_stat stat;
        thread_stat(cpu, &stat);
        printf("CPU %u: %lu switches, %lu preemptions, %lu waits, %lu kicks, %lu moves\n", cpu,
               stat.switches, stat.preemptions, stat.waits, stat.kicks, stat.moves);
    }
    printf("test-threads: %lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
