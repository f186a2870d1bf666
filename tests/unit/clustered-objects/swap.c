// SPDX-License-Identifier: MIT
// Hot-swap, phase by phase: who is forwarded, who waits, who passes, what calls a swap off, and
// that nothing has changed then.
#include "host.h"

#include "src/mediator.h"
#include <co/counter.h>
#include <co/swap.h>
#include <orrery/sys.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define LONG_US 1000000 // no test waits for it
#define SHORT_US 200000

static struct co_swap_report report;

static s64 swap(coid_t coid, const char *implementation, u64 us)
{
    return co_swap(coid, implementation, us, &report);
}

static void advance(void)
{
    host_advance_all();
}

static void inc_everywhere(coid_t coid)
{
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_set_cpu(cpu);
        assert_int_equal(CO_CALL(struct counter, coid, inc), 0);
    }
    host_set_cpu(0);
}

static struct record {
    u32 class_id, rep_count, swaps;
} record_of(coid_t coid)
{
    static char records[1 << 16];
    u64 cursor = 0;
    s64 bytes = co_manager_scan(&cursor, records, sizeof(records));
    for (s64 at = 0; at < bytes; at += ((struct sys_object *)(records + at))->record_bytes) {
        const struct sys_object *object = (struct sys_object *)(records + at);
        if (object->coid == coid)
            return (struct record){object->class_id, object->rep_count, object->swaps};
    }
    fail();
    return (struct record){0};
}

static struct sys_class class_of(coid_t coid)
{
    struct sys_class class;
    assert_int_equal(co_manager_class(record_of(coid).class_id - 1, &class), 0);
    return class;
}

static void expect_implementation(coid_t coid, const char *implementation, u32 swaps)
{
    assert_string_equal(class_of(coid).implementation, implementation);
    assert_int_equal(record_of(coid).swaps, swaps);
}

static void end_object(coid_t coid, u64 allocations_before)
{
    assert_int_equal(co_destroy(coid), 0);
    host_reap_all();
    while (co_swap_tidy() != 0)
        host_advance_all();
    assert_int_equal(host_live_allocations, allocations_before);
}

// ---- a counter ---------------------------------------------------------------------------------

static void a_counter_keeps_its_value_back_and_forth(void **state)
{
    (void)state;
    u64 before = host_live_allocations;
    coid_t coid = (coid_t)shared_counter_create();
    u32 live = class_of(coid).live;
    host_resting = advance;
    inc_everywhere(coid);
    for (u32 round = 0; round < 20; round++) {
        bool distribute = round % 2 == 0;
        assert_int_equal(swap(coid, distribute ? "DistributedCounter" : "SharedCounter", LONG_US),
                         0);
        expect_implementation(coid, distribute ? "DistributedCounter" : "SharedCounter", round + 1);
        assert_int_equal(record_of(coid).rep_count, !distribute);
        inc_everywhere(coid);
        assert_int_equal(record_of(coid).rep_count, distribute ? HOST_CPUS : 1);
        assert_int_equal(CO_CALL(struct counter, coid, val), HOST_CPUS * (round + 2));
    }
    assert_int_equal(class_of(coid).live, live);
    assert_int_equal(host_events.swaps, 20);
    host_resting = NULL;
    end_object(coid, before);
}

static void a_class_says_what_its_objects_can_become(void **state)
{
    (void)state;
    coid_t coid = (coid_t)shared_counter_create();
    struct sys_class shared = class_of(coid), distributed;
    assert_int_equal(co_manager_class(shared.swaps[0] - 1u, &distributed), 0);
    assert_string_equal(distributed.implementation, "DistributedCounter");
    assert_int_equal(distributed.swaps[0], shared.class_id);
    assert_int_equal(shared.swaps[1], 0);
    assert_int_equal(co_destroy(coid), 0);
    host_reap_all();
}

// ---- refusals ----------------------------------------------------------------------------------

static void each_refusal_changes_nothing(void **state)
{
    (void)state;
    u64 before = host_live_allocations;
    coid_t gone = (coid_t)shared_counter_create();
    assert_int_equal(co_destroy(gone), 0);
    coid_t coid = (coid_t)shared_counter_create();
    inc_everywhere(coid);
    struct co_rep *rep = co_dref(coid);
    assert_int_equal(swap(coid + 1, "DistributedCounter", LONG_US), E_INVAL);
    assert_int_equal(swap(0, "DistributedCounter", LONG_US), E_INVAL);
    assert_int_equal(swap(~0UL, "DistributedCounter", LONG_US), E_INVAL);
    assert_int_equal(swap(coid, "DistributedCounter", 0), E_INVAL);
    assert_int_equal(swap(coid, "DistributedCounter", CO_SWAP_MICROSECONDS_MAX + 1), E_INVAL);
    assert_int_equal(swap(gone, "DistributedCounter", LONG_US), E_STALE);
    assert_int_equal(swap(coid + R13_LTT_ENTRY_SIZE, "DistributedCounter", LONG_US), E_STALE);
    assert_int_equal(swap(coid, "SharedCounter", LONG_US), E_EXIST);
    assert_int_equal(swap(coid, "TurningCounter", LONG_US), E_NOENT);
    assert_int_equal(swap(coid, "", LONG_US), E_NOENT);
    assert_int_equal(swap(R13_LTT, "Anything", LONG_US), E_NOTSUP); // the root of the tree
    assert_ptr_equal(co_dref(coid), rep);
    expect_implementation(coid, "SharedCounter", 0);
    end_object(coid, before);
}

// ---- gates: objects in whose methods a test can stop a thread -----------------------------------

struct gate;

struct gate_ops {
    struct co_ops base;
    s64 (*inc)(struct gate *self);
    s64 (*hold)(struct gate *self, bool recurse); // until the test lets it go
    s64 (*val)(struct gate *self);
};

struct gate {
    CO_REP(struct gate_ops);
    s64 value;
};

struct gate_root {
    struct co_root root;
    s64 value;
    struct gate shared;
};

static sem_t entered, leave, made, make;
static bool hold_in_miss, refuse_memory;
static u32 prepared, abandoned;
static struct co_class open_gate, closed_gate;

static s64 gate_inc(struct gate *self)
{
    __atomic_fetch_add(&self->value, 1, __ATOMIC_RELAXED);
    return 0;
}

static s64 gate_hold(struct gate *self, bool recurse)
{
    coid_t coid = self->co.coid;
    sem_post(&entered);
    sem_wait(&leave);
    return recurse ? CO_CALL(struct gate, coid, inc) : 0;
}

static s64 gate_val(struct gate *self)
{
    const struct gate_root *root = (struct gate_root *)self->co.root;
    s64 sum = root->value + root->shared.value;
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        const struct gate *rep = (struct gate *)root->root.reps[cpu];
        sum += rep != NULL && rep != &root->shared ? rep->value : 0;
    }
    return sum;
}

static s64 gate_miss(struct co_root *root, u32 cpu, struct co_rep **rep)
{
    (void)root;
    (void)cpu;
    if (hold_in_miss) {
        hold_in_miss = false;
        sem_post(&made);
        sem_wait(&make);
    }
    *rep = co_platform_alloc(sizeof(struct gate));
    return *rep != NULL ? 0 : E_NOMEM;
}

static void gate_destroy_rep(struct co_root *root, struct co_rep *rep)
{
    (void)root;
    co_platform_free(rep);
}

static void gate_destroy(struct co_root *root)
{
    co_platform_free(root);
}

static s64 gate_prepare(struct co_root *root, void **carried)
{
    (void)root;
    if (refuse_memory)
        return E_NOMEM;
    prepared++;
    *carried = co_platform_alloc(64);
    return 0;
}

static void gate_abandon(void *carried)
{
    abandoned++;
    co_platform_free(carried);
}

static struct co_rep *gate_close(struct co_root *root, void *carried)
{
    struct gate_root *gate = (struct gate_root *)root;
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++)
        gate->value += root->reps[cpu] != NULL ? ((struct gate *)root->reps[cpu])->value : 0;
    co_platform_free(carried);
    return &gate->shared.co;
}

static struct co_rep *gate_open(struct co_root *root, void *carried)
{
    (void)root;
    (void)carried;
    return NULL;
}

static const struct gate_ops gate_ops = {CO_LEAF, gate_inc, gate_hold, gate_val};
static const struct co_swap open_swaps[] = {
    {.to = &closed_gate, .prepare = gate_prepare, .transfer = gate_close, .abandon = gate_abandon}};
static const struct co_swap closed_swaps[] = {{.to = &open_gate, .transfer = gate_open}};
static struct co_class open_gate = {
    .name = "Gate",
    .implementation = "OpenGate",
    .distributed = true,
    .ops = &gate_ops.base,
    .handle_miss = gate_miss,
    .destroy_rep = gate_destroy_rep,
    .destroy = gate_destroy,
    .swaps = open_swaps,
    .swap_count = 1,
};
static struct co_class closed_gate = {
    .name = "Gate",
    .implementation = "ClosedGate",
    .ops = &gate_ops.base,
    .destroy_rep = gate_destroy_rep,
    .destroy = gate_destroy,
    .swaps = closed_swaps,
    .swap_count = 1,
};

static coid_t gate;
static u64 allocations;

static int make_gate(void **state)
{
    (void)state;
    allocations = host_live_allocations;
    sem_init(&entered, 0, 0);
    sem_init(&leave, 0, 0);
    sem_init(&made, 0, 0);
    sem_init(&make, 0, 0);
    hold_in_miss = refuse_memory = false;
    prepared = abandoned = 0;
    struct gate_root *root = co_platform_alloc(sizeof(*root));
    gate = (coid_t)co_create(&open_gate, &root->root);
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        host_set_cpu(cpu);
        CO_CALL(struct gate, gate, inc);
    }
    host_set_cpu(0);
    host_resting = advance;
    return 0;
}

static int end_gate(void **state)
{
    (void)state;
    host_resting = NULL;
    end_object(gate, allocations);
    return 0;
}

static u32 waits, masked_result;

static void count_wait(void)
{
    __atomic_fetch_add(&waits, 1, __ATOMIC_RELAXED);
    sched_yield();
}

// ---- callers on CPU 1, as threads of their own --------------------------------------------------

static struct caller {
    pthread_t thread;
    bool hold, recurse, masked;
    s64 result;
    u32 id;
} holder, other;

static void *call(void *argument)
{
    struct caller *caller = argument;
    struct co_generation_member member = {0};
    host_set_cpu(1);
    host_masked = caller->masked;
    host_waiting = count_wait;
    caller->id = co_platform_thread();
    co_thread_enter(&member);
    caller->result = caller->hold ? CO_CALL(struct gate, gate, hold, caller->recurse)
                                  : CO_CALL(struct gate, gate, inc);
    co_thread_exit(&member);
    return NULL;
}

static void begin(struct caller *caller)
{
    pthread_create(&caller->thread, NULL, call, caller);
    if (caller->hold)
        sem_wait(&entered);
}

static s64 result_of(struct caller *caller)
{
    pthread_join(caller->thread, NULL);
    return caller->result;
}

static u32 rests;

// The first rest lets every CPU go on to a generation that no earlier call is in; from then on a
// call is inside.
static void hold_after_forwarding(void)
{
    host_advance_all();
    if (rests++ == 0)
        begin(&holder);
}

static void a_swap_that_cannot_drain_is_called_off(void **state)
{
    (void)state;
    rests = 0;
    holder = (struct caller){.hold = true};
    host_resting = hold_after_forwarding;
    assert_int_equal(swap(gate, "ClosedGate", SHORT_US), E_TIMEOUT);
    assert_false(report.earlier);
    assert_int_equal(report.calls, 1);
    assert_int_equal(report.named, 1);
    assert_int_equal(report.inside[0].thread, holder.id);
    assert_int_equal(report.inside[0].method, 3);
    assert_int_equal(prepared, 1);
    assert_int_equal(abandoned, 1);
    expect_implementation(gate, "OpenGate", 0);
    assert_int_equal(CO_CALL(struct gate, gate, val), HOST_CPUS);

    host_resting = advance;
    assert_int_equal(swap(gate, "ClosedGate", SHORT_US), E_BUSY); // somebody is still in the first
    sem_post(&leave);
    assert_int_equal(result_of(&holder), 0);
    host_advance_all();
    assert_int_equal(swap(gate, "ClosedGate", LONG_US), 0);
    assert_int_equal(CO_CALL(struct gate, gate, val), HOST_CPUS);
}

static void calls_from_before_call_it_off_too(void **state)
{
    (void)state;
    holder = (struct caller){.hold = true};
    begin(&holder);
    assert_int_equal(swap(gate, "ClosedGate", SHORT_US), E_TIMEOUT);
    assert_true(report.earlier);
    assert_int_equal(report.calls, 0);
    expect_implementation(gate, "OpenGate", 0);
    sem_post(&leave);
    assert_int_equal(result_of(&holder), 0);
}

// Rest 0: a call goes in. Rest 2: closed, so another one waits. Rest 4: the first one leaves.
static void hold_wait_leave(void)
{
    host_advance_all();
    switch (rests++) {
    case 0:
        begin(&holder);
        break;
    case 2:
        begin(&other);
        while (!other.masked && __atomic_load_n(&waits, __ATOMIC_RELAXED) == 0)
            sched_yield();
        if (other.masked)
            masked_result = (u32)result_of(&other);
        break;
    case 4:
        sem_post(&leave);
        assert_int_equal(result_of(&holder), 0);
        break;
    }
}

static void who_can_wait_waits_and_goes_on_in_the_new_one(void **state)
{
    (void)state;
    rests = waits = 0;
    holder = (struct caller){.hold = true};
    other = (struct caller){0};
    host_resting = hold_wait_leave;
    assert_int_equal(swap(gate, "ClosedGate", LONG_US), 0);
    assert_int_equal(result_of(&other), 0);
    assert_int_equal(CO_CALL(struct gate, gate, val), HOST_CPUS + 1);
    const struct gate_root *root =
        (struct gate_root *)co_gtt_find_live(gate)->entries[co_index(gate)].root;
    assert_int_equal(root->shared.value, 1);
}

static void who_cannot_wait_passes(void **state)
{
    (void)state;
    rests = waits = 0;
    masked_result = 99;
    holder = (struct caller){.hold = true};
    other = (struct caller){.masked = true};
    host_resting = hold_wait_leave;
    assert_int_equal(swap(gate, "ClosedGate", LONG_US), 0);
    assert_int_equal(masked_result, 0);
    assert_int_equal(waits, 0);
    assert_int_equal(CO_CALL(struct gate, gate, val), HOST_CPUS + 1);
}

static void recursion_passes(void **state)
{
    (void)state;
    rests = waits = 0;
    holder = (struct caller){.hold = true, .recurse = true};
    other = (struct caller){0};
    host_resting = hold_wait_leave;
    assert_int_equal(swap(gate, "ClosedGate", LONG_US), 0);
    assert_int_equal(result_of(&other), 0);
    assert_int_equal(CO_CALL(struct gate, gate, val), HOST_CPUS + 2);
}

static void hold_wait_destroy(void)
{
    host_advance_all();
    if (rests == 0)
        begin(&holder);
    if (rests == 2) {
        begin(&other);
        while (__atomic_load_n(&waits, __ATOMIC_RELAXED) == 0)
            sched_yield();
        assert_int_equal(co_destroy(gate), 0);
    }
    rests++;
}

static void destruction_wins(void **state)
{
    (void)state;
    rests = waits = 0;
    holder = (struct caller){.hold = true};
    other = (struct caller){0};
    host_resting = hold_wait_destroy;
    assert_int_equal(swap(gate, "ClosedGate", LONG_US), E_STALE);
    assert_int_equal(result_of(&other), E_STALE);
    assert_int_equal(abandoned, 1);
    sem_post(&leave);
    assert_int_equal(result_of(&holder), 0);
    host_resting = NULL;
    host_reap_all();
    while (co_swap_tidy() != 0)
        host_advance_all();
    assert_int_equal(host_live_allocations, allocations);
}

static s64 second;

static void swap_again(void)
{
    struct co_swap_report unused;
    host_resting = advance;
    second = co_swap(gate, "ClosedGate", LONG_US, &unused);
}

static void a_second_swap_is_refused(void **state)
{
    (void)state;
    host_resting = swap_again;
    assert_int_equal(swap(gate, "ClosedGate", LONG_US), 0);
    assert_int_equal(second, E_BUSY);
    expect_implementation(gate, "ClosedGate", 1);
}

static void without_memory_nothing_begins(void **state)
{
    (void)state;
    refuse_memory = true;
    struct co_rep *rep = co_dref(gate);
    assert_int_equal(swap(gate, "ClosedGate", LONG_US), E_NOMEM);
    assert_ptr_equal(co_dref(gate), rep);
    assert_int_equal(abandoned, 0);
    refuse_memory = false;
    host_advance_all();
    assert_int_equal(swap(gate, "ClosedGate", LONG_US), 0);
}

// A rep is being made on CPU 1, for a call that the mediator counts, when the swap is called off.
// Another thread of that CPU makes one first. Both calls must end up in one.
static void miss_after_forwarding(void)
{
    host_advance_all();
    if (rests++ == 0) {
        hold_in_miss = true;
        begin(&other);
        sem_wait(&made);
    }
}

static void a_rep_made_while_it_is_called_off_is_the_only_one(void **state)
{
    (void)state;
    struct gate_root *root = co_platform_alloc(sizeof(*root));
    coid_t full = gate, empty = (coid_t)co_create(&open_gate, &root->root);
    gate = empty;
    rests = 0;
    other = (struct caller){0};
    host_resting = miss_after_forwarding;
    assert_int_equal(swap(gate, "ClosedGate", SHORT_US), E_TIMEOUT);
    host_set_cpu(1);
    assert_int_equal(CO_CALL(struct gate, gate, inc), 0);
    sem_post(&make);
    assert_int_equal(result_of(&other), 0);
    assert_int_equal(CO_CALL(struct gate, gate, val), 2);
    assert_int_equal(record_of(gate).rep_count, 1);
    host_set_cpu(0);
    gate = full;
    assert_int_equal(co_destroy(empty), 0);
}

static void the_pool_is_finite(void **state)
{
    (void)state;
    struct co_root roots[9] = {{0}};
    struct mediator *taken[9];
    for (u32 i = 0; i < 8; i++)
        assert_non_null(taken[i] = co_mediator_take(&roots[i]));
    assert_null(co_mediator_take(&roots[8]));
    assert_int_equal(swap(gate, "ClosedGate", LONG_US), E_BUSY);
    for (u32 i = 0; i < 8; i++)
        co_mediator_drop(taken[i]);
    host_advance_all();
    assert_int_equal(swap(gate, "ClosedGate", LONG_US), 0);
}

int main(void)
{
#define WITH_GATE(test) cmocka_unit_test_setup_teardown(test, make_gate, end_gate)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_keeps_its_value_back_and_forth),
        cmocka_unit_test(a_class_says_what_its_objects_can_become),
        cmocka_unit_test(each_refusal_changes_nothing),
        WITH_GATE(a_swap_that_cannot_drain_is_called_off),
        WITH_GATE(calls_from_before_call_it_off_too),
        WITH_GATE(who_can_wait_waits_and_goes_on_in_the_new_one),
        WITH_GATE(who_cannot_wait_passes),
        WITH_GATE(recursion_passes),
        cmocka_unit_test_setup(destruction_wins, make_gate),
        WITH_GATE(a_second_swap_is_refused),
        WITH_GATE(without_memory_nothing_begins),
        WITH_GATE(a_rep_made_while_it_is_called_off_is_the_only_one),
        WITH_GATE(the_pool_is_finite),
    };
    return cmocka_run_group_tests_name("co_swap", tests, host_start, NULL);
}
