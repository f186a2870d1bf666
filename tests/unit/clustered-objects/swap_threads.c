// SPDX-License-Identifier: MIT
// Swaps beside everything at once: calls on concurrent CPUs, some that cannot wait, scans, and
// destruction. Each counter's account is exact.
#include "host.h"

#include "src/internal.h"
#include <co/counter.h>
#include <co/swap.h>
#include <orrery/sys.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define SWAPS 100
#define WORKERS (HOST_CPUS - 1)

static coid_t steady;
static coid_t fleeting; // destroyed and replaced all the time
static u64 done[WORKERS], failures, swapped, called_off, gone;
static bool stop;

static bool stopping(void)
{
    return __atomic_load_n(&stop, __ATOMIC_RELAXED);
}

static void tally(u64 *count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static void replace(void)
{
    coid_t old = __atomic_exchange_n(&fleeting, (coid_t)shared_counter_create(), __ATOMIC_ACQ_REL);
    if (co_destroy(old) != 0)
        tally(&failures);
}

static void scan_all(void)
{
    static _Thread_local char records[4096];
    u64 cursor = 0;
    while (co_manager_scan(&cursor, records, sizeof(records)) > 0)
        ;
}

static void *worker(void *argument)
{
    struct co_generation_member member = {0};
    u32 cpu = (u32)(u64)argument;
    host_set_cpu(cpu);
    for (u32 i = 0; !stopping(); i++) {
        co_thread_enter(&member);
        host_masked = i % 3 == cpu;
        if (CO_CALL(struct counter, steady, inc) == 0)
            done[cpu]++;
        else
            tally(&failures);
        s64 result = CO_CALL(struct counter, __atomic_load_n(&fleeting, __ATOMIC_ACQUIRE), inc);
        if (result != 0 && result != E_STALE)
            tally(&failures);
        host_masked = false;
        if (cpu == 1 && i % 64 == 0)
            replace();
        if (cpu == 2 && i % 32 == 0)
            scan_all();
        co_thread_exit(&member);
        co_cpu_advance();
        co_reap();
    }
    return NULL;
}

static s64 swap(coid_t coid, const char *implementation)
{
    struct co_swap_report report;
    s64 error = co_swap(coid, implementation, CO_SWAP_MICROSECONDS, &report);
    if (error == 0)
        swapped++;
    else if (error == E_TIMEOUT || error == E_BUSY)
        called_off++;
    else if (error == E_STALE)
        gone++;
    else if (error != E_EXIST)
        tally(&failures);
    if (error != 0)
        co_platform_rest(1000); // all mediators may linger
    return error;
}

static void swaps_lose_no_call(void **state)
{
    (void)state;
    pthread_t workers[WORKERS];
    steady = (coid_t)shared_counter_create();
    fleeting = (coid_t)shared_counter_create();
    for (u64 cpu = 0; cpu < WORKERS; cpu++)
        pthread_create(&workers[cpu], NULL, worker, (void *)cpu);
    host_set_cpu(HOST_CPUS - 1);
    bool distributed = false;
    for (u32 i = 0; i < SWAPS; i++) {
        distributed ^= swap(steady, distributed ? "SharedCounter" : "DistributedCounter") == 0;
        swap(__atomic_load_n(&fleeting, __ATOMIC_ACQUIRE), "DistributedCounter");
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    u64 sum = 0;
    for (u32 i = 0; i < WORKERS; i++) {
        pthread_join(workers[i], NULL);
        sum += done[i];
    }
    print_message("%lu swapped, %lu called off or busy, %lu gone meanwhile; %lu calls\n",
                  (unsigned long)swapped, (unsigned long)called_off, (unsigned long)gone,
                  (unsigned long)sum);
    assert_int_equal(failures, 0);
    assert_int_equal(CO_CALL(struct counter, steady, val), sum);
    assert_true(swapped > SWAPS / 4); // a slow host calls swaps off
    assert_int_equal(co_destroy(steady), 0);
    assert_int_equal(co_destroy(fleeting), 0);
    host_reap_all();
    while (co_swap_tidy() != 0)
        host_advance_all();
    assert_int_equal(host_events.creates - 2, host_events.reclaims);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(swaps_lose_no_call)};
    return cmocka_run_group_tests_name("co_swap_threads", tests, host_start, NULL);
}
