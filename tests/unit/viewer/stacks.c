// SPDX-License-Identifier: MIT
// Sums by stack from a machine's messages, whatever those say: no sample is lost or counted twice,
// and what a number means is what was told last.
#include "samples/decode_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LIMIT 100 // stacks in the table
#define STACK ORRERY__DCI__SAMPLE_SUM_KIND__SUM_STACK

static struct stack_numbers numbers;
static struct stack_table table;
static u64 by_number[LIMIT + 1]; // samples; 0: others

static int begin(void **state)
{
    (void)state;
    memset(&numbers, 0, sizeof(numbers));
    memset(by_number, 0, sizeof(by_number));
    stack_table_begin(&table, LIMIT);
    return 0;
}

static int end(void **state)
{
    (void)state;
    stack_table_free(&table);
    return 0;
}

static void take(void *context, const struct site_sum *sum, u64 from, u64 to)
{
    assert_ptr_equal(context, &table);
    assert_int_equal(from, 10);
    assert_int_equal(to, 20);
    assert_int_equal(sum->site.pid, 0);
    assert_int_equal(sum->site.kind, sum->site.coid != 0 ? SITE_STACK : SITE_OTHER_STACKS);
    assert_true(sum->site.coid <= table.count);
    assert_int_equal(sum->events, sum->samples * 1000);
    by_number[sum->site.coid] += sum->samples;
}

// Tells so many stacks and sums of a table.
static void tell(u64 of_table, Orrery__Dci__SampleStack *stacks, u32 stack_count,
                 Orrery__Dci__SampleSum *sums, u32 sum_count)
{
    Orrery__Dci__SampleStacks message = ORRERY__DCI__SAMPLE_STACKS__INIT;
    Orrery__Dci__SampleStack *stack_pointers[256];
    Orrery__Dci__SampleSum *sum_pointers[256];
    for (u32 i = 0; i < stack_count; i++)
        stack_pointers[i] = &stacks[i];
    for (u32 i = 0; i < sum_count; i++)
        sum_pointers[i] = &sums[i];
    message.from = 10;
    message.to = 20;
    message.table = of_table;
    message.stacks = stack_pointers;
    message.n_stacks = stack_count;
    message.sums = sum_pointers;
    message.n_sums = sum_count;
    decode_sample_stacks(&message, &numbers, &table, take, &table);
}

static Orrery__Dci__SampleStack stack_at(u32 number, u64 pc)
{
    Orrery__Dci__SampleStack stack = ORRERY__DCI__SAMPLE_STACK__INIT;
    stack.number = number;
    stack.pc = pc;
    stack.kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_NONE;
    return stack;
}

static Orrery__Dci__SampleSum sum_of(u32 number, u64 samples)
{
    Orrery__Dci__SampleSum sum = ORRERY__DCI__SAMPLE_SUM__INIT;
    sum.kind = STACK;
    sum.stack = number;
    sum.samples = samples;
    sum.weight = 1000;
    return sum;
}

static void a_number_means_what_was_told_last(void **state)
{
    (void)state;
    Orrery__Dci__SampleStack stacks[] = {stack_at(1, 0x100), stack_at(2, 0x200)};
    Orrery__Dci__SampleSum sums[] = {sum_of(1, 3), sum_of(2, 5)};
    tell(7, stacks, 2, sums, 2);
    tell(7, NULL, 0, sums, 2); // frames are told once
    assert_int_equal(stack_table_place(&table, 1)->pc, 0x100);
    assert_int_equal(by_number[1], 6);
    assert_int_equal(by_number[2], 10);
    stacks[0] = stack_at(1, 0x200); // another table: the same stack has another number
    tell(8, stacks, 1, sums, 2);
    assert_int_equal(by_number[2], 13);
    assert_int_equal(by_number[0], 5); // 2 means nothing yet
    assert_int_equal(table.count, 2);
}

static void who_and_where_make_different_stacks(void **state)
{
    (void)state;
    u64 callers[] = {0x10, 0x20};
    Orrery__Dci__SampleStack stacks[6];
    for (u32 i = 0; i < 6; i++)
        stacks[i] = stack_at(i + 1, 0x100);
    stacks[1].pid = 4;
    stacks[2].kernel = true;
    stacks[3].kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OBJECT;
    stacks[3].coid = 16;
    stacks[4].callers = callers;
    stacks[4].n_callers = 2;
    stacks[5].coid = 99; // of no object: none
    tell(0, stacks, 6, NULL, 0);
    assert_int_equal(table.count, 5);
    assert_int_equal(numbers.numbers[6], numbers.numbers[1]);
    assert_int_equal(stack_table_place(&table, numbers.numbers[4])->coid, 16);
    assert_int_equal(stack_table_place(&table, numbers.numbers[5])->callers[1], 0x20);
}

static void absurd_stacks_and_sums_harm_nobody(void **state)
{
    (void)state;
    u64 callers[SAMPLE_MAX_CALLERS + 50] = {0};
    Orrery__Dci__SampleStack stacks[] = {stack_at(STACK_NUMBERS_MAX, 1), stack_at(UINT32_MAX, 2),
                                         stack_at(3, 3), stack_at(4, 4)};
    stacks[2].kind = (Orrery__Dci__SampleSumKind)-5;
    stacks[3].callers = callers;
    stacks[3].n_callers = ARRAY_SIZE(callers);
    Orrery__Dci__SampleSum sums[8];
    for (u32 i = 0; i < ARRAY_SIZE(sums); i++)
        sums[i] = sum_of(3, 1);
    sums[0].stack = UINT32_MAX;
    sums[1].stack = STACK_NUMBERS_MAX;
    sums[2].kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OTHER_STACKS; // a number has no meaning here
    sums[3].cpu = ORRERY_MAX_CPUS;
    sums[4].index = SAMPLED_EVENTS_MAX;
    sums[5].samples = (u64)UINT32_MAX + 1;
    sums[6].kind = ORRERY__DCI__SAMPLE_SUM_KIND__SUM_ALL; // belongs elsewhere
    tell(0, stacks, ARRAY_SIZE(stacks), sums, ARRAY_SIZE(sums));
    assert_int_equal(table.count, 2);
    assert_int_equal(by_number[numbers.numbers[3]], 1);
    assert_int_equal(by_number[0], 4); // three that mean nothing, and the others
    assert_int_equal(stack_table_place(&table, numbers.numbers[4])->caller_count,
                     SAMPLE_MAX_CALLERS);
    assert_null(stack_table_place(&table, 0));
    assert_null(stack_table_place(&table, table.count + 1));
}

static void stacks_without_end_are_others_and_counted(void **state)
{
    (void)state;
    for (u32 i = 0; i < 10 * LIMIT; i++) {
        Orrery__Dci__SampleStack stack = stack_at(1, i);
        Orrery__Dci__SampleSum sum = sum_of(1, 2);
        tell(i, &stack, 1, &sum, 1);
    }
    assert_int_equal(table.count, LIMIT);
    assert_int_equal(table.refused, 9 * LIMIT);
    assert_int_equal(by_number[0], 2 * 9 * LIMIT);
}

// In a cell, too: they take no room of objects.
static void stacks_take_half_of_a_cell_at_most(void **state)
{
    struct site_sums sums;
    u64 others = 0, samples = 0;
    (void)state;
    site_sums_begin(&sums, 64);
    for (u32 i = 1; i <= 100; i++) {
        struct site_sum sum = {.site = {.kind = SITE_STACK, .coid = i}, .samples = 1, .events = 1};
        site_sums_add_sum(&sums, &sum);
        sum.site.kind = SITE_OBJECT;
        if (i <= 32)
            site_sums_add_sum(&sums, &sum);
    }
    for (size_t i = 0; i < sums.count; i++) {
        samples += sums.sums[i].samples;
        others += sums.sums[i].site.kind == SITE_OTHER_STACKS ? sums.sums[i].samples : 0;
        assert_int_not_equal(sums.sums[i].site.kind, SITE_OTHER_OBJECTS);
    }
    assert_int_equal(others, 68);
    assert_int_equal(samples, 132);
    site_sums_free(&sums);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_number_means_what_was_told_last),  TEST(who_and_where_make_different_stacks),
        TEST(absurd_stacks_and_sums_harm_nobody), TEST(stacks_without_end_are_others_and_counted),
        TEST(stacks_take_half_of_a_cell_at_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
