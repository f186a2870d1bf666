// SPDX-License-Identifier: MIT
// The thread library, part by part. The last line is "test-threads: N passed, N failed".
#include "tests.h"

#include <stdio.h>

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
    return expect_report("test-threads");
}
