// SPDX-License-Identifier: MIT
// kov trace profile: samples are added up by function within each process.
#include "trace_made.h"

#include "analyses/trace_profile.h"

#include <math.h>
#include <orrery/sys.h>

#define SAMPLE(cpu, time, pc, thread, flags)                                                       \
    MADE(cpu, time, 11, 0, 0x10, pc, (u64)(thread) << 32 | (flags))

static struct texts programs;
static u64 most;

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_profile(engine, choice, &programs, most, document);
}

// The process of thread 5 is told behind its first samples.
static void make_samples(void)
{
    most = 0;
    for (u64 i = 0; i < 4; i++)
        SAMPLE(0, 10 + i, 0x1000, 5, 0);
    SAMPLE(0, 20, 0x1000, 5, SYS_SAMPLE_KERNEL); // not the same code
    SAMPLE(0, 21, 0x2000, 5, 0);
    SAMPLE(0, 22, 0x2000, 5, 0);
    DISPATCHER_CREATE(0, 30, 7, 5);
    DISPATCHER_CREATE(0, 30, 7, 6);
    SAMPLE(0, 40, 0x2000, 6, 0);
    for (u64 i = 0; i < 3; i++)
        SAMPLE(1, 50 + i, 0x3000, 9, SYS_SAMPLE_KERNEL); // a thread of which nothing is known
    SAMPLE(1, 60, 0x4000, 2, SYS_SAMPLE_KERNEL | SYS_SAMPLE_IDLE);
    MADE(1, 70, 11, 1, 12);
}

static void check(const json_t *row, const char *process, json_int_t samples, double share)
{
    assert_string_equal(json_string_value(json_object_get(row, "process")), process);
    assert_int_equal(made_number(row, "samples"), samples);
    assert_true(fabs(json_number_value(json_object_get(row, "share")) - share) < 1e-9);
}

static void check_function(const json_t *row, const char *process, json_int_t samples, double share,
                           const char *code, const char *function)
{
    check(row, process, samples, share);
    assert_string_equal(json_string_value(json_object_get(row, "code")), code);
    assert_string_equal(json_string_value(json_object_get(row, "function")), function);
}

static void samples_are_added_up_within_each_process(void **state)
{
    (void)state;
    make_samples();
    json_t *document = made_answer(answer, MADE_ALL);
    assert_int_equal(made_rows(document, "processes"), 3);
    check(made_row(document, "processes", 0), "process 7", 8, 100.0 * 8 / 12);
    check(made_row(document, "processes", 1), "thread 9", 3, 25);
    check(made_row(document, "processes", 2), "[idle]", 1, 100.0 / 12);
    assert_int_equal(made_rows(document, "functions"), 5);
    const char *const process = "process 7";
    check_function(made_row(document, "functions", 0), process, 4, 50, "program", "0x1000");
    check_function(made_row(document, "functions", 1), process, 3, 37.5, "program", "0x2000");
    check_function(made_row(document, "functions", 2), process, 1, 12.5, "kernel", "0x1000");
    check_function(made_row(document, "functions", 3), "thread 9", 3, 100, "kernel", "0x3000");
    check_function(made_row(document, "functions", 4), "[idle]", 1, 100, "kernel", "0x4000");
    assert_int_equal(made_number(document, "samples"), 12);
    assert_int_equal(made_number(document, "samples_lost"), 12);
    json_decref(document);
}

static void one_process_and_its_hottest_function(void **state)
{
    (void)state;
    make_samples();
    most = 1;
    json_t *document = made_answer(answer, (struct trace_options){.cpu = TRACE_ANY, .pid = 7});
    assert_int_equal(made_rows(document, "processes"), 1);
    assert_int_equal(made_rows(document, "functions"), 1);
    check_function(made_row(document, "functions", 0), "process 7", 4, 50, "program", "0x1000");
    json_decref(document);
    document = made_answer(answer, (struct trace_options){.cpu = 1, .pid = TRACE_ANY});
    assert_int_equal(made_number(document, "samples"), 4);
    assert_int_equal(made_rows(document, "functions"), 2);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(samples_are_added_up_within_each_process, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(one_process_and_its_hottest_function, made_begin, made_end),
    };
    message_quiet(true);
    return cmocka_run_group_tests_name("kov_trace_profile", tests, NULL, NULL);
}
