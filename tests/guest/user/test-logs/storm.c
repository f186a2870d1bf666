// SPDX-License-Identifier: MIT
// An owner that stores anything anywhere into its areas while all is logged that can be. Behind the
// areas nothing is written: the kernel looks when it lets go of them, and panics.
#include "tests.h"

#include <expect.h>
#include <orrery/memory.h>
#include <stdio.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define STORES 1000000u
#define STORES_BETWEEN 20000u // two ends of a process
#define WORDS (LOG_AREA_BYTES / sizeof(u32))

static u64 seed = 88172645463325252UL;

static u32 draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (u32)(seed >> 16);
}

// Any word; often one that names a register which is anywhere, near the end of its area.
static void store_anything(u8 *const areas[], u32 count)
{
    u32 *area = (u32 *)areas[draw() % count];

    if (draw() % 4 == 0) {
        u32 place = draw() % WORDS & ~1u;
        area[place] = UINT32_MAX - draw() % 64;
        area[place + 1] = draw();
    } else {
        area[draw() % WORDS] = draw();
    }
}

static u32 start_caller(u32 number)
{
    struct child child = {.role = "call",
                          .argument = CALLS_FOR_EVER,
                          .cpu = number % user_cpu_count(),
                          .domain = 1 + draw() % (LOG_DOMAINS - 1)};

    return child_start(&child);
}

static void store_beside_callers(u8 *const areas[], u32 count)
{
    u32 callers[ORRERY_MAX_CPUS], cpus = user_cpu_count();

    for (u32 cpu = 0; cpu < cpus; cpu++)
        callers[cpu] = start_caller(cpu);
    for (u32 done = 0; done < STORES; done += STORES_BETWEEN) {
        u32 cpu = draw() % cpus;
        for (u32 i = 0; i < STORES_BETWEEN; i++)
            store_anything(areas, count);
        thread_sleep_us(1000); // it lets them call where they share its CPU
        EXPECT(sys_log_enable(LOG_OF_CALLS, true) ==
               0); // looks at the selectors that are there now
        child_kill(callers[cpu]);
        callers[cpu] = start_caller(cpu);
    }
    for (u32 cpu = 0; cpu < cpus; cpu++)
        child_kill(callers[cpu]);
}

void storm(void)
{
    u8 *areas[ORRERY_MAX_CPUS * LOG_AREAS];
    u32 count = 0;
    u64 called = master_called();

    for (u32 number = 0; number < LOG_AREAS; number++)
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
            EXPECT(area_add(cpu, &areas[count++]) == number);
    enable_all();
    store_beside_callers(areas, count);
    EXPECT(sys_log_close() == 0);
    EXPECT(master_called() > called);
    for (u32 i = 0; i < count; i++)
        EXPECT(sys_region_destroy((u64)areas[i]) == 0);
    printf("test-logs: %lu calls beside %u stores\n", master_called() - called, STORES);
}
