// SPDX-License-Identifier: MIT
// Clustered objects of a process, from its own threads on all CPUs. Ends with 0 when all is as it
// should be.
#include <co/counter.h>
#include <co/manager.h>
#include <orrery/sys.h>
#include <rows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/user.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

#define CALLS 20000
#define CHURN 4000 // objects a CPU
#define PAGE_OBJECTS 256

static u64 failures;
static u32 calls = CALLS; // of count_up

#define CHECK_IS(got, expected) check_is(#got, __LINE__, (s64)(got), (s64)(expected))

static void check_is(const char *what, int line, s64 got, s64 expected)
{
    if (got == expected)
        return;
    printf("FAIL line %d: %s is %ld, expected %ld\n", line, what, got, expected);
    failures++;
}

// ---- threads on all CPUs -----------------------------------------------------------------------

static void on_all_cpus(s64 (*function)(void *), void *argument)
{
    struct thread *threads[ORRERY_MAX_CPUS];
    u32 count = user_cpu_count();
    for (u32 cpu = 0; cpu < count; cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = cpu;
        CHECK_IS(thread_create(&threads[cpu], &attributes, function, argument), 0);
    }
    for (u32 cpu = 0; cpu < count; cpu++) {
        s64 result = -1;
        CHECK_IS(thread_join(threads[cpu], &result), 0);
        CHECK_IS(result, 0);
    }
}

static s64 count_up(void *argument)
{
    coid_t coid = *(const coid_t *)argument;
    for (u32 i = 0; i < calls; i++) {
        s64 error = CO_CALL(struct counter, coid, inc);
        if (error != 0)
            return error;
        if (i % 4 == 0 && (error = CO_CALL(struct counter, coid, dec)) != 0)
            return error;
    }
    return 0;
}

// ---- what a scan says --------------------------------------------------------------------------

// The record of an object, or one with coid 0.
static struct sys_object scan_for(coid_t coid, u64 *total)
{
    static u64 buffer[4096];
    struct sys_object found = {0};
    u64 cursor = 0;
    s64 bytes;
    *total = 0;
    while ((bytes = co_manager_scan(&cursor, buffer, sizeof(buffer))) > 0) {
        const char *at = (const char *)buffer;
        while (at < (const char *)buffer + bytes) {
            const struct sys_object *object = (const struct sys_object *)at;
            if (object->coid == coid)
                found = *object;
            at += object->record_bytes;
            ++*total;
        }
    }
    CHECK_IS(bytes, 0);
    return found;
}

static void counters_count(s64 (*create)(void), bool distributed)
{
    u64 total, cpus = user_cpu_count();
    s64 created = create();
    coid_t coid = (coid_t)created;
    CHECK_IS(created > 0, 1);
    CHECK_IS(CO_CALL(struct counter, coid, val), 0);
    on_all_cpus(count_up, &coid);
    CHECK_IS(CO_CALL(struct counter, coid, val), cpus * (CALLS - CALLS / 4));
    struct sys_object object = scan_for(coid, &total);
    CHECK_IS(object.coid, coid);
    CHECK_IS(object.rep_count, distributed ? cpus : 1);
    CHECK_IS(object.misses, cpus);
    CHECK_IS(co_destroy(coid), 0);
    CHECK_IS(CO_CALL(struct counter, coid, inc), E_STALE);
    CHECK_IS(co_destroy(coid), E_STALE);
    CHECK_IS(scan_for(coid, &total).coid, 0);
}

// ---- counting ----------------------------------------------------------------------------------

static u64 counted(coid_t coid)
{
    static struct sys_dref_count counts[512];
    u64 cursor = 0, sum = 0;
    s64 bytes;
    while ((bytes = co_manager_dref_read(&cursor, counts, sizeof(counts))) > 0) {
        for (u64 i = 0; i < (u64)bytes / sizeof(counts[0]); i++) {
            if (counts[i].coid == coid)
                sum += counts[i].invocations;
        }
    }
    return sum;
}

static void calls_are_counted_exactly(s64 (*create)(void), const char *kind, u32 turns)
{
    coid_t coid = (coid_t)create();
    u64 expected = user_cpu_count() * (turns + turns / 4ul);
    calls = turns;
    CHECK_IS(CO_CALL(struct counter, coid, inc), 0);
    u64 before = counted(coid); // the system may count already
    CHECK_IS(co_manager_dref_enable(true), 0);
    on_all_cpus(count_up, &coid);
    row_exact(expected, counted(coid) - before, "DREF, a %s counter, %u turns a CPU: calls", kind,
              (unsigned)turns);
    CHECK_IS(co_manager_dref_enable(false), 0);
    if (co_manager_dref_enable(false) == 0) {
        CHECK_IS(co_manager_dref_enable(true), 0); // the system goes on counting
    } else {
        on_all_cpus(count_up, &coid);
        row_exact(expected, counted(coid) - before, "  and no more when it is off");
    }
    CHECK_IS(co_destroy(coid), 0);
}

static void calls_are_counted(void)
{
    static const u32 turns[] = {4, 1000, CALLS};
    for (u32 i = 0; i < ARRAY_SIZE(turns); i++) {
        calls_are_counted_exactly(shared_counter_create, "shared", turns[i]);
        calls_are_counted_exactly(distributed_counter_create, "distributed", turns[i]);
    }
}

// ---- coming and going --------------------------------------------------------------------------

static s64 churn(void *argument)
{
    (void)argument;
    coid_t last = 0;
    for (u32 i = 0; i < CHURN; i++) {
        s64 coid = i % 2 == 0 ? shared_counter_create() : distributed_counter_create();
        if (coid < 0)
            return coid;
        if (CO_CALL(struct counter, (coid_t)coid, inc) != 0 ||
            CO_CALL(struct counter, (coid_t)coid, val) != 1 || co_destroy((coid_t)coid) != 0)
            return -1;
        if (last != 0 && CO_CALL(struct counter, last, inc) != E_STALE)
            return -2;
        last = (coid_t)coid;
        if (i % 64 == 0)
            thread_yield();
    }
    return 0;
}

static bool all_reclaimed(void)
{
    struct co_stat stat;
    co_stat(&stat);
    return stat.destroyed == stat.reclaimed;
}

// Memory of objects goes back, pages of COIDs with it; identifiers of objects on those are stale
// all the same.
static void objects_come_and_go(void)
{
    u64 before, after;
    struct co_stat stat;
    coid_t old[PAGE_OBJECTS * 3];
    for (u32 i = 0; i < ARRAY_SIZE(old); i++)
        old[i] = (coid_t)shared_counter_create();
    for (u32 i = 0; i < ARRAY_SIZE(old); i++)
        CHECK_IS(co_destroy(old[i]), 0);
    scan_for(0, &before);
    on_all_cpus(churn, NULL);
    scan_for(0, &after);
    CHECK_IS(after, before);
    WAIT_FOR(all_reclaimed());
    co_stat(&stat);
    CHECK_IS(stat.reclaimed, stat.destroyed);
    CHECK_IS(stat.chunks_reclaimed > 0, 1);
    u64 faults = stat.faults;
    for (u32 i = 0; i < ARRAY_SIZE(old); i++)
        CHECK_IS(CO_CALL(struct counter, old[i], inc), E_STALE);
    co_stat(&stat);
    CHECK_IS(stat.faults > faults, 1);
}

// Who moves all threads (kov move) leaves those that each CPU needs: what is
// destroyed there goes on to be reclaimed.
static void a_moved_process_reclaims(void)
{
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        CHECK_IS(thread_move_all(cpu), 0);
        on_all_cpus(churn, NULL);
    }
    CHECK_IS(thread_move_all(0), 0);
    WAIT_FOR(all_reclaimed());
}

// ---- a scan while others come and go -----------------------------------------------------------

#define KNOWN 1000

static volatile bool scanning;

static s64 disturb(void *argument)
{
    while (scanning) {
        s64 error = churn(argument);
        if (error != 0)
            return error;
    }
    return 0;
}

static s64 scan_many(void *argument)
{
    static coid_t known[KNOWN];
    static u64 buffer[4096];
    (void)argument;
    for (u32 i = 0; i < KNOWN; i++)
        known[i] = (coid_t)shared_counter_create();
    for (u32 round = 0; round < 20; round++) {
        u64 cursor = 0, found = 0;
        u32 next = 0;
        s64 bytes;
        while ((bytes = co_manager_scan(&cursor, buffer, sizeof(buffer))) > 0) {
            for (const char *at = (const char *)buffer; at < (const char *)buffer + bytes;) {
                const struct sys_object *object = (const struct sys_object *)at;
                for (u32 i = 0; i < KNOWN; i++) {
                    if (known[(next + i) % KNOWN] == object->coid) {
                        next = (next + i + 1) % KNOWN;
                        found++;
                        break;
                    }
                }
                at += object->record_bytes;
            }
        }
        if (found != KNOWN)
            printf("FAIL round %u: %lu known objects found, not %u\n", (unsigned)round, found,
                   (unsigned)KNOWN);
        failures += found != KNOWN;
    }
    for (u32 i = 0; i < KNOWN; i++)
        co_destroy(known[i]);
    scanning = false;
    return 0;
}

static void a_scan_finds_all_that_stays(void)
{
    struct thread *scanner;
    scanning = true;
    CHECK_IS(thread_create(&scanner, NULL, scan_many, NULL), 0);
    on_all_cpus(disturb, NULL);
    CHECK_IS(thread_join(scanner, NULL), 0);
}

// ---- cost --------------------------------------------------------------------------------------

#define SCANNED 5000

// Of a scan, an object, through the ObjectManager; the best of some.
static void cost(void)
{
    static coid_t coids[SCANNED];
    u64 best = UINT64_MAX, total;
    for (u32 i = 0; i < SCANNED; i++)
        coids[i] = (coid_t)shared_counter_create();
    for (u32 round = 0; round < 5; round++) {
        static u64 buffer[INSPECT_BYTES / 8];
        u64 cursor = 0, begin = time_now();
        while (co_manager_scan(&cursor, buffer, sizeof(buffer)) > 0)
            ;
        u64 ticks = time_now() - begin;
        best = ticks < best ? ticks : best;
    }
    scan_for(0, &total);
    u64 tenths = best * 10 * 1000000000UL / time_hz() / total;
    printf("test-objects: a scan takes %lu.%lu ns an object\n", tenths / 10, tenths % 10);
    for (u32 i = 0; i < SCANNED; i++)
        co_destroy(coids[i]);
}

int main(void)
{
    cost();
    counters_count(shared_counter_create, false);
    counters_count(distributed_counter_create, true);
    calls_are_counted();
    objects_come_and_go();
    a_moved_process_reclaims();
    a_scan_finds_all_that_stays();
    struct co_stat stat;
    co_stat(&stat);
    row_exact(0, failures, "test-objects: checks that failed");
    failures += rows_end("test-objects");
    printf("test-objects: %lu created, %lu reclaimed, "
           "%lu pages of identifiers given back\ntest-objects: %s\n",
           stat.created, stat.reclaimed, stat.chunks_reclaimed, failures == 0 ? "ok" : "FAILED");
    return failures != 0;
}
