// SPDX-License-Identifier: MIT
// What is no request, what cannot be counted, and sessions that are not there.
#include "tests.h"

#include <stdio.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

static void refuse(struct sys_pmu_counting counting, s64 expected, int line)
{
    s64 result = start(&counting);
    check_is("start", line, result, expected);
    if (result > 0)
        sys_pmu_count_stop(result);
}

#define REFUSE(change)                                                                             \
    do {                                                                                           \
        struct sys_pmu_counting bad = good;                                                        \
        bad.change;                                                                                \
        refuse(bad, E_INVAL, __LINE__);                                                            \
    } while (0)

static void bad_numbers(void)
{
    struct sys_pmu_counting good = request();
    add(&good, "larx", BOTH, 0);
    REFUSE(item_count = 0);
    REFUSE(item_count = SYS_PMU_ITEMS + 1);
    REFUSE(set_count = 0);
    REFUSE(set_count = SYS_PMU_SETS + 1);
    REFUSE(cpu_mask = 1u << user_cpu_count());
    REFUSE(slice_event = event("larx"));
    REFUSE(slice_event = UINT32_MAX);
    REFUSE(slice = 9999);
    REFUSE(slice = 1000000001);
    REFUSE(shares[0] = 0);
    REFUSE(shares[0] = 1001);
    REFUSE(items[0].event = 1000);
    REFUSE(items[0].event = UINT32_MAX);
    REFUSE(items[0].filter = 0);
    REFUSE(items[0].filter = 4);
    REFUSE(items[0].set = 1);
    REFUSE(items[0].reserved = 1);
    CHECK_IS(sys_pmu_count_start(NULL, message, sizeof(message)), E_FAULT);
    CHECK_IS(sys_pmu_count_start(&good, NULL, sizeof(message)), E_FAULT);
    CHECK_IS(sys_pmu_count_start(&good, message, 513), E_INVAL);
}

// With one counter for larx, as the 970FX has it,
// a set needs two groups: sixteen sets need too many.
static void conflicts_name_their_events(void)
{
    struct sys_pmu_counting counting = request();
    for (u32 set = 0; set < SYS_PMU_SETS; set++) {
        counting.shares[set] = 1;
        add(&counting, "larx", SYS_PMU_USER, set);
        add(&counting, "larx", SYS_PMU_KERNEL, set);
    }
    counting.set_count = SYS_PMU_SETS;
    refuse(counting, E_LIMIT, __LINE__);
    printf("test-pmu: refused: %s\n", message);
    CHECK_IS(strstr(message, "larx:u") != NULL && strstr(message, "larx:k") != NULL, true);
    CHECK_IS(strstr(message, "instructions") == NULL, true);
    char end = message[7];
    CHECK_IS(sys_pmu_count_start(&counting, message, 8), E_LIMIT);
    CHECK_IS(strlen(message) == 7 && end != 0, true);
    CHECK_IS(sys_pmu_count_start(&counting, message, 0), E_LIMIT);
}

static void sessions_are_known_by_their_numbers(void)
{
    struct sys_pmu_counting counting = request();
    struct sys_pmu_count raw[SYS_PMU_ITEMS];
    struct scaled_count first[SYS_PMU_ITEMS], second[SYS_PMU_ITEMS];
    add(&counting, "larx", BOTH, 0);
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    CHECK_IS(message[0], 0);
    CHECK_IS(sys_pmu_count_read(session + 1, 0, raw, sizeof(raw)), E_STALE);
    CHECK_IS(sys_pmu_count_read(0, 0, raw, sizeof(raw)), E_STALE);
    CHECK_IS(sys_pmu_count_read(session, user_cpu_count(), raw, sizeof(raw)), E_INVAL);
    CHECK_IS(sys_pmu_count_read(session, 0, raw, sizeof(raw[0]) - 1), E_INVAL);
    CHECK_IS(sys_pmu_count_stop(session + 1), E_STALE);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    CHECK_IS(sys_pmu_count_stop(session), E_STALE);
    read_counts(session, 0, &counting, first);
    work(1000);
    s64 next = start(&counting);
    CHECK_IS(next > session, true);
    read_counts(session, 0, &counting, second);
    CHECK_IS(memcmp(first, second, sizeof(first[0])), 0);
    CHECK_IS(sys_pmu_count_stop(session), E_STALE);
    CHECK_IS(sys_pmu_count_stop(next), 0);
    // Those that have ended stay until others need their places, the oldest first.
    for (u32 i = 2; i < SYS_PMU_SESSIONS; i++)
        CHECK_IS(sys_pmu_count_stop(start(&counting)), 0);
    read_counts(session, 0, &counting, second);
    CHECK_IS(memcmp(first, second, sizeof(first[0])), 0);
    s64 last = start(&counting);
    CHECK_IS(sys_pmu_count_read(session, 0, raw, sizeof(raw)), E_STALE);
    read_counts(next, 0, &counting, first);
    CHECK_IS(sys_pmu_count_stop(last), 0);
}

static void only_chosen_cpus_count(void)
{
    struct sys_pmu_counting counting = request();
    struct sys_pmu_count count;
    u32 last = user_cpu_count() - 1;
    add(&counting, "larx", BOTH, 0);
    counting.cpu_mask = 1u << last;
    s64 session = start(&counting);
    CHECK_IS(sys_pmu_count_read(session, last, &count, sizeof(count)), sizeof(count));
    if (last != 0)
        CHECK_IS(sys_pmu_count_read(session, 0, &count, sizeof(count)), E_INVAL);
    CHECK_IS(sys_pmu_count_stop(session), 0);
}

static void child(const char *what, u32 rights, s32 expected)
{
    const char *argv[] = {"test-pmu", what, NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    s32 status = -1;
    spawn.path = "bin/test-pmu";
    spawn.argv = argv;
    spawn.rights = rights;
    s64 pid = process_spawn(&spawn);
    CHECK_IS(process_wait((u32)pid, &status, patience()), pid);
    CHECK_IS(status, expected);
}

static void sessions_end_with_their_process(void)
{
    struct sys_pmu_counting counting = request();
    add(&counting, "larx", BOTH, 0);
    child("leave", PROCESS_SAME_RIGHTS, 0);
    s64 session = start(&counting);
    CHECK_IS(session > 0, true);
    child("unprivileged", 0, 0);
    CHECK_IS(sys_pmu_count_stop(session), 0);
}

// ---- many at once -------------------------------------------------------------------------------

#define STORM_ROUNDS 60

static u64 started;

// Anything may come, but no error that makes no sense.
static bool sensible(s64 result)
{
    return result >= 0 || result == E_BUSY || result == E_STALE;
}

static s64 disturb(void *argument)
{
    struct sys_pmu_counting counting = request();
    struct sys_pmu_count found[2];
    char unused[8];
    u32 cpu = (u32)(u64)argument;
    add(&counting, "larx", BOTH, 0);
    add(&counting, "larx", SYS_PMU_USER, cpu % 2);
    counting.set_count = 1 + cpu % 2;
    counting.shares[1] = 1;
    counting.slice = 10000;
    for (u32 round = 0; round < STORM_ROUNDS; round++) {
        s64 session = sys_pmu_count_start(&counting, unused, sizeof(unused));
        CHECK_IS(sensible(session), true);
        __atomic_fetch_add(&started, session > 0, __ATOMIC_RELAXED);
        s64 other = (s64)__atomic_load_n(&started, __ATOMIC_RELAXED) + round % 3;
        CHECK_IS(sensible(sys_pmu_count_read(session, cpu, found, sizeof(found))), true);
        CHECK_IS(sensible(sys_pmu_count_read(other, cpu, found, sizeof(found))), true);
        CHECK_IS(sensible(sys_pmu_count_stop(session)), true);
        CHECK_IS(sensible(sys_pmu_count_stop(other)), true);
    }
    return 0;
}

static void calls_of_all_cpus_wait_for_each_other(void)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        CHECK_IS(thread_create(&threads[cpu], &attributes, disturb, (void *)(u64)cpu), 0);
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        CHECK_IS(thread_join(threads[cpu], NULL), 0);
    CHECK_IS(started > 0, true); // how many depends on who comes when
    struct sys_pmu_counting counting = request();
    add(&counting, "larx", BOTH, 0);
    s64 session = start(&counting); // none of them is left
    CHECK_IS(session > (s64)started, true);
    CHECK_IS(sys_pmu_count_stop(session), 0);
    printf("test-pmu: %lu sessions\n", started);
}

void refusals(void)
{
    calls_of_all_cpus_wait_for_each_other();
    bad_numbers();
    if (counters("larx") == 1)
        conflicts_name_their_events();
    sessions_are_known_by_their_numbers();
    only_chosen_cpus_count();
    sessions_end_with_their_process();
}
