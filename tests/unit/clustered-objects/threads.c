// SPDX-License-Identifier: MIT
// Everything at once on concurrent CPUs: calls, misses, creation, destruction, scans, reaping.
#include "host.h"

#include "src/internal.h"
#include <co/counter.h>
#include <orrery/sys.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ROUNDS 3000        // of each worker, and more until something was reclaimed …
#define ROUNDS_MAX 1000000 // … but not for ever
#define SHARED_OBJECTS 32

static coid_t shelf[SHARED_OBJECTS]; // objects that all CPUs call, destroy and replace
static u64 calls, stale_calls, failures, lost_destroys;
static bool stop;

static void tally(u64 *count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static void replace(u32 slot)
{
    s64 fresh = slot % 2 ? shared_counter_create() : distributed_counter_create();
    coid_t old = __atomic_exchange_n(&shelf[slot], (coid_t)fresh, __ATOMIC_ACQ_REL);
    if (fresh < 0)
        tally(&failures);
    if (co_destroy(old) != 0)
        tally(&lost_destroys);
}

static bool reclaiming(void)
{
    return __atomic_load_n(&host_events.reclaims, __ATOMIC_RELAXED) > 0;
}

static void *worker(void *argument)
{
    struct co_generation_member member = {0};
    u32 cpu = (u32)(u64)argument, random = cpu + 1;
    host_set_cpu(cpu);
    for (u32 i = 0; i < ROUNDS || (i < ROUNDS_MAX && !reclaiming()); i++) {
        random = random * 1103515245 + 12345;
        u32 slot = random >> 16 & (SHARED_OBJECTS - 1);
        co_thread_enter(&member);
        coid_t coid = __atomic_load_n(&shelf[slot], __ATOMIC_ACQUIRE);
        s64 result = CO_CALL(struct counter, coid, inc);
        tally(result == 0 ? &calls : &stale_calls);
        if (result != 0 && result != E_STALE)
            tally(&failures);
        if (random >> 8 & 1)
            co_thread_checkpoint(&member);
        if (i % 4 == cpu % 4)
            replace(slot);
        co_thread_exit(&member);
        co_cpu_advance();
        co_reap();
    }
    return NULL;
}

// Plays the last CPU alone.
static void *scanner(void *argument)
{
    struct co_generation_member member = {0};
    static char records[SHARED_OBJECTS * 8 * sizeof(struct sys_object)];
    u64 *scans = argument;
    host_set_cpu(HOST_CPUS - 1);
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        u64 cursor = 0;
        s64 got;
        co_thread_enter(&member);
        while ((got = co_manager_scan(&cursor, records, sizeof(records))) > 0)
            ++*scans;
        if (got != 0)
            tally(&failures);
        co_thread_exit(&member);
        co_cpu_advance();
        sched_yield();
    }
    return NULL;
}

static void concurrent_cpus_lose_nothing(void **state)
{
    (void)state;
    pthread_t workers[HOST_CPUS - 1], scan_thread;
    u64 scans = 0;
    for (u32 i = 0; i < SHARED_OBJECTS; i++)
        shelf[i] = (coid_t)distributed_counter_create();
    pthread_create(&scan_thread, NULL, scanner, &scans);
    for (u64 cpu = 0; cpu < ARRAY_SIZE(workers); cpu++)
        pthread_create(&workers[cpu], NULL, worker, (void *)cpu);
    for (u32 i = 0; i < ARRAY_SIZE(workers); i++)
        pthread_join(workers[i], NULL);
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(scan_thread, NULL);

    assert_int_equal(failures, 0);
    assert_true(reclaiming());
    assert_int_equal(lost_destroys, 0);
    assert_true(calls + stale_calls >= ARRAY_SIZE(workers) * ROUNDS);
    assert_true(calls > stale_calls);
    assert_true(scans > 0);
    for (u32 i = 0; i < SHARED_OBJECTS; i++)
        assert_int_equal(co_destroy(shelf[i]), 0);
    host_reap_all();
    assert_int_equal(host_events.creates - 2, host_events.reclaims);
}

// Two threads of one CPU and others all meet an object for the first time.
#define RIVALS 8

static coid_t contested;
static pthread_barrier_t start_line;

static void *rival(void *argument)
{
    host_set_cpu((u32)(u64)argument % HOST_CPUS);
    pthread_barrier_wait(&start_line);
    CO_CALL(struct counter, contested, inc);
    return NULL;
}

static void rival_misses_leave_one_rep_a_cpu(void **state)
{
    (void)state;
    pthread_barrier_init(&start_line, NULL, RIVALS);
    for (u32 round = 0; round < 50; round++) {
        pthread_t threads[RIVALS];
        contested = (coid_t)distributed_counter_create();
        for (u64 i = 0; i < RIVALS; i++)
            pthread_create(&threads[i], NULL, rival, (void *)i);
        for (u32 i = 0; i < RIVALS; i++)
            pthread_join(threads[i], NULL);
        const struct co_entry *entry = &co_gtt_find_live(contested)->entries[co_index(contested)];
        assert_int_equal(entry->reps, HOST_CPUS);
        assert_int_equal(entry->misses, HOST_CPUS);
        assert_int_equal(CO_CALL(struct counter, contested, val), RIVALS);
        assert_int_equal(co_destroy(contested), 0);
        host_reap_all();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(concurrent_cpus_lose_nothing),
        cmocka_unit_test(rival_misses_leave_one_rep_a_cpu),
    };
    return cmocka_run_group_tests_name("co_threads", tests, host_start, NULL);
}
