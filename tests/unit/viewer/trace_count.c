// SPDX-License-Identifier: MIT
// kov trace count: an event and the first other one behind it, of the same CPU or value, pair up.
#include "trace_made.h"

#include "analyses/trace_count.h"

static struct trace_count_options options;

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_count(engine, choice, &options, document);
}

static json_t *answer_to(const char *pair, const char *by)
{
    options = (struct trace_count_options){.pair = pair, .by = by};
    return made_answer(answer, MADE_ALL);
}

static void check(const json_t *row, json_int_t count, json_int_t min, json_int_t mean,
                  json_int_t max)
{
    assert_int_equal(made_number(row, "count"), count);
    assert_int_equal(made_number(row, "min_ticks"), min);
    assert_int_equal(made_number(row, "mean_ticks"), mean);
    assert_int_equal(made_number(row, "max_ticks"), max);
}

static void check_alone(const json_t *document, json_int_t first, json_int_t second,
                        json_int_t unsure)
{
    assert_int_equal(made_number(document, "first_alone"), first);
    assert_int_equal(made_number(document, "second_alone"), second);
    assert_int_equal(made_number(document, "unsure"), unsure);
}

static void by_cpu_the_last_first_one_counts(void **state)
{
    (void)state;
    LEAVE(0, 5, 0x500);
    ENTER(0, 10, 0x500);
    ENTER(1, 11, 0x500);
    ENTER(0, 20, 0x500);
    LEAVE(0, 24, 0x500);
    LEAVE(1, 31, 0x500);
    ENTER(0, 40, 0x500);
    LEAVE(0, 52, 0x500);
    ENTER(0, 60, 0x500);
    json_t *document = answer_to("exc_enter..EXC:exc_exit", NULL);
    assert_int_equal(made_rows(document, "pairs"), 2);
    assert_int_equal(made_number(made_row(document, "pairs", 1), "key"), 1);
    check(made_row(document, "pairs", 0), 2, 4, 8, 12);
    check(made_row(document, "pairs", 1), 1, 20, 20, 20);
    assert_true(json_is_null(json_object_get(made_row(document, "pairs", 0), "key_name")));
    check(json_object_get(document, "all"), 3, 4, 12, 20);
    check_alone(document, 2, 1, 0);
    json_decref(document);
}

static void by_fields_cpus_do_not_matter(void **state)
{
    (void)state;
    WAKE(1, 10, 5);
    WAKE(1, 12, 6);
    SWITCH(0, 20, 4, 6, 2);
    SWITCH(0, 30, 6, 5, 2);
    WAKE(0, 40, 6);
    SWITCH(0, 41, 5, 6, 2);
    json_t *document = answer_to("wake..switch", "thread=to");
    assert_int_equal(made_rows(document, "pairs"), 2);
    assert_int_equal(made_number(made_row(document, "pairs", 0), "key"), 6); // the most
    check(made_row(document, "pairs", 0), 2, 1, 5, 8);
    check(made_row(document, "pairs", 1), 1, 20, 20, 20);
    check_alone(document, 0, 0, 0);
    json_decref(document);
    document = answer_to("wake..wake", "thread"); // from each to the next
    assert_int_equal(made_rows(document, "pairs"), 1);
    check(made_row(document, "pairs", 0), 1, 28, 28, 28);
    check_alone(document, 2, 2, 0);
    json_decref(document);
}

static void a_field_of_addresses_is_shown_as_such(void **state)
{
    (void)state;
    ENTER(0, 10, 0x900);
    LEAVE(0, 15, 0x900);
    json_t *document = answer_to("exc_enter..exc_exit", "vector");
    const json_t *row = made_row(document, "pairs", 0);
    assert_string_equal(json_string_value(json_object_get(row, "key")), "0x900");
    assert_string_equal(json_string_value(json_object_get(row, "key_name")), "decrementer");
    json_decref(document);
}

static void pairs_between_which_events_are_missing_are_unsure(void **state)
{
    (void)state;
    ENTER(0, 10, 0x500);
    made_packet(0, 50, 0, 0);
    made_counts[0] = 1;
    made_packet(0, 50, 2, 0);
    LEAVE(0, 60, 0x500);
    ENTER(0, 70, 0x500);
    LEAVE(0, 80, 0x500);
    ENTER(1, 20, 0x500); // in what is missing of the other CPU
    LEAVE(1, 90, 0x500);
    json_t *document = answer_to("exc_enter..exc_exit", NULL);
    check(json_object_get(document, "all"), 2, 10, 40, 70);
    check_alone(document, 0, 0, 1);
    json_decref(document);
    document = answer_to("exc_enter..exc_exit", "vector");
    check_alone(document, 1, 1, 1);
    json_decref(document);
}

// Each value is another one: rows end, pairs do not.
static void rows_are_bounded(void **state)
{
    (void)state;
    u64 time = 10;
    for (u32 i = 0; i < 5000; i++, time += 10) {
        if (i % 1600 == 0)
            made_packet(0, time, i / 1600, 0);
        LEAVE(0, time, 100000 + i);
        LEAVE(0, time + 3, 100000 + i);
    }
    json_t *document = answer_to("exc_exit..exc_exit", "vector");
    check(json_object_get(document, "all"), 5000, 3, 3, 3);
    assert_int_equal(made_number(document, "rows"), 4097);
    check(made_row(document, "pairs", 0), 5000 - 4096, 3, 3, 3);
    json_decref(document);
}

static void what_is_no_pair_is_refused(void **state)
{
    (void)state;
    static const struct trace_count_options wrong[] = {
        {.pair = "wake"},
        {.pair = "wake.switch"},
        {.pair = "..switch"},
        {.pair = "wake.."},
        {.pair = "nothing..switch"},
        {.pair = "wake..switch", .by = "thread"},
        {.pair = "wake..switch", .by = "=to"},
        {.pair = "wake..switch", .by = "thread="},
    };
    WAKE(0, 10, 5);
    json_decref(answer_to("wake..switch", NULL));
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct engine engine = {0};
        struct trace_choice choice;
        struct trace_options all = MADE_ALL;
        json_t *document = json_object();
        assert_int_equal(engine_open_folder(&engine, made_folder), KOV_OK);
        assert_int_equal(trace_choice_decide(&choice, &all, &engine.descriptions, 0), KOV_OK);
        assert_int_equal(trace_count(&engine, &choice, &wrong[i], document), KOV_USAGE);
        json_decref(document);
        engine_close(&engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_cpu_the_last_first_one_counts, made_begin, made_end),
        cmocka_unit_test_setup_teardown(by_fields_cpus_do_not_matter, made_begin, made_end),
        cmocka_unit_test_setup_teardown(a_field_of_addresses_is_shown_as_such, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(pairs_between_which_events_are_missing_are_unsure,
                                        made_begin, made_end),
        cmocka_unit_test_setup_teardown(rows_are_bounded, made_begin, made_end),
        cmocka_unit_test_setup_teardown(what_is_no_pair_is_refused, made_begin, made_end),
    };
    message_quiet(true);
    return cmocka_run_group_tests_name("kov_trace_count", tests, NULL, NULL);
}
