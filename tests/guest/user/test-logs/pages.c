// SPDX-License-Identifier: MIT
// Pages: what the CPUs say of a domain adds up to the account of its process, and to nothing in the
// end.
#include "tests.h"

#include <expect.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <stdio.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define CHILD 1 // domains
#define MASTER 2
#define PAGE_BYTES 0x1000UL
#define PAGES 300UL
#define FOR_EVER_US 3600000000UL

static int fill(u64 pages)
{
    struct sys_region region = {
        .bytes = pages * PAGE_BYTES, .kind = REGION_ANONYMOUS, .prot = PROT_R | PROT_W};

    if (sys_region_create(0, &region) != 0)
        return 1;
    for (u64 page = 0; page < pages; page++)
        *(volatile u8 *)(region.address + page * PAGE_BYTES) = 1;
    return sys_region_destroy(region.address) != 0;
}

int churn(u64 pages)
{
    while (fill(pages) == 0)
        ;
    return 1;
}

// Takes pages and gives them back; takes some more, tells the master, and keeps them.
int fill_and_sleep(u64 pages)
{
    struct sys_region region = {
        .bytes = pages * PAGE_BYTES, .kind = REGION_ANONYMOUS, .prot = PROT_R | PROT_W};

    if (fill(pages) != 0 || sys_region_create(0, &region) != 0)
        return 1;
    for (u64 page = 0; page < pages; page += 2)
        *(volatile u8 *)(region.address + page * PAGE_BYTES) = 1;
    if (call_master(1) != 0)
        return 1;
    thread_sleep_us(FOR_EVER_US);
    return 2;
}

static u64 pages_of(u32 pid)
{
    struct sys_process_info info;

    return sys_process_info(pid, &info) == 0 ? info.memory_pages : 0;
}

static void a_process_and_its_account(u8 *const areas[], u32 cpu)
{
    u64 built = 0, called = master_called();
    struct child child = {
        .role = "fill", .argument = PAGES, .cpu = cpu, .domain = CHILD, .pages = &built};
    u32 before = count_of(areas, LOG_MEMORY, CHILD), pid = child_start(&child);

    EXPECT(WAIT_FOR(master_called() == called + 1));
    EXPECT(WAIT_FOR(count_of(areas, LOG_MEMORY, CHILD) - before == (u32)(pages_of(pid) - built)));
    EXPECT(pages_of(pid) >= built + PAGES / 2);
    child_kill(pid);
    EXPECT(WAIT_FOR(count_of(areas, LOG_MEMORY, CHILD) == before - (u32)built));
}

// Counts the rows of a filling during which the process neither took nor gave back other pages.
// What a killed child had of it may still come back.
static u32 rows_of_filling(u8 *const areas[])
{
    u64 before;
    u32 rows, self = (u32)sys_process_pid(0);

    do {
        rows = 0;
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
            rows_begin(areas[cpu], 0);
        before = pages_of(self);
        EXPECT(fill(PAGES) == 0);
        for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
            rows += rows_of(areas[cpu], 0);
    } while (pages_of(self) != before);
    return rows;
}

// The same is done with a threshold and without. On each CPU up to two are left for the next third.
static void a_third_is_logged(u8 *const areas[])
{
    u32 self = (u32)sys_process_pid(0), slack = 3 * user_cpu_count();

    EXPECT(sys_log_domain(self, 0, MASTER) == 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        rows_add(areas[cpu], 0, LOG_MEMORY, MASTER);
    u32 all = rows_of_filling(areas);
    set_threshold(areas, LOG_MEMORY, MASTER, 3);
    u32 third = rows_of_filling(areas);
    printf("test-logs: %u rows of filling, with a threshold of 3: %u\n", all, third);
    EXPECT(all >= 2 * PAGES);
    EXPECT(3 * third <= all + slack && 3 * third + slack >= all);
    EXPECT(sys_log_domain(self, 0, 0) == 0);
}

void pages(void)
{
    u8 *areas[ORRERY_MAX_CPUS];
    bool laid_out = lay_out_counts(areas);

    EXPECT(laid_out);
    if (!laid_out)
        return;
    EXPECT(sys_log_enable(LOG_OF_MEMORY, true) == 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        a_process_and_its_account(areas, cpu);
    a_third_is_logged(areas);
    EXPECT(sys_log_close() == 0);
    forget_counts(areas);
}
