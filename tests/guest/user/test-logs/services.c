// SPDX-License-Identifier: MIT
// Service times: a process's are its account with the scheduler, to the tick of the time base, and
// those of all domains add up to the time of their CPU.
#include "tests.h"

#include <expect.h>
#include <orrery/ipc.h>
#include <stdio.h>
#include <user/ipc.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define CHILD 8 // domains; plus the CPU's number, as the end of one child is still being told
#define MASTER 3
#define OTHERS 4
#define KERNEL 5
#define THIRD 40
#define CALLS 150
#define TURNS 2000UL
#define SPIN 1000u
#define NAPS 50
#define NAP_US 1000
#define FOR_EVER_US 3600000000UL

// Works, and calls the master in between; then sleeps until it is killed.
int work_and_sleep(u64 turns)
{
    if (call_master(1) != 0)
        return 1;
    for (u64 turn = 0; turn < turns; turn++) {
        for (volatile u32 i = 0; i < SPIN; i++)
            ;
        if (turn % 8 == 0 && call_master(1) != 0)
            return 1;
    }
    thread_sleep_us(FOR_EVER_US);
    return 2;
}

static u64 cpu_ticks(u32 pid)
{
    struct sys_process_info info;

    return sys_process_info(pid, &info) == 0 ? info.cpu_ticks : 0;
}

// The account and the log say the same once the child sleeps.
static void a_process_and_its_account(u8 *const areas[], u32 cpu)
{
    struct child child = {.role = "work", .argument = TURNS, .cpu = cpu, .domain = CHILD + cpu};
    u64 called = master_called();
    u32 pid = child_start(&child);

    EXPECT(WAIT_FOR(master_called() == called + 1 + TURNS / 8));
    EXPECT(WAIT_FOR(count_of(areas, LOG_SERVICE_TIME, child.domain) == (u32)cpu_ticks(pid)));
    EXPECT(cpu_ticks(pid) > 0);
    EXPECT(count_on(areas[cpu], LOG_SERVICE_TIME, child.domain) != 0);
    child_kill(pid);
}

static u32 all_service(const u8 *area)
{
    u32 sum = 0;

    for (u32 domain = 1; domain < LOG_DOMAINS; domain++)
        sum += count_on(area, LOG_SERVICE_TIME, domain);
    return sum;
}

void map_everything(u32 master, u32 others, u32 kernel)
{
    struct sys_process_info infos[32];
    u64 cursor = 0;
    s64 got;

    while ((got = sys_process_list(&cursor, infos, sizeof(infos))) > 0)
        for (u64 i = 0; i < (u64)got / sizeof(infos[0]); i++)
            sys_log_domain(infos[i].pid, 0, others);
    EXPECT(sys_log_domain((u32)sys_process_pid(0), 0, master) == 0);
    EXPECT(sys_log_domain(0, 0, kernel) == 0);
}

// They begin when the CPU next goes to another domain after they have been switched on, and end
// when it last did so.
static void a_cpu_is_shared_out(u8 *const areas[])
{
    u32 cpu = user_cpu(), before = all_service(areas[cpu]);

    map_everything(MASTER, OTHERS, KERNEL);
    u64 not_yet = time_now();
    EXPECT(sys_log_enable(LOG_OF_SERVICE, true) == 0);
    thread_sleep_us(NAP_US);
    u64 surely = time_now();
    for (u32 nap = 0; nap < NAPS; nap++)
        thread_sleep_us(NAP_US);
    u64 still = time_now();
    thread_sleep_us(NAP_US);
    u32 service = all_service(areas[cpu]) - before;
    u64 no_more = time_now();
    EXPECT(cpu == user_cpu());
    // modulo 2^32, as counters are
    EXPECT(service - (u32)(still - surely) <= (no_more - not_yet) - (still - surely));
    EXPECT(sys_log_enable(LOG_OF_SERVICE, false) == 0);
    printf("test-logs: %u of %lu to %lu ticks\n", service, still - surely, no_more - not_yet);
}

static void one_domain_is_never_left(u8 *const areas[])
{
    u32 cpu = user_cpu(), before = all_service(areas[cpu]);

    map_everything(OTHERS, OTHERS, OTHERS);
    EXPECT(sys_log_enable(LOG_OF_SERVICE, true) == 0);
    for (u32 nap = 0; nap < NAPS; nap++)
        thread_sleep_us(NAP_US);
    EXPECT(sys_log_enable(LOG_OF_SERVICE, false) == 0);
    EXPECT(all_service(areas[cpu]) == before);
}

// A process leaves its domain with each call, and comes back from another domain, which is told of
// each time.
static void a_third_is_logged(u8 *const areas[])
{
    static const u32 others[] = {MASTER, OTHERS, KERNEL};
    u32 cpu = user_cpu();
    struct child child = {.role = "call", .argument = CALLS, .cpu = cpu, .domain = THIRD};

    map_everything(MASTER, OTHERS, KERNEL);
    rows_begin(areas[cpu], 0);
    rows_begin(areas[cpu], 1);
    rows_add(areas[cpu], 0, LOG_SERVICE_TIME, THIRD);
    for (u32 i = 0; i < ARRAY_SIZE(others); i++)
        rows_add(areas[cpu], 1, LOG_SERVICE_TIME, others[i]);
    set_threshold(areas, LOG_SERVICE_TIME, THIRD, 3);
    EXPECT(sys_log_enable(LOG_OF_SERVICE, true) == 0);
    EXPECT(child_end(child_start(&child)) == 0);
    EXPECT(sys_log_enable(LOG_OF_SERVICE, false) == 0);
    u32 third = rows_of(areas[cpu], 0), from_others = rows_of(areas[cpu], 1);
    EXPECT(third >= CALLS / 3 - 1 && 3 * third <= from_others + 3);
    printf("test-logs: %u services, told of among %u others\n", third, from_others);
}

void services(void)
{
    u8 *areas[ORRERY_MAX_CPUS];
    bool laid_out = lay_out_counts(areas);

    EXPECT(laid_out);
    if (!laid_out)
        return;
    EXPECT(sys_log_enable(LOG_OF_SERVICE, true) == 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        a_process_and_its_account(areas, cpu);
    EXPECT(sys_log_enable(LOG_OF_SERVICE, false) == 0);
    a_cpu_is_shared_out(areas);
    one_domain_is_never_left(areas);
    a_third_is_logged(areas);
    EXPECT(sys_log_close() == 0);
    forget_counts(areas);
}
