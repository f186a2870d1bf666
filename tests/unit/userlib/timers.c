// SPDX-License-Identifier: MIT
// The scheduler's timers: a pairing heap against a plain list.
#include "timers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT 500

static struct timer timers_[COUNT];
static struct timers heap;

static bool timer_pending(const struct timer *timer)
{
    return timer->link != NULL;
}

static u64 earliest(void)
{
    u64 first = UINT64_MAX;
    for (u32 i = 0; i < COUNT; i++) {
        if (timer_pending(&timers_[i]) && timers_[i].deadline < first)
            first = timers_[i].deadline;
    }
    return first;
}

static void timers_come_in_order(void **state)
{
    (void)state;
    srand(1);
    for (u32 i = 0; i < COUNT; i++) {
        timers_[i].deadline = (u64)(rand() % 100);
        timers_add(&heap, &timers_[i]);
    }
    u64 last = 0;
    for (u32 i = 0; i < COUNT; i++) {
        struct timer *timer = timers_take(&heap, UINT64_MAX - 1);
        assert_non_null(timer);
        assert_true(timer->deadline >= last);
        assert_false(timer_pending(timer));
        last = timer->deadline;
    }
    assert_null(timers_take(&heap, UINT64_MAX));
    assert_int_equal(timers_next(&heap), UINT64_MAX);
}

static void any_timer_can_be_removed_at_any_time(void **state)
{
    (void)state;
    srand(2);
    for (u32 round = 0; round < 20000; round++) {
        struct timer *timer = &timers_[rand() % COUNT];
        if (timer_pending(timer)) {
            timers_remove(&heap, timer);
        } else {
            timer->deadline = (u64)(rand() % 1000);
            timers_add(&heap, timer);
        }
        if (round % 7 == 0) {
            u64 first = earliest();
            struct timer *taken = timers_take(&heap, (u64)(rand() % 300));
            assert_true(!taken || taken->deadline == first);
        }
        assert_int_equal(timers_next(&heap), earliest());
    }
    for (u32 i = 0; i < COUNT; i++)
        timers_remove(&heap, &timers_[i]);
    assert_null(heap.first);
}

static void nothing_is_due_before_its_time(void **state)
{
    (void)state;
    struct timer timer = {.deadline = 10};
    timers_add(&heap, &timer);
    assert_null(timers_take(&heap, 9));
    assert_ptr_equal(timers_take(&heap, 10), &timer);
    timers_remove(&heap, &timer); // no effect
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_come_in_order),
        cmocka_unit_test(any_timer_can_be_removed_at_any_time),
        cmocka_unit_test(nothing_is_due_before_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
