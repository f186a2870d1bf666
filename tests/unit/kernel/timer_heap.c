// SPDX-License-Identifier: MIT
// The kernel's timers: a leftist heap against a plain list.
#include <kernel/proc/timer_heap.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT 500
#define ROUNDS 20000

static struct timer timers[COUNT];
static bool armed[COUNT];
static struct timer_heap heap;

// How many timers there are below and at one; each has its rank, and none comes before its parent.
static u32 check(const struct timer *timer, const struct timer *parent)
{
    if (timer == NULL)
        return 0;
    u32 left = timer->left != NULL ? timer->left->rank : 0;
    u32 right = timer->right != NULL ? timer->right->rank : 0;
    assert_ptr_equal(timer->parent, parent);
    assert_true(parent == NULL || parent->deadline <= timer->deadline);
    assert_true(left >= right);
    assert_int_equal(timer->rank, right + 1);
    return check(timer->left, timer) + check(timer->right, timer) + 1;
}

static void check_first(u32 count)
{
    u64 first = UINT64_MAX;

    for (u32 i = 0; i < COUNT; i++) {
        if (armed[i] && timers[i].deadline < first)
            first = timers[i].deadline;
    }
    assert_int_equal(heap.first != NULL ? heap.first->deadline : UINT64_MAX, first);
    assert_int_equal(check(heap.first, NULL), count);
}

static u32 add(u32 i, u64 deadline)
{
    timers[i].deadline = deadline;
    timer_heap_add(&heap, &timers[i]);
    armed[i] = true;
    return 1;
}

static u32 take_away(u32 i)
{
    timer_heap_remove(&heap, &timers[i]);
    armed[i] = false;
    return 1;
}

static void timers_come_in_order(void **state)
{
    u64 last = 0;

    (void)state;
    srand(1);
    for (u32 i = 0; i < COUNT; i++)
        add(i, (u64)(rand() % 100));
    for (u32 left = COUNT; left > 0; left--) {
        check_first(left);
        assert_true(heap.first->deadline >= last);
        last = heap.first->deadline;
        take_away((u32)(heap.first - timers));
    }
    check_first(0);
}

static void any_timer_can_be_removed_at_any_time(void **state)
{
    u32 count = 0;

    (void)state;
    srand(2);
    for (u32 round = 0; round < ROUNDS; round++) {
        u32 i = (u32)rand() % COUNT;
        if (armed[i])
            count -= take_away(i);
        else
            count += add(i, (u64)(rand() % 1000));
        if (round % 16 == 0)
            check_first(count);
    }
    for (u32 i = 0; i < COUNT; i++)
        count -= armed[i] ? take_away(i) : 0;
    check_first(count);
    assert_int_equal(count, 0);
}

// In order, and against it: what makes plain trees long.
static void no_order_makes_a_long_path(void **state)
{
    (void)state;
    for (u32 backwards = 0; backwards < 2; backwards++) {
        for (u32 i = 0; i < COUNT; i++) {
            add(i, backwards != 0 ? COUNT - i : i + 1);
            assert_true(heap.first->rank <= 9); // log2(COUNT + 1)
        }
        check_first(COUNT);
        for (u32 i = 0; i < COUNT; i++)
            take_away(i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_come_in_order),
        cmocka_unit_test(any_timer_can_be_removed_at_any_time),
        cmocka_unit_test(no_order_makes_a_long_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
