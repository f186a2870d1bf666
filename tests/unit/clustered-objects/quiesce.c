// SPDX-License-Identifier: MIT
// Quiescence: objects outlive every reference, and generations are right in every reachable state.
#include "host.h"

#include "src/internal.h"
#include <co/counter.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static bool reclaimed_after_advances(u32 rounds)
{
    u64 before = host_events.reclaims;
    for (u32 i = 0; i < rounds; i++) {
        host_reap_step();
        host_advance_all();
    }
    host_reap_step();
    return host_events.reclaims != before;
}

static void a_member_of_an_older_generation_keeps_the_object(void **state)
{
    (void)state;
    struct co_generation_member member = {0};
    host_set_cpu(2);
    co_thread_enter(&member);
    coid_t coid = (coid_t)distributed_counter_create();
    CO_CALL(struct counter, coid, inc);
    struct counter *held = DREF(struct counter, coid);
    host_set_cpu(0);
    assert_int_equal(co_destroy(coid), 0);
    assert_false(reclaimed_after_advances(10));
    assert_int_equal(held->co.coid, coid); // still there
    assert_true(host_poked[2]);

    host_set_cpu(2);
    co_thread_exit(&member);
    host_set_cpu(0);
    assert_true(reclaimed_after_advances(3));
    host_reap_all();
}

static void a_checkpoint_lets_it_go(void **state)
{
    (void)state;
    struct co_generation_member member = {0};
    co_thread_enter(&member);
    coid_t coid = (coid_t)shared_counter_create();
    assert_int_equal(co_destroy(coid), 0);
    assert_false(reclaimed_after_advances(10));
    co_thread_checkpoint(&member);
    assert_true(reclaimed_after_advances(1));
    co_thread_exit(&member);
    host_reap_all();
}

static void threads_that_come_later_do_not_matter(void **state)
{
    (void)state;
    coid_t coid = (coid_t)shared_counter_create();
    assert_int_equal(co_destroy(coid), 0);
    host_reap_step();
    host_advance_all();
    host_advance_all();
    struct co_generation_member member = {0};
    co_thread_enter(&member);
    assert_true(reclaimed_after_advances(0));
    co_thread_exit(&member);
    host_reap_all();
}

static void a_cpu_without_members_needs_one_advance(void **state)
{
    (void)state;
    struct co_grace grace;
    co_grace_begin(&grace);
    assert_false(co_grace_over(&grace, false));
    host_advance_all();
    assert_true(co_grace_over(&grace, false));
}

// ---- the model: every reachable state of two CPUs, three threads and one grace period -----------

#define THREADS 3
#define CPUS 2
#define STATES (1u << 20)

static const u32 cpu_of_thread[THREADS] = {0, 0, 1};

struct model {
    struct co_cpu cpus[CPUS];
    struct co_generation_member members[THREADS];
    bool before[THREADS]; // has held references since before the grace period began
    bool begun;
    struct co_grace grace;
};

static void load(const struct model *model)
{
    for (u32 cpu = 0; cpu < CPUS; cpu++)
        *co_cpu_of(cpu) = model->cpus[cpu];
}

static void store(struct model *model)
{
    for (u32 cpu = 0; cpu < CPUS; cpu++)
        model->cpus[cpu] = *co_cpu_of(cpu);
    host_set_cpu(0);
}

// Safety, and the invariants that the scheme rests on.
static void check(struct model *model)
{
    load(model);
    bool over = model->begun && co_grace_over(&model->grace, false);
    for (u32 i = 0; i < THREADS; i++) {
        const struct co_cpu *cpu = &model->cpus[cpu_of_thread[i]];
        u64 generation = model->members[i].generation;
        assert_true(generation == 0 || cpu->generation - generation <= 1);
        assert_false(over && model->before[i]);
    }
}

// From here, when all threads leave, one advance of each CPU ends the grace period.
static void check_progress(struct model model)
{
    if (!model.begun)
        return;
    load(&model);
    for (u32 i = 0; i < THREADS; i++) {
        host_set_cpu(cpu_of_thread[i]);
        if (model.members[i].generation != 0)
            co_thread_exit(&model.members[i]);
    }
    host_advance_all();
    assert_true(co_grace_over(&model.grace, false));
    host_set_cpu(0);
}

// Actions: 0-2 enter or exit of a thread, 3-5 its checkpoint, 6-7 advance of a CPU,
// 8 the grace period.
#define ACTIONS 9

static bool act(struct model *model, u32 action)
{
    u32 thread = action % THREADS;
    struct co_generation_member *member = &model->members[thread];
    load(model);
    if (action < 2 * THREADS) {
        host_set_cpu(cpu_of_thread[thread]);
        if (action >= THREADS && member->generation == 0)
            return false;
        if (action >= THREADS)
            co_thread_checkpoint(member);
        else if (member->generation == 0)
            co_thread_enter(member);
        else
            co_thread_exit(member);
        model->before[thread] = false;
    } else if (action < 2 * THREADS + CPUS) {
        host_set_cpu(action - 2 * THREADS);
        co_cpu_advance();
    } else {
        if (model->begun)
            return false;
        co_grace_begin(&model->grace);
        model->begun = true;
        for (u32 i = 0; i < THREADS; i++)
            model->before[i] = model->members[i].generation != 0;
    }
    store(model);
    return true;
}

// A state's number: generations count only relative to each other and by parity.
static u32 encode(const struct model *model)
{
    u32 code = model->begun;
    for (u32 cpu = 0; cpu < CPUS; cpu++) {
        u64 generation = model->cpus[cpu].generation;
        u64 left =
            model->grace.target[cpu] > generation ? model->grace.target[cpu] - generation : 0;
        code = code * 8 + (u32)(model->begun ? left : 0) * 2 + (generation & 1);
    }
    for (u32 i = 0; i < THREADS; i++) {
        u64 age = model->cpus[cpu_of_thread[i]].generation - model->members[i].generation;
        code = code * 8 + (u32)(model->members[i].generation == 0 ? 0 : age + 1) * 2 +
               model->before[i];
    }
    return code;
}

static void generations_are_right_in_every_reachable_state(void **state)
{
    (void)state;
    static bool seen[STATES];
    static struct model queue[20000];
    struct co_cpu saved[CPUS] = {*co_cpu_of(0), *co_cpu_of(1)};
    u32 head = 0, tail = 0;
    queue[tail] = (struct model){0};
    for (u32 cpu = 0; cpu < CPUS; cpu++)
        queue[tail].cpus[cpu].generation = 2;
    seen[encode(&queue[tail++])] = true;
    for (; head < tail; head++) {
        for (u32 action = 0; action < ACTIONS; action++) {
            struct model next = queue[head];
            if (!act(&next, action) || seen[encode(&next)])
                continue;
            check(&next);
            check_progress(next);
            seen[encode(&next)] = true;
            assert_true(tail < ARRAY_SIZE(queue));
            queue[tail++] = next;
        }
    }
    printf("%u states\n", tail);
    assert_true(tail > 500);
    for (u32 cpu = 0; cpu < CPUS; cpu++)
        *co_cpu_of(cpu) = saved[cpu];
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_of_an_older_generation_keeps_the_object),
        cmocka_unit_test(a_checkpoint_lets_it_go),
        cmocka_unit_test(threads_that_come_later_do_not_matter),
        cmocka_unit_test(a_cpu_without_members_needs_one_advance),
        cmocka_unit_test(generations_are_right_in_every_reachable_state),
    };
    return cmocka_run_group_tests_name("co_quiesce", tests, host_start, NULL);
}
