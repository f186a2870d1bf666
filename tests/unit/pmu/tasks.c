// SPDX-License-Identifier: MIT
// Counts of tasks against a count of the test's own: whatever runs when,
// the tasks' sums are those of the CPU.
#include <pmu/allocate.h>
#include "estimate.h"
#include <pmu/task.h>
#include <pmu/tasks.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ITEMS 2 // item 0 is the time
#define PEOPLE 700

static const struct pmu_group group = {
    .item = {1, 0, PMU_NO_ITEM, PMU_NO_ITEM, PMU_NO_ITEM, PMU_NO_ITEM, PMU_NO_ITEM, PMU_NO_ITEM,
             PMU_NO_ITEM},
    .share = PMU_WHOLE_TIME,
};
#define TIME 1  // its counter
#define EVENT 0 // the other one

static u64 values[PMU_COUNTERS];
static u64 expected[PEOPLE][2]; // event, time

static struct pmu_task person(u32 i)
{
    return (struct pmu_task){
        .pid = i / 2, .thread = i + 1, .process = i < 2 ? NULL : "process", .name = "thread"};
}

static void live(u32 i, u64 event, u64 time)
{
    values[EVENT] += event;
    values[TIME] += time;
    values[5] += 77; // a counter that counts nothing of ours
    expected[i][0] += event;
    expected[i][1] += time;
}

static const struct counted_task *find(const struct task_table *table, u32 pid, u32 thread)
{
    for (u32 i = 0; i < table->count; i++) {
        const struct counted_task *task = task_table_get(table, i);
        if (task->pid == pid && task->thread == thread && task->flags == 0)
            return task;
    }
    return NULL;
}

static void check(const struct counted_task *task, u64 event, u64 time)
{
    struct pmu_estimate estimate;
    assert_non_null(task);
    pmu_multiplex_read(counted_task_sums(task), 1, &estimate);
    assert_int_equal(estimate.count, event);
    assert_int_equal(estimate.time, time);
    assert_int_equal(estimate.error, 0);
}

static void check_all(const struct task_table *table, u64 event, u64 time)
{
    u64 sums[2] = {0};
    for (u32 i = 0; i < table->count; i++) {
        struct pmu_estimate estimate;
        pmu_multiplex_read(counted_task_sums(task_table_get(table, i)), 1, &estimate);
        sums[0] += estimate.count;
        sums[1] += estimate.time;
    }
    assert_int_equal(sums[0], event);
    assert_int_equal(sums[1], time);
}

static struct task_table *begin(bool by_thread)
{
    struct task_table *table = task_table_create(ITEMS, by_thread);
    struct pmu_task first = person(0);
    memset(values, 0, sizeof(values));
    memset(expected, 0, sizeof(expected));
    values[EVENT] = 1000; // from before: nobody's
    task_table_begin(table, &first, values);
    return table;
}

// Who runs is drawn by lot, slices end now and then.
static void run(struct task_table *table, u32 people)
{
    u32 now = 0;
    srand(1);
    for (u32 step = 0; step < 20000; step++) {
        live(now, (u64)rand() % 100, 1 + (u64)rand() % 100);
        if (rand() % 50 == 0) {
            task_table_slice(table, &group, TIME, values);
            values[EVENT] += 5; // between slices
            task_table_go_on(table, values);
        }
        now = (u32)rand() % people;
        struct pmu_task next = person(now);
        task_table_switch(table, &next, values);
    }
    task_table_slice(table, &group, TIME, values);
}

static u64 all(u32 which)
{
    u64 sum = 0;
    for (u32 i = 0; i < PEOPLE; i++)
        sum += expected[i][which];
    return sum;
}

static void threads_have_their_own(void **state)
{
    (void)state;
    struct task_table *table = begin(true);
    run(table, 20);
    for (u32 i = 0; i < 20; i++)
        check(find(table, i / 2, i + 1), expected[i][0], expected[i][1]);
    check_all(table, all(0), all(1));
    task_table_free(table);
}

static void processes_have_that_of_their_threads(void **state)
{
    (void)state;
    struct task_table *table = begin(false);
    run(table, 20);
    assert_int_equal(table->count, 10);
    for (u32 pid = 0; pid < 10; pid++)
        check(find(table, pid, 0), expected[2 * pid][0] + expected[2 * pid + 1][0],
              expected[2 * pid][1] + expected[2 * pid + 1][1]);
    assert_string_equal(find(table, 0, 0)->name, "kernel");
    assert_string_equal(find(table, 1, 0)->name, "process");
    task_table_free(table);
}

static void who_has_come_is_counted_from_the_next_slice_on(void **state)
{
    (void)state;
    struct task_table *table = begin(true);
    struct pmu_task second = person(1);
    assert_int_equal(table->counted, 0);
    live(0, 1, 1);
    task_table_slice(table, &group, TIME, values);
    assert_int_equal(table->counted, 1);
    task_table_switch(table, &second, values);
    assert_int_equal(table->count, 2);
    assert_int_equal(table->counted, 1);
    task_table_slice(table, &group, TIME, values);
    assert_int_equal(table->counted, 2);
    check(find(table, 0, 2), 0, 0);
    task_table_free(table);
}

static void who_finds_no_place_is_others(void **state)
{
    (void)state;
    struct task_table *table = begin(true);
    run(table, PEOPLE);
    assert_int_equal(table->count, TASKS_MAX);
    assert_int_equal(task_table_get(table, TASKS_MAX - 1)->flags, SYS_PMU_TASK_OTHERS);
    check_all(table, all(0), all(1));
    u32 missing = 0;
    for (u32 i = 0; i < PEOPLE; i++) {
        const struct counted_task *task = find(table, i / 2, i + 1);
        missing += task == NULL;
        if (task != NULL)
            check(task, expected[i][0], expected[i][1]);
    }
    assert_int_equal(missing, PEOPLE - (TASKS_MAX - 1));
    task_table_free(table);
}

static void idle_is_told_from_the_kernel(void **state)
{
    (void)state;
    struct task_table *table = begin(false);
    const struct pmu_task idle = {.thread = 9, .idle = true, .name = "idle/0"};
    task_table_switch(table, &idle, values);
    live(0, 10, 20);
    task_table_slice(table, &group, TIME, values);
    assert_int_equal(table->count, 2);
    assert_int_equal(task_table_get(table, 1)->flags, SYS_PMU_TASK_IDLE);
    check(task_table_get(table, 1), 10, 20);
    task_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_have_their_own),
        cmocka_unit_test(processes_have_that_of_their_threads),
        cmocka_unit_test(who_has_come_is_counted_from_the_next_slice_on),
        cmocka_unit_test(who_finds_no_place_is_others),
        cmocka_unit_test(idle_is_told_from_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
