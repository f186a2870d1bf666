// SPDX-License-Identifier: MIT
// Hardware events at switches, beside the session that counts them. Between the log's look at the
// unit and the session's no user code runs. So what a process's domain is told of user mode is
// exactly what the session has counted of the process.
#include "tests.h"

#include <expect.h>
#include <orrery/ipc.h>
#include <orrery/pmu.h>
#include <stdio.h>
#include <string.h>
#include <user/ipc.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define CHILD 8 // domains; plus the CPU's number
#define MASTER 3
#define OTHERS 4
#define KERNEL 5
#define BUSY 50
#define TURNS 1000UL
#define NAPS 20
#define NAP_US 1000
#define AGAIN 100
#define TASK_BYTES (sizeof(struct sys_pmu_task) + 3 * sizeof(struct sys_pmu_count))

static struct sys_pmu_event events[SYS_PMU_ITEMS];
static u32 event_count;
static char message[512];

static u32 event_of(const char *name)
{
    u32 i = 0;

    while (i < event_count && strcmp(events[i].name, name) != 0)
        i++;
    EXPECT(i < event_count);
    return i < event_count ? events[i].event : 0;
}

// Items 0 and 1 of user mode, item 2 of both.
static s64 begin_session(u32 flags)
{
    struct sys_pmu_counting counting = {.set_count = 1,
                                        .shares = {1},
                                        .slice_event = event_of("instructions"),
                                        .item_count = 3,
                                        .flags = flags};

    counting.items[0] = (struct sys_pmu_item){event_of("instructions"), SYS_PMU_USER, 0, 0};
    counting.items[1] = (struct sys_pmu_item){event_of("stores"), SYS_PMU_USER, 0, 0};
    counting.items[2] =
        (struct sys_pmu_item){event_of("instructions"), SYS_PMU_USER | SYS_PMU_KERNEL, 0, 0};
    s64 session = sys_pmu_count_start(&counting, message, sizeof(message));
    if (session <= 0)
        printf("test-logs: no session: %s\n", message);
    EXPECT(session > 0);
    return session;
}

// ---- errors -------------------------------------------------------------------------------------

void hardware_without_unit(void)
{
    EXPECT(sys_log_hardware(1, 0, 1) == E_NOTSUP);
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, true) == E_NOTSUP);
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, false) == 0);
}

// A session whose items take turns.
static s64 begin_turns(void)
{
    struct sys_pmu_counting counting = {
        .set_count = 1, .shares = {1}, .slice_event = event_of("instructions"), .item_count = 2};

    counting.items[0] = (struct sys_pmu_item){event_of("larx"), SYS_PMU_USER, 0, 0};
    counting.items[1] = (struct sys_pmu_item){event_of("larx"), SYS_PMU_KERNEL, 0, 0};
    s64 session = sys_pmu_count_start(&counting, message, sizeof(message));
    if (session <= 0)
        printf("test-logs: no session: %ld, %s\n", session, message);
    return session;
}

static void wrong_choices(void)
{
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, true) == E_STALE);
    EXPECT(sys_log_hardware(0, 0, 1) == E_STALE);
    EXPECT(sys_log_hardware(INT64_MAX, 0, 1) == E_STALE);
    s64 turns = begin_turns();
    EXPECT(turns > 0 && sys_log_hardware(turns, 0, 1) == E_LIMIT);
    EXPECT(sys_pmu_count_stop(turns) == 0);
    s64 session = begin_session(0);
    EXPECT(sys_log_hardware(session, 3, 0) == E_INVAL);
    EXPECT(sys_log_hardware(session, 0, UINT32_MAX) == E_INVAL);
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, true) == E_STALE); // none has been chosen by all this
    EXPECT(sys_log_hardware(session, 0, 1) == 0);
    EXPECT(sys_log_hardware(session, 0, 3) == E_INVAL);
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, true) == 0); // that of before still is
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, false) == 0);
    EXPECT(sys_pmu_count_stop(session) == 0);
    EXPECT(sys_log_hardware(session, 0, 1) == E_STALE);
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, true) == E_STALE);
}

// ---- counts -------------------------------------------------------------------------------------

// What the session has counted of a process on a CPU, of two items. False: it has not been there.
static bool counts_of(s64 session, u32 cpu, u32 pid, u64 counts[2])
{
    static u64 records[16 * TASK_BYTES / sizeof(u64)];
    u64 cursor = 0;
    s64 got;

    while ((got = sys_pmu_count_tasks(session, cpu, &cursor, records, sizeof(records))) > 0)
        for (s64 at = 0; at < got; at += (s64)TASK_BYTES) {
            const struct sys_pmu_task *task = (const void *)((u8 *)records + at);
            if (task->pid != pid)
                continue;
            counts[0] = task->counts[0].count;
            counts[1] = task->counts[1].count;
            return true;
        }
    return false;
}

static bool agree(s64 session, u8 *const areas[], u32 cpu, u32 pid)
{
    u64 counts[2];

    return counts_of(session, cpu, pid, counts) &&
           count_on(areas[cpu], LOG_HARDWARE_0, CHILD + cpu) == (u32)counts[0] &&
           count_on(areas[cpu], LOG_HARDWARE_1, CHILD + cpu) == (u32)counts[1];
}

// The session and the log say the same once the child sleeps.
static void a_process_and_its_counts(s64 session, u8 *const areas[], u32 cpu)
{
    struct child child = {.role = "work", .argument = TURNS, .cpu = cpu, .domain = CHILD + cpu};
    u64 called = master_called();
    u32 pid = child_start(&child);

    EXPECT(WAIT_FOR(master_called() == called + 1 + TURNS / 8));
    EXPECT(WAIT_FOR(agree(session, areas, cpu, pid)));
    u32 instructions = count_on(areas[cpu], LOG_HARDWARE_0, CHILD + cpu);
    u32 stores = count_on(areas[cpu], LOG_HARDWARE_1, CHILD + cpu);
    EXPECT(stores > TURNS && instructions > stores);
    child_kill(pid);
    printf("test-logs: %u instructions, %u stores on CPU %u\n", instructions, stores, cpu);
}

static u32 all_of(const u8 *area, u32 event)
{
    u32 sum = 0;

    for (u32 domain = 1; domain < LOG_DOMAINS; domain++)
        sum += count_on(area, event, domain);
    return sum;
}

static u64 counted(s64 session, u32 cpu)
{
    struct sys_pmu_count counts[3];

    EXPECT(sys_pmu_count_read(session, cpu, counts, sizeof(counts)) == sizeof(counts));
    return counts[2].count;
}

// A nap whose end has passed before it begins switches to nobody.
static void wait_until_told(const u8 *area)
{
    u32 before = all_of(area, LOG_HARDWARE_0);

    EXPECT(WAIT_FOR(all_of(area, LOG_HARDWARE_0) != before));
}

// All domains together are told of what the session has counted on the CPU; of a session that has
// stopped nothing is told, and the next one's counts are its own.
static void a_cpu_is_shared_out(s64 session, u8 *const areas[])
{
    u32 cpu = user_cpu(), before = all_of(areas[cpu], LOG_HARDWARE_0);

    map_everything(MASTER, OTHERS, KERNEL);
    u64 not_yet = counted(session, cpu);
    EXPECT(sys_log_hardware(session, 2, 1) == 0);
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, true) == 0);
    wait_until_told(areas[cpu]);
    u64 surely = counted(session, cpu);
    for (u32 nap = 0; nap < NAPS; nap++)
        thread_sleep_us(NAP_US);
    u64 still = counted(session, cpu);
    wait_until_told(areas[cpu]);
    u32 told = all_of(areas[cpu], LOG_HARDWARE_0) - before;
    u64 no_more = counted(session, cpu);
    EXPECT(told - (u32)(still - surely) <= (no_more - not_yet) - (still - surely));
    printf("test-logs: %u of %lu to %lu instructions\n", told, still - surely, no_more - not_yet);
    EXPECT(sys_pmu_count_stop(session) == 0);
    u32 stopped = all_of(areas[cpu], LOG_HARDWARE_0);
    for (u32 nap = 0; nap < NAPS; nap++)
        thread_sleep_us(NAP_US);
    EXPECT(all_of(areas[cpu], LOG_HARDWARE_0) == stopped);
    s64 next = begin_session(0);
    EXPECT(sys_log_hardware(next, 2, 1) == 0);
    wait_until_told(areas[cpu]);
    told = all_of(areas[cpu], LOG_HARDWARE_0) - stopped;
    EXPECT(told > 0 && told <= counted(next, cpu));
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, false) == 0);
    EXPECT(sys_pmu_count_stop(next) == 0);
}

// Sessions come and go, and items are chosen, beside calls, which take the slow path meanwhile.
static void choices_change(void)
{
    u32 callers[ORRERY_MAX_CPUS];
    u64 called = master_called();

    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct child child = {
            .role = "call", .argument = CALLS_FOR_EVER, .cpu = cpu, .domain = BUSY + cpu};
        callers[cpu] = child_start(&child);
    }
    for (u32 i = 0; i < AGAIN; i++) {
        s64 session = begin_session(i % 2 != 0 ? SYS_PMU_BY_PROCESS : 0);
        EXPECT(sys_log_hardware(session, i % 3, (i + 1) % 3) == 0);
        EXPECT(sys_log_enable(LOG_OF_HARDWARE, true) == 0);
        thread_sleep_us(NAP_US / 4);
        EXPECT(sys_log_hardware(session, 1, 1) == 0);
        if (i % 4 != 0)
            EXPECT(sys_pmu_count_stop(session) == 0);
        EXPECT(sys_log_enable(LOG_OF_HARDWARE, false) == 0);
        if (i % 4 == 0)
            EXPECT(sys_pmu_count_stop(session) == 0);
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        child_kill(callers[cpu]);
    EXPECT(master_called() > called + AGAIN);
}

void hardware(void)
{
    u8 *areas[ORRERY_MAX_CPUS];

    EXPECT(sys_log_hardware(1, 0, 1) == E_NOENT); // nobody owns the logs
    bool laid_out = lay_out_counts(areas);
    EXPECT(laid_out);
    while (event_count < SYS_PMU_ITEMS && sys_pmu_event_get(event_count, &events[event_count]) == 0)
        event_count++;
    if (!laid_out)
        return;
    wrong_choices();
    s64 session = begin_session(SYS_PMU_BY_PROCESS);
    EXPECT(sys_log_hardware(session, 0, 1) == 0);
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, true) == 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        a_process_and_its_counts(session, areas, cpu);
    EXPECT(sys_log_enable(LOG_OF_HARDWARE, false) == 0);
    a_cpu_is_shared_out(session, areas);
    choices_change();
    EXPECT(sys_log_close() == 0);
    forget_counts(areas);
}
