// SPDX-License-Identifier: MIT
// Samples added up, without symbols: addresses stand for functions.
#include "unit.h"

#include "samples/aggregate.h"
#include "tools/kov.h"

#include <orrery/sys.h>
#include <string.h>

struct settings settings; // programs.c asks where the programs are

#define ATTRIBUTED (SYS_SAMPLE_KERNEL | SYS_SAMPLE_ATTRIBUTED)

static struct snapshot example(void)
{
    struct snapshot snapshot = {0};
    struct class_info class = {
        .id = 1, .name = (char *)"Worker", .implementation = (char *)"WorkerShared"};
    snapshot_add_class(&snapshot, &class);
    for (coid_t coid = 16; coid <= 48; coid += 16)
        snapshot_add_objects(&snapshot, &(struct object_info){.coid = coid, .class_id = 1}, 1);
    return snapshot;
}

static void add(struct aggregate *aggregate, coid_t coid, u64 pc, u32 flags, int count)
{
    u64 callers[] = {0x204, 0x304};
    struct sample sample = {
        .coid = coid, .pc = pc, .flags = flags, .caller_count = 2, .callers = callers, .weight = 5};
    for (int i = 0; i < count; i++)
        aggregate_add(aggregate, &sample);
}

static void expect_row(const struct aggregate *aggregate, size_t row, const char *text, u64 samples)
{
    assert_true(row < aggregate->count);
    assert_string_equal(aggregate_text(aggregate, aggregate->rows[row].texts[0]), text);
    assert_int_equal(aggregate->rows[row].sum.samples, samples);
}

static void rows_are_by_object_with_most_samples_first(void **state)
{
    (void)state;
    struct snapshot snapshot = example();
    struct aggregate aggregate = {.snapshot = &snapshot};
    assert_int_equal(sort_parse("object", &aggregate.sort), KOV_OK);
    add(&aggregate, 16, 0x100, ATTRIBUTED, 1);
    add(&aggregate, 32, 0x100, ATTRIBUTED | SYS_SAMPLE_SOFT_MASKED, 2);
    add(&aggregate, 48, 0x100, ATTRIBUTED, 4);
    add(&aggregate, 16, 0x100, SYS_SAMPLE_KERNEL, 3); // found an object that was none
    add(&aggregate, 64, 0x100, ATTRIBUTED, 1);
    aggregate_order(&aggregate);
    assert_int_equal(aggregate.count, 5);
    expect_row(&aggregate, 0, "Worker(WorkerShared) 0x30", 4);
    expect_row(&aggregate, 1, "[none]", 3);
    expect_row(&aggregate, 2, "Worker(WorkerShared) 0x20", 2);
    expect_row(&aggregate, 3, "Worker(WorkerShared) 0x10", 1);
    expect_row(&aggregate, 4, "[gone] 0x40", 1);
    assert_int_equal(aggregate.rows[2].soft_masked, 2);
    assert_int_equal(aggregate.rows[0].sum.events, 20);
    assert_true(aggregate.rows[0].sum.square == 100);
    assert_true(aggregate_percent(&aggregate, 55) == 100);
    aggregate_free(&aggregate);
    snapshot_free(&snapshot);
}

static void a_row_has_the_share_of_its_events(void **state)
{
    (void)state;
    struct snapshot snapshot = example();
    struct aggregate aggregate = {
        .snapshot = &snapshot, .chains = true, .share = {.measured = 1, .total = 2, .turns = 9}};
    assert_int_equal(sort_parse("object", &aggregate.sort), KOV_OK);
    struct sample often = {.coid = 16, .pc = 0x100, .flags = ATTRIBUTED, .weight = 10};
    struct sample seldom = {.coid = 32, .pc = 0x200, .flags = ATTRIBUTED, .weight = 300};
    for (int i = 0; i < 10; i++)
        aggregate_add(&aggregate, &often);
    aggregate_add(&aggregate, &seldom);
    aggregate_order(&aggregate);
    expect_row(&aggregate, 0, "Worker(WorkerShared) 0x20", 1); // first, though of one sample
    expect_row(&aggregate, 1, "Worker(WorkerShared) 0x10", 10);
    for (size_t i = 0; i < 2; i++) {
        const struct aggregate_row *row = &aggregate.rows[i];
        double percent = aggregate_percent(&aggregate, row->sum.events);
        assert_true(percent == (i == 0 ? 75 : 25));
        assert_true(aggregate_percent(&aggregate, row->chain.events) == percent);
    }
    aggregate_free(&aggregate);
    snapshot_free(&snapshot);
}

static void several_keys_make_rows_of_their_combinations(void **state)
{
    (void)state;
    struct snapshot snapshot = example();
    struct aggregate aggregate = {.snapshot = &snapshot};
    assert_int_equal(sort_parse("class,function", &aggregate.sort), KOV_OK);
    add(&aggregate, 16, 0x100, ATTRIBUTED, 1);
    add(&aggregate, 32, 0x100, ATTRIBUTED, 1);
    add(&aggregate, 32, 0x104, ATTRIBUTED, 1);
    aggregate_order(&aggregate);
    assert_int_equal(aggregate.count, 2);
    expect_row(&aggregate, 0, "Worker(WorkerShared)", 2);
    assert_string_equal(aggregate_text(&aggregate, aggregate.rows[0].texts[1]), "0x100");
    aggregate_free(&aggregate);
    snapshot_free(&snapshot);
}

static void chains_branch_where_callers_differ(void **state)
{
    (void)state;
    struct snapshot snapshot = example();
    struct aggregate aggregate = {.snapshot = &snapshot, .chains = true};
    assert_int_equal(sort_parse("class", &aggregate.sort), KOV_OK);
    add(&aggregate, 16, 0x100, ATTRIBUTED, 2);
    add(&aggregate, 16, 0x110, ATTRIBUTED, 3);
    aggregate_order(&aggregate);
    const struct chain *chain = &aggregate.rows[0].chain;
    assert_int_equal(chain->samples, 5);
    assert_int_equal(chain->count, 2);
    assert_string_equal(aggregate_text(&aggregate, chain->callers[0].text), "0x110");
    assert_int_equal(chain->callers[0].samples, 3);
    assert_string_equal(aggregate_text(&aggregate, chain->callers[0].callers[0].text), "0x204");
    assert_int_equal(chain->callers[0].callers[0].callers[0].count, 0);
    aggregate_free(&aggregate);
    snapshot_free(&snapshot);
}

static void chains_of_the_greatest_length_are_kept(void **state)
{
    (void)state;
    struct snapshot snapshot = example();
    struct sample_set set = {0};
    u64 callers[40];
    for (u64 i = 0; i < ARRAY_SIZE(callers); i++)
        callers[i] = 4 * i;
    struct sample sample = {
        .coid = 16, .flags = ATTRIBUTED, .caller_count = 40, .callers = callers};
    for (int i = 0; i < 2000; i++)
        samples_add(&set, &sample);
    assert_int_equal(set.samples[1999].caller_count, SAMPLE_MAX_CALLERS);
    assert_int_equal(set.samples[1999].callers[SAMPLE_MAX_CALLERS - 1], 60);
    assert_int_equal(set.totals.attributed, 2000);
    samples_free(&set);
    snapshot_free(&snapshot);
}

static void wrong_keys_are_refused(void **state)
{
    (void)state;
    struct sort sort;
    const char *const wrong[] = {"", "objects", "object,", ",object", "class,class", "obj"};
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_int_equal(sort_parse(wrong[i], &sort), KOV_USAGE);
    assert_int_equal(sort_parse("process,object,class,function,line,thread,cpu", &sort), KOV_OK);
    assert_int_equal(sort.count, SORT_KEYS);
}

static void kernel_objects_stand_under_the_process_that_they_worked_for(void **state)
{
    (void)state;
    struct snapshot snapshot = example();
    struct process_info process = {.pid = 7, .name = (char *)"shell"};
    struct class_info class = {
        .pid = 7, .id = 1, .name = (char *)"Job", .implementation = (char *)"JobShared"};
    snapshot_add_process(&snapshot, &process);
    snapshot_add_class(&snapshot, &class);
    snapshot_add_objects(&snapshot, &(struct object_info){.pid = 7, .coid = 16, .class_id = 1}, 1);
    struct aggregate aggregate = {.snapshot = &snapshot};
    assert_int_equal(sort_parse("process,object", &aggregate.sort), KOV_OK);
    struct sample sample = {.coid = 16, .pc = 0x100, .pid = 7, .flags = ATTRIBUTED};
    aggregate_add(&aggregate, &sample);
    aggregate_add(&aggregate, &sample);
    sample.flags = SYS_SAMPLE_ATTRIBUTED;
    aggregate_add(&aggregate, &sample);
    sample.pid = 0;
    sample.flags = ATTRIBUTED;
    for (int i = 0; i < 3; i++)
        aggregate_add(&aggregate, &sample);
    aggregate_order(&aggregate);
    assert_int_equal(aggregate.count, 3);
    expect_row(&aggregate, 0, "kernel", 3);
    expect_row(&aggregate, 1, "shell:7", 2);
    expect_row(&aggregate, 2, "shell:7", 1);
    assert_string_equal(aggregate_text(&aggregate, aggregate.rows[1].texts[1]),
                        "Worker(WorkerShared) 0x10");
    assert_string_equal(aggregate_text(&aggregate, aggregate.rows[2].texts[1]),
                        "Job(JobShared) 0x10 of shell:7");
    assert_int_equal(aggregate.rows[1].process, 7);
    assert_int_equal(aggregate.rows[1].pid, 0);
    assert_int_equal(aggregate.rows[2].pid, 7);
    aggregate_free(&aggregate);
    snapshot_free(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_by_object_with_most_samples_first),
        cmocka_unit_test(a_row_has_the_share_of_its_events),
        cmocka_unit_test(several_keys_make_rows_of_their_combinations),
        cmocka_unit_test(chains_branch_where_callers_differ),
        cmocka_unit_test(chains_of_the_greatest_length_are_kept),
        cmocka_unit_test(wrong_keys_are_refused),
        cmocka_unit_test(kernel_objects_stand_under_the_process_that_they_worked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
