// SPDX-License-Identifier: MIT
// Calls whose true cost is known, for a viewer that takes what its own records cost off again
// (docs/monitors.md). First it tells what a batch takes while nobody records. Then, when a line is
// typed, it makes so many batches, with pauses, so that no ring is full before the viewer has read
// it.
//
//   paced CALLS BATCHES PAUSE
//
// PAUSE: milliseconds behind each batch.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define ATTEMPTS 20
#define ROUNDS 500

int paced(int argc, char **argv)
{
    struct peer server;

    if (argc != 5 || !peer_start(&server, "raw", PROCESS_HERE))
        return 1;
    u64 calls = strtoul(argv[2], NULL, 10), batches = strtoul(argv[3], NULL, 10);
    u64 pause_us = 1000 * strtoul(argv[4], NULL, 10);
    u64 ticks = UINT64_MAX; // of a call: the least, as others run on this CPU, too
    for (u32 i = 0; i < ATTEMPTS; i++) {
        u64 some = raw_ticks(server.cap, ROUNDS, 0);
        ticks = some < ticks ? some : ticks;
        thread_sleep_us(1000);
    }
    printf("ready\n"); // whoever records from now on sees the batches alone
    fflush(stdout);
    getchar();
    s64 failed = 0;
    for (u64 batch = 0; batch < batches && failed == 0; batch++) {
        u32 before = user_disable();
        failed = pingpong(server.cap, calls, 0);
        user_enable(before);
        thread_sleep_us(pause_us);
    }
    printf("%lu calls take %lu ticks while nobody records\n", calls * batches,
           ticks * calls * batches / ROUNDS);
    peer_end(&server);
    return failed != 0;
}
