// SPDX-License-Identifier: MIT
// Owners that are killed under load: the next one takes over, and nothing is left behind.
#include "tests.h"

#include <expect.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <user/ipc.h>
#include <user/scheduler.h>
#include <waiting.h>

#define OWNERS 100
#define WARM_UP 10
// What allocators of CPUs may hold; the areas alone would be 100 * 64 KB a CPU.
#define SLACK 0x200000

// Takes the logs, tells the master, and goes on until it is killed.
int own_logs(void)
{
    u8 *areas[ORRERY_MAX_CPUS];
    struct ipc_message message = {.words = {1}};

    EXPECT(lay_out_counts(areas));
    enable_all();
    EXPECT(sys_log_domain((u32)sys_process_pid(0), 0, 5) == 0);
    if (expect_status() != 0)
        return 1;
    while (ipc_call(CAP_PARENT, &message) == 0 && calls_of(areas, 5) > 0)
        message.words[0] = 1; // the answer has been there
    return 2;
}

static u64 free_bytes(void)
{
    struct sys_info info;

    return sys_info(&info) == 0 ? info.free_bytes : 0;
}

static void one_owner(void)
{
    struct child child = {.role = "own", .rights = RIGHT_MONITOR};
    u64 owned = master_owned();
    u32 pid = child_start(&child);

    EXPECT(WAIT_FOR(master_owned() > owned + 1));
    EXPECT(sys_log_enable(LOG_OF_CALLS, false) == E_BUSY);
    child_kill(pid);
    EXPECT(sys_log_enable(LOG_OF_CALLS, false) == E_NOENT);
}

void owners(void)
{
    u32 callers[ORRERY_MAX_CPUS];
    u64 before = 0;

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct child child = {.role = "call", .argument = CALLS_FOR_EVER, .cpu = cpu};
        callers[cpu] = child_start(&child);
    }
    for (u32 i = 0; i < OWNERS + WARM_UP; i++) {
        if (i == WARM_UP)
            before = free_bytes();
        one_owner();
    }
    EXPECT(WAIT_FOR(free_bytes() + SLACK > before));
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        child_kill(callers[cpu]);
    printf("test-logs: %d owners killed\n", OWNERS + WARM_UP);
}
