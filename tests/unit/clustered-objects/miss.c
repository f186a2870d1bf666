// SPDX-License-Identifier: MIT
// Misses: the Default Object, representatives made on demand,
// arguments and errors passed through it.
#include "host.h"

#include "src/internal.h"
#include <co/counter.h>
#include <orrery/sys.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>

struct probe;

struct probe_ops {
    struct co_ops base;
    s64 (*sum)(struct probe *self, u64 a, u64 b, u64 c, u64 d, u64 e);
    void *unused[CO_METHOD_SLOTS - 4];
    s64 (*last)(struct probe *self, u64 a);
};
CO_CHECK_INTERFACE(struct probe_ops);

struct probe {
    CO_REP(struct probe_ops);
};

static s64 miss_error;      // what handle_miss returns
static coid_t destroyed_in; // handle_miss destroys this object first
static bool rivalled;       // handle_miss is overtaken by another thread of the CPU
static u64 reps_made, reps_destroyed;

static CO_METHOD s64 sum(struct probe *self, u64 a, u64 b, u64 c, u64 d, u64 e)
{
    CO_HOME(self);
    return (s64)(self->co.coid + a + 10 * b + 100 * c + 1000 * d + 10000 * e);
}

static CO_METHOD s64 last(struct probe *self, u64 a)
{
    CO_HOME(self);
    return (s64)(self->co.coid * 2 + a);
}

static s64 probe_miss(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    (void)cpu;
    if (miss_error != 0)
        return miss_error;
    if (destroyed_in != 0)
        assert_int_equal(co_destroy(destroyed_in), 0);
    if (rivalled) {
        rivalled = false;
        CO_CALL(struct probe, root->coid, last, 0);
    }
    reps_made++;
    *rep = calloc(1, sizeof(struct probe));
    return 0;
}

static void probe_destroy_rep(struct co_root *root, struct co_rep *rep)
{
    (void)root;
    reps_destroyed++;
    free(rep);
}

static const struct probe_ops probe_ops = {.base = CO_LEAF, .sum = sum, .last = last};
static struct co_class probe_class = {
    .name = "Probe",
    .implementation = "DistributedProbe",
    .distributed = true,
    .ops = &probe_ops.base,
    .handle_miss = probe_miss,
    .destroy_rep = probe_destroy_rep,
};
static struct co_root root;

static int create(void **state)
{
    *state = (void *)co_create(&probe_class, &root);
    reps_made = reps_destroyed = 0;
    return (s64)*state < 0;
}

static int end(void **state)
{
    co_destroy((coid_t)*state);
    host_reap_all();
    return reps_made != reps_destroyed;
}

static void arguments_reach_the_method_behind_a_miss(void **state)
{
    coid_t coid = (coid_t)*state;
    for (u32 round = 0; round < 2; round++)
        assert_int_equal(CO_CALL(struct probe, coid, sum, 1, 2, 3, 4, 5), coid + 54321);
}

static void the_last_slot_has_a_trampoline(void **state)
{
    coid_t coid = (coid_t)*state;
    assert_int_equal(CO_CALL(struct probe, coid, last, 7), 2 * coid + 7);
}

// As readers get them; a record for each CPU that has called.
static u64 misses_of(coid_t coid, u32 cpu)
{
    struct sys_dref_count counts[256];
    u64 cursor = 0, sum = 0;
    s64 got;
    while ((got = co_manager_dref_read(&cursor, counts, sizeof(counts))) > 0) {
        for (u32 i = 0; i < (u64)got / sizeof(counts[0]); i++)
            sum += counts[i].coid == coid && counts[i].cpu == cpu ? counts[i].misses : 0;
    }
    return sum;
}

static void an_object_misses_once_on_each_cpu(void **state)
{
    coid_t coid = (coid_t)*state;
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++)
        assert_int_equal(misses_of(coid, cpu), 0);
    u64 misses = host_events.misses;
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_set_cpu(cpu);
        for (u32 i = 0; i < 3; i++)
            CO_CALL(struct probe, coid, last, 0);
    }
    host_set_cpu(0);
    assert_int_equal(reps_made, HOST_CPUS);
    assert_int_equal(host_events.misses - misses, HOST_CPUS);
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++)
        assert_int_equal(misses_of(coid, cpu), 1);
}

static void each_cpu_has_its_own_rep(void **state)
{
    coid_t coid = (coid_t)*state;
    const struct co_rep *reps[HOST_CPUS];
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_set_cpu(cpu);
        CO_CALL(struct probe, coid, last, 0);
        reps[cpu] = co_dref(coid);
        for (u32 other = 0; other < cpu; other++)
            assert_ptr_not_equal(reps[cpu], reps[other]);
    }
    host_set_cpu(0);
}

static void an_error_of_handle_miss_is_the_calls_result(void **state)
{
    coid_t coid = (coid_t)*state;
    miss_error = E_NOMEM;
    assert_int_equal(CO_CALL(struct probe, coid, last, 0), E_NOMEM);
    miss_error = 0;
    assert_int_equal(CO_CALL(struct probe, coid, last, 0), 2 * coid); // and it can be tried again
}

static void an_object_destroyed_during_its_miss_is_stale(void **state)
{
    destroyed_in = (coid_t)*state;
    assert_int_equal(CO_CALL(struct probe, destroyed_in, last, 0), E_STALE);
    destroyed_in = 0;
    assert_int_equal(reps_destroyed, 1);
}

static void of_two_misses_at_once_one_rep_stays(void **state)
{
    coid_t coid = (coid_t)*state;
    rivalled = true;
    assert_int_equal(CO_CALL(struct probe, coid, last, 0), 2 * coid);
    assert_int_equal(reps_made, 2);
    assert_int_equal(reps_destroyed, 1);
    assert_int_equal(misses_of(coid, 0), 1);
}

static void a_rep_is_traced_back_to_its_object(void **state)
{
    coid_t coid = (coid_t)*state;
    enum co_rep_state rep_state;
    CO_CALL(struct probe, coid, last, 0);
    u64 rep = (u64)co_dref(coid);
    assert_int_equal(co_rep_to_coid(rep, 0, &rep_state), coid);
    assert_int_equal(rep_state, CO_REP_LIVE);
    const u64 none[] = {0, 8, rep + 8, rep + 1, (u64)&none, (u64)&co_stale_object, -8UL};
    for (u32 i = 0; i < ARRAY_SIZE(none); i++) {
        assert_int_equal(co_rep_to_coid(none[i], 0, &rep_state), 0);
        assert_int_equal(rep_state, CO_REP_NONE);
    }
    assert_int_equal(co_destroy(coid), 0);
    assert_int_equal(co_rep_to_coid(rep, 0, &rep_state), 0);
    assert_int_equal(rep_state, CO_REP_STALE);
}

static void a_class_that_says_what_it_is_not_is_refused(void **state)
{
    (void)state;
    struct co_class shared = {.name = "S", .implementation = "S", .ops = &probe_ops.base};
    struct co_class no_reps = shared, not_distributed = probe_class;
    no_reps.distributed = true;
    not_distributed.distributed = false;
    not_distributed.id = 0;
    struct co_root one_root = {0};
    struct probe rep = {0};
    assert_int_equal(co_create(&shared, &one_root), E_INVAL);
    assert_int_equal(co_create(&no_reps, &one_root), E_INVAL);
    assert_int_equal(co_create(&not_distributed, &one_root), E_INVAL);
    assert_int_equal(co_create_shared(&not_distributed, &one_root, &rep.co), E_INVAL);
    assert_int_equal(co_create_shared(&probe_class, &one_root, &rep.co), E_INVAL);
    assert_int_equal(shared.id | no_reps.id | not_distributed.id, 0);
}

static void static_reps_serve_their_cpus(void **state)
{
    (void)state;
    static struct probe reps[HOST_CPUS];
    static struct co_root service_root;
    static struct co_class service_class = {
        .name = "Service",
        .implementation = "StaticService",
        .distributed = true,
        .ops = &probe_ops.base,
        .static_reps = reps,
        .static_rep_size = sizeof(reps[0]),
    };
    s64 coid = co_create(&service_class, &service_root);
    assert_true(coid > 0);
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_set_cpu(cpu);
        assert_int_equal(CO_CALL(struct probe, (coid_t)coid, last, 1), 2 * coid + 1);
        assert_ptr_equal(DREF(struct probe, (coid_t)coid), &reps[cpu]);
    }
    host_set_cpu(0);
    assert_int_equal(co_destroy((coid_t)coid), 0);
    host_reap_all();
    assert_int_equal(CO_CALL(struct probe, (coid_t)coid, last, 1), E_STALE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arguments_reach_the_method_behind_a_miss, create, end),
        cmocka_unit_test_setup_teardown(the_last_slot_has_a_trampoline, create, end),
        cmocka_unit_test_setup_teardown(an_object_misses_once_on_each_cpu, create, end),
        cmocka_unit_test_setup_teardown(each_cpu_has_its_own_rep, create, end),
        cmocka_unit_test_setup_teardown(an_error_of_handle_miss_is_the_calls_result, create, end),
        cmocka_unit_test_setup_teardown(an_object_destroyed_during_its_miss_is_stale, create, end),
        cmocka_unit_test_setup_teardown(of_two_misses_at_once_one_rep_stays, create, end),
        cmocka_unit_test(static_reps_serve_their_cpus),
        cmocka_unit_test(a_class_that_says_what_it_is_not_is_refused),
        cmocka_unit_test_setup_teardown(a_rep_is_traced_back_to_its_object, create, end),
    };
    return cmocka_run_group_tests_name("co_miss", tests, host_start, NULL);
}
