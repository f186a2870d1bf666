// SPDX-License-Identifier: MIT
// fuzz-subject SEED: works for a while, then one of its threads begins to spoil.
#include "subject.h"

#include <stdlib.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define WORK_US_MOST 60000

int main(int argc, char **argv)
{
    u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;

    if (work_start() != 0)
        return 1;
    thread_sleep_us(seed % WORK_US_MOST);
    thread_move(thread_current(), (u32)(seed >> 20) % user_cpu_count());
    spoil(seed | 1);
}
