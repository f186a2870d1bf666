// SPDX-License-Identifier: MIT
// Creation, destruction and stale COIDs.
#include "host.h"

#include "src/internal.h"
#include <co/counter.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static s64 inc(coid_t coid)
{
    return CO_CALL(struct counter, coid, inc);
}

static void on_every_cpu(coid_t coid, s64 expected)
{
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_set_cpu(cpu);
        assert_int_equal(inc(coid), expected);
    }
    host_set_cpu(0);
}

static void a_new_object_answers_on_every_cpu(void **state)
{
    (void)state;
    s64 coid = shared_counter_create();
    assert_true(coid > 0);
    on_every_cpu((coid_t)coid, 0);
    assert_int_equal(CO_CALL(struct counter, (coid_t)coid, val), HOST_CPUS);
    assert_int_equal(co_destroy((coid_t)coid), 0);
    host_reap_all();
}

static void a_destroyed_object_is_stale_on_every_cpu_at_once(void **state)
{
    (void)state;
    coid_t used = (coid_t)distributed_counter_create();
    coid_t unused = (coid_t)distributed_counter_create();
    on_every_cpu(used, 0);
    assert_int_equal(co_destroy(used), 0);
    assert_int_equal(co_destroy(unused), 0);
    on_every_cpu(used, E_STALE);
    on_every_cpu(unused, E_STALE);
    host_reap_all();
    on_every_cpu(used, E_STALE);
}

static void the_second_destroy_finds_it_stale(void **state)
{
    (void)state;
    coid_t coid = (coid_t)shared_counter_create();
    assert_int_equal(co_destroy(coid), 0);
    assert_int_equal(co_destroy(coid), E_STALE);
    host_reap_all();
    assert_int_equal(co_destroy(coid), E_STALE);
}

static void what_cannot_be_a_coid_is_invalid(void **state)
{
    (void)state;
    coid_t good = (coid_t)shared_counter_create();
    const coid_t bad[] = {0, 1, good + 8, good + 1, R13_LTT - 16, R13_COUNTS, 1UL << 63, -16UL};
    for (u32 i = 0; i < ARRAY_SIZE(bad); i++)
        assert_int_equal(co_destroy(bad[i]), E_INVAL);
    assert_int_equal(co_destroy(good), 0);
    host_reap_all();
}

static void a_coid_never_handed_out_is_stale(void **state)
{
    (void)state;
    coid_t last = R13_COUNTS - R13_LTT_ENTRY_SIZE;
    assert_int_equal(co_destroy(last), E_STALE);
    on_every_cpu(last, E_STALE);
    on_every_cpu((coid_t)R13_LTT + 255 * R13_LTT_ENTRY_SIZE, E_STALE); // backed, not used yet
}

static void coids_are_not_reused_while_others_are_free(void **state)
{
    (void)state;
    coid_t before = 0;
    for (u32 i = 0; i < 1000; i++) {
        coid_t coid = (coid_t)shared_counter_create();
        assert_true(coid > before);
        assert_int_equal(co_destroy(coid), 0);
        host_reap_all();
        before = coid;
    }
}

static void after_the_last_coid_free_ones_come_again(void **state)
{
    (void)state;
    static coid_t coids[4 * CO_PER_PAGE];
    co_gtt_next_page = CO_PAGE_END - 2;
    for (u32 i = 0; i < ARRAY_SIZE(coids); i++) {
        coids[i] = (coid_t)shared_counter_create();
        assert_int_equal(inc(coids[i]), 0);
        assert_true(coids[i] >> CO_PAGE_SHIFT != CO_PAGE_FIRST); // the Kernel object is there
    }
    assert_true(coids[ARRAY_SIZE(coids) - 1] < coids[CO_PER_PAGE]);
    for (u32 i = 0; i < ARRAY_SIZE(coids); i++) {
        assert_int_equal(CO_CALL(struct counter, coids[i], val), 1);
        assert_int_equal(co_destroy(coids[i]), 0);
    }
    host_reap_all();
}

static void a_page_of_dead_coids_gives_its_memory_back(void **state)
{
    (void)state;
    host_reap_all();
    static coid_t coids[4 * CO_PER_PAGE];
    u64 allocations = host_live_allocations, pages = host_live_pages;
    for (u32 i = 0; i < ARRAY_SIZE(coids); i++) {
        coids[i] = (coid_t)distributed_counter_create();
        on_every_cpu(coids[i], 0);
    }
    assert_true(host_live_pages > pages);
    for (u32 i = 0; i < ARRAY_SIZE(coids); i++)
        assert_int_equal(co_destroy(coids[i]), 0);
    host_reap_all();
    // The chunk that was filled up at first and the one that is being filled may differ in use.
    assert_true(host_live_pages <= pages + 2 * HOST_CPUS);
    assert_true(host_live_allocations <= allocations + 1);
    for (u32 i = 0; i < ARRAY_SIZE(coids); i++)
        on_every_cpu(coids[i], E_STALE);
}

static void every_object_is_destroyed_once(void **state)
{
    (void)state;
    host_reap_all();
    assert_int_equal(host_events.creates - host_events.destroys, 2); // Kernel and ObjectManager
    assert_int_equal(host_events.destroys, host_events.reclaims);
    struct co_stat stat;
    co_stat(&stat);
    assert_int_equal(stat.created, host_events.creates);
    assert_int_equal(stat.reclaimed, host_events.reclaims);
}

static void creation_survives_every_failing_allocation(void **state)
{
    (void)state;
    u64 allocations = host_live_allocations, created = 0;
    static coid_t coids[2 * CO_PER_PAGE];
    for (u32 i = 0; i < ARRAY_SIZE(coids); i++) {
        for (u64 n = 1;; n++) {
            host_fail_after = n;
            s64 coid = distributed_counter_create();
            host_fail_after = 0;
            if (coid > 0) {
                coids[created++] = (coid_t)coid;
                break;
            }
            assert_int_equal(coid, E_NOMEM);
        }
    }
    assert_int_equal(created, ARRAY_SIZE(coids));
    for (u32 i = 0; i < created; i++)
        assert_int_equal(co_destroy(coids[i]), 0);
    host_reap_all();
    assert_true(host_live_allocations <= allocations + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_object_answers_on_every_cpu),
        cmocka_unit_test(a_destroyed_object_is_stale_on_every_cpu_at_once),
        cmocka_unit_test(the_second_destroy_finds_it_stale),
        cmocka_unit_test(what_cannot_be_a_coid_is_invalid),
        cmocka_unit_test(a_coid_never_handed_out_is_stale),
        cmocka_unit_test(coids_are_not_reused_while_others_are_free),
        cmocka_unit_test(after_the_last_coid_free_ones_come_again),
        cmocka_unit_test(a_page_of_dead_coids_gives_its_memory_back),
        cmocka_unit_test(every_object_is_destroyed_once),
        cmocka_unit_test(creation_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests_name("co_lifetime", tests, host_start, NULL);
}
