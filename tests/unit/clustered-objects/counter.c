// SPDX-License-Identifier: MIT
// The two counters behind their one interface.
#include "host.h"

#include "src/internal.h"
#include <co/counter.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void count(coid_t coid)
{
    s64 expected = 0;
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_set_cpu(cpu);
        for (u32 i = 0; i < 100 * (cpu + 1); i++)
            assert_int_equal(CO_CALL(struct counter, coid, inc), 0);
        assert_int_equal(CO_CALL(struct counter, coid, dec), 0);
        expected += 100 * (s64)(cpu + 1) - 1;
        assert_int_equal(CO_CALL(struct counter, coid, val), expected);
    }
    host_set_cpu(0);
    assert_int_equal(CO_CALL(struct counter, coid, val), expected);
    assert_int_equal(co_destroy(coid), 0);
    host_reap_all();
}

static void a_shared_counter_sums_all_cpus(void **state)
{
    (void)state;
    count((coid_t)shared_counter_create());
}

static void a_distributed_counter_sums_all_cpus(void **state)
{
    (void)state;
    count((coid_t)distributed_counter_create());
}

static u32 reps_of(coid_t coid)
{
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_set_cpu(cpu);
        CO_CALL(struct counter, coid, inc);
    }
    host_set_cpu(0);
    return co_gtt_find_live(coid)->entries[co_index(coid)].reps;
}

static void only_the_distributed_one_has_a_rep_a_cpu(void **state)
{
    (void)state;
    coid_t shared = (coid_t)shared_counter_create();
    coid_t distributed = (coid_t)distributed_counter_create();
    assert_int_equal(reps_of(shared), 1);
    assert_int_equal(reps_of(distributed), HOST_CPUS);
    assert_int_equal(co_destroy(shared), 0);
    assert_int_equal(co_destroy(distributed), 0);
    host_reap_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_counter_sums_all_cpus),
        cmocka_unit_test(a_distributed_counter_sums_all_cpus),
        cmocka_unit_test(only_the_distributed_one_has_a_rep_a_cpu),
    };
    return cmocka_run_group_tests_name("co_counter", tests, host_start, NULL);
}
