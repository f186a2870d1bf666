// SPDX-License-Identifier: MIT
// BlockedThreadQueues and their logs, entry by entry. The last line is "test-queues: N passed,
// N failed".
#include "tests.h"

#include <rows.h>
#include <string.h>

u32 random_below(u32 end)
{
    static u64 seed = 1;
    u64 before = __atomic_fetch_add(&seed, 0x9e3779b97f4a7c15, __ATOMIC_RELAXED);
    before = (before ^ before >> 30) * 0xbf58476d1ce4e5b9;
    return (u32)((before ^ before >> 31) >> 16) % end;
}

int main(int argc, char **argv)
{
    if (argc > 1) { // known, flood
        run_known(strcmp(argv[1], "flood") == 0);
        return expect_status();
    }
    test_order();
    test_logging();
    test_churn();
    u64 rows_failed = rows_end("test-queues");
    return expect_report("test-queues") != 0 || rows_failed != 0;
}
