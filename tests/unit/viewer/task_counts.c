// SPDX-License-Identifier: MIT
// Counts of tasks: put together, taken apart into intervals, chosen, ordered, named.
#include "unit.h"

#include "counts/task_counts.h"

#include <string.h>

static struct task_reading reading, before, between;

static int begin(void **state)
{
    (void)state;
    task_reading_begin(&reading, 2);
    task_reading_begin(&before, 2);
    return 0;
}

static int end(void **state)
{
    (void)state;
    task_reading_free(&reading);
    task_reading_free(&before);
    task_reading_free(&between);
    return 0;
}

static struct task *add(struct task_reading *to, u32 cpu, u32 pid, u64 count)
{
    struct task *task = task_reading_add(to);
    task->cpu = cpu;
    task->pid = pid;
    strcpy(task->name, "some");
    for (u32 item = 0; item < 2; item++)
        task->counts[item] = (struct count){.count = count * (item + 1), .measured = 5, .total = 5};
    return task;
}

static void the_most_of_the_first_event_comes_first(void **state)
{
    (void)state;
    add(&reading, 0, 1, 10);
    add(&reading, 0, 2, 30)->counts[1].count = 0;
    add(&reading, 0, 0, 900)->flags = TASK_OTHERS;
    add(&reading, 1, 1, 25);
    struct task *empty = add(&reading, 1, 3, 0);
    memset(empty->counts, 0, sizeof(empty->counts));
    task_reading_arrange(&reading, false);
    assert_int_equal(reading.count, 3);
    assert_int_equal(reading.tasks[0].pid, 1);
    assert_int_equal(reading.tasks[0].cpu, ALL_CPUS);
    assert_int_equal(reading.tasks[0].counts[0].count, 35);
    assert_int_equal(reading.tasks[0].counts[1].count, 70);
    assert_int_equal(reading.tasks[1].pid, 2);
    assert_int_equal(reading.tasks[2].flags, TASK_OTHERS);
}

static void cpus_stay_apart_if_so_wanted(void **state)
{
    (void)state;
    add(&reading, 1, 1, 10);
    add(&reading, 0, 1, 20);
    task_reading_arrange(&reading, true);
    assert_int_equal(reading.count, 2);
    assert_int_equal(reading.tasks[0].cpu, 0);
    assert_int_equal(reading.tasks[1].cpu, 1);
}

static void idle_others_and_threads_are_tasks_of_their_own(void **state)
{
    (void)state;
    add(&reading, 0, 0, 1);
    add(&reading, 0, 0, 2)->flags = TASK_IDLE;
    add(&reading, 0, 0, 3)->thread = 4;
    add(&reading, 0, 0, 4)->flags = TASK_OTHERS;
    add(&reading, 0, 0, 5)->flags = TASK_ENDED; // the same as the first
    task_reading_order(&reading);
    assert_int_equal(reading.count, 4);
    assert_int_equal(reading.tasks[0].counts[0].count, 6);
    assert_int_equal(reading.tasks[0].flags, 0);
}

static void intervals_are_differences_and_new_tasks_count_whole(void **state)
{
    (void)state;
    add(&before, 0, 7, 100);
    add(&before, 1, 7, 1);
    task_reading_order(&before);
    struct task *new = add(&reading, 1, 9, 11);
    new->counts[0].error = 3;
    new->counts[0].total = 6;
    struct task *rest = add(&reading, 0, 7, 150);
    rest->counts[0].measured = rest->counts[0].total = 8;
    rest->flags = TASK_ENDED; // since
    task_reading_order(&reading);
    task_reading_between(&before, &reading, &between);
    assert_int_equal(between.count, 2);
    assert_int_equal(between.tasks[0].counts[0].count, 50);
    assert_int_equal(between.tasks[0].counts[0].total, 3);
    assert_int_equal(between.tasks[0].flags, TASK_ENDED);
    assert_int_equal(between.tasks[1].counts[0].count, 11);
    assert_int_equal(between.tasks[1].counts[0].error, 3);
}

static void chosen_processes_stand_in_for_the_cpus(void **state)
{
    static struct count_reading sums;
    const struct pid_list pids = {{7, 0}, 2};
    (void)state;
    add(&reading, 0, 7, 1)->thread = 1;
    add(&reading, 0, 7, 2)->thread = 2;
    add(&reading, 0, 8, 100);
    add(&reading, 2, 0, 5);
    add(&reading, 2, 0, 1000)->flags = TASK_OTHERS;
    task_reading_keep(&reading, &pids);
    assert_int_equal(reading.count, 3);
    sums = (struct count_reading){.cpu_count = 3, .items = 2};
    for (u32 cpu = 0; cpu < 3; cpu++)
        sums.cpus[cpu] = (struct cpu_counts){.cpu = cpu, .counts = {{99, 9, 9, 9, 9}}};
    task_reading_sum(&reading, &sums);
    assert_int_equal(sums.cpus[0].counts[0].count, 3);
    assert_int_equal(sums.cpus[0].counts[1].count, 6);
    assert_int_equal(sums.cpus[1].counts[0].count, 0);
    assert_int_equal(sums.cpus[1].counts[0].total, 0);
    assert_int_equal(sums.cpus[2].counts[0].count, 5);
    task_reading_keep(&reading, &(struct pid_list){0});
    assert_int_equal(reading.count, 3);
}

static void names_tell_what_it_is(void **state)
{
    static const struct {
        struct task task;
        const char *name;
    } expected[] = {
        {{.pid = 7, .name = "shell"}, "shell:7"},
        {{.pid = 7, .name = "shell", .thread = 12}, "shell:7/12"},
        {{.pid = 7, .name = "shell", .thread = 12, .flags = TASK_ENDED}, "shell:7/12 (ended)"},
        {{.pid = 7, .name = "bin/shell/7", .thread = 12}, "bin/shell:7/12"},
        {{.pid = 7, .name = "/7"}, "/7:7"},
        {{.pid = 7}, "pid 7"},
        {{.name = "odd"}, "kernel"},
        {{.thread = 3}, "kernel/3"},
        {{.flags = TASK_IDLE}, "idle"},
        {{.pid = 3, .name = "x", .flags = TASK_OTHERS}, "others"},
        {{.pid = UINT32_MAX,
          .thread = UINT32_MAX,
          .name = "1234567890123456789012345678901",
          .flags = UINT32_MAX & ~(u32)TASK_OTHERS},
         "1234567890123456789012345678901:4294967295/4294967295 (ended)"},
    };
    char name[TASK_NAME_BYTES];
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        assert_string_equal(task_name(&expected[i].task, name), expected[i].name);
}

static void there_is_an_end_to_tasks(void **state)
{
    (void)state;
    for (u32 i = 0; i < TASKS_MAX; i++)
        assert_non_null(task_reading_add(&reading));
    assert_null(task_reading_add(&reading));
    task_reading_order(&reading);
    assert_int_equal(reading.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_most_of_the_first_event_comes_first, begin, end),
        cmocka_unit_test_setup_teardown(cpus_stay_apart_if_so_wanted, begin, end),
        cmocka_unit_test_setup_teardown(idle_others_and_threads_are_tasks_of_their_own, begin, end),
        cmocka_unit_test_setup_teardown(intervals_are_differences_and_new_tasks_count_whole, begin,
                                        end),
        cmocka_unit_test_setup_teardown(chosen_processes_stand_in_for_the_cpus, begin, end),
        cmocka_unit_test_setup_teardown(names_tell_what_it_is, begin, end),
        cmocka_unit_test_setup_teardown(there_is_an_end_to_tasks, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
