// SPDX-License-Identifier: MIT
// kov trace idle: intervals end with the first event on their CPU.
#include "trace_made.h"

#include "analyses/trace_idle.h"

#define EXTERNAL 0x500
#define DECREMENTER 0x900

static void check(const json_t *row, json_int_t count, json_int_t idle, json_int_t handling,
                  json_int_t busy, json_int_t unknown)
{
    assert_int_equal(made_number(row, "count"), count);
    assert_int_equal(made_number(row, "idle_ticks"), idle);
    assert_int_equal(made_number(row, "handling_ticks"), handling);
    assert_int_equal(made_number(row, "busy_ticks"), busy);
    assert_int_equal(made_number(row, "unknown_ticks"), unknown);
}

static void check_ends(const json_t *row, json_int_t interrupt, json_int_t timer, json_int_t wake,
                       json_int_t other, json_int_t cut)
{
    assert_int_equal(made_number(row, "interrupt"), interrupt);
    assert_int_equal(made_number(row, "timer"), timer);
    assert_int_equal(made_number(row, "wake"), wake);
    assert_int_equal(made_number(row, "other"), other);
    assert_int_equal(made_number(row, "cut"), cut);
}

// Idle: 20-50, 60-80, 90-100, 130-200.
static void an_interval_ends_with_the_first_event(void **state)
{
    (void)state;
    MADE(0, 10, 1, 0, 0, 0, 0);
    SWITCH(0, 20, 5, 1, 0);
    ENTER(0, 50, DECREMENTER);
    MADE(0, 52, 7, 0, 1); // timer_fire
    LEAVE(0, 60, DECREMENTER);
    ENTER(0, 80, EXTERNAL);
    ENTER(0, 82, 0x300); // a fault within
    LEAVE(0, 84, 0x300);
    LEAVE(0, 90, EXTERNAL);
    ENTER(0, 100, EXTERNAL);
    WAKE(0, 102, 5);
    SWITCH(0, 105, 1, 5, 2);
    SWITCH(0, 120, 5, 1, 0);
    LEAVE(0, 130, EXTERNAL); // the end of the handler in which 5 was woken
    MADE(0, 200, 0, 0, 200); // a heartbeat, which ends nothing
    MADE(1, 200, 1, 0, 0, 0, 0);
    json_t *document = made_answer(trace_idle, MADE_ALL);
    assert_int_equal(made_rows(document, "cpus"), 2);
    const json_t *row = made_row(document, "cpus", 0);
    check(row, 4, 30 + 20 + 10 + 70, 10 + 10 + 5 + 10, 15, 10);
    check_ends(row, 2, 1, 0, 0, 1);
    assert_int_equal(made_number(row, "max_ticks"), 70);
    assert_int_equal(made_number(row, "min_ticks"), 10);
    check(made_row(document, "cpus", 1), 0, 0, 0, 0, 190);
    json_decref(document);
}

static void switches_alone_tell_when_threads_run(void **state)
{
    (void)state;
    SWITCH(0, 10, 5, 1, 0);
    SWITCH(0, 50, 1, 5, 2);
    SWITCH(0, 60, 5, 1, 0);
    WAKE(0, 90, 5);
    SWITCH(0, 91, 1, 5, 2);
    json_t *document = made_answer(trace_idle, MADE_ALL);
    check(made_row(document, "cpus", 0), 2, 70, 1, 10, 0);
    check_ends(made_row(document, "cpus", 0), 0, 0, 2, 0, 0);
    json_decref(document);
}

static void what_is_missing_cuts_an_interval(void **state)
{
    (void)state;
    SWITCH(0, 10, 5, 1, 0);
    ENTER(0, 20, EXTERNAL);
    LEAVE(0, 30, EXTERNAL);
    made_packet(0, 100, 1, 7);
    SWITCH(0, 110, 5, 1, 0);
    MADE(1, 110, 1, 0, 0, 0, 0);
    MADE(0, 130, 1, 0, 0, 0, 0);
    json_t *document = made_answer(trace_idle, (struct trace_options){.cpu = 0, .pid = TRACE_ANY});
    assert_int_equal(made_rows(document, "cpus"), 1);
    check(made_row(document, "cpus", 0), 2, 10 + 20, 10, 0, 80);
    check_ends(made_row(document, "cpus", 0), 1, 0, 0, 1, 0);
    assert_int_equal(made_number(document, "discarded"), 7);
    json_decref(document);
}

static void lengths_are_counted_by_powers_of_two(void **state)
{
    (void)state;
    static const u64 lengths[] = {1, 2, 3, 3, 8, 15};
    u64 time = 10;
    for (u32 i = 0; i < ARRAY_SIZE(lengths); i++) {
        SWITCH(0, time, 5, 1, 0);
        time += lengths[i];
        SWITCH(0, time, 1, 5, 2);
        time++;
    }
    json_t *document = made_answer(trace_idle, MADE_ALL);
    static const json_int_t counts[] = {1, 3, 0, 2};
    assert_int_equal(made_rows(document, "lengths"), ARRAY_SIZE(counts));
    for (u32 i = 0; i < ARRAY_SIZE(counts); i++) {
        assert_int_equal(made_number(made_row(document, "lengths", i), "from_ticks"), 1 << i);
        assert_int_equal(made_number(made_row(document, "lengths", i), "count"), counts[i]);
    }
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_interval_ends_with_the_first_event, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(switches_alone_tell_when_threads_run, made_begin, made_end),
        cmocka_unit_test_setup_teardown(what_is_missing_cuts_an_interval, made_begin, made_end),
        cmocka_unit_test_setup_teardown(lengths_are_counted_by_powers_of_two, made_begin, made_end),
    };
    message_quiet(true);
    return cmocka_run_group_tests_name("kov_trace_idle", tests, NULL, NULL);
}
