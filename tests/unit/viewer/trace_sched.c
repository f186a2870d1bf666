// SPDX-License-Identifier: MIT
// kov trace sched: a thread's time is what the events say it is, and unknown where they do not.
#include "trace_made.h"

#include "analyses/trace_sched.h"

#include <trace/reasons.h>

#define EXTERNAL 0x500
#define IDLE 1 // the idle thread of CPU 0
#define NORMAL 2

static u64 most;

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_sched(engine, choice, most, document);
}

static const json_t *thread_of(const json_t *document, json_int_t id)
{
    for (size_t i = 0; i < made_rows(document, "threads"); i++)
        if (made_number(made_row(document, "threads", i), "thread") == id)
            return made_row(document, "threads", i);
    return NULL;
}

static void check(const json_t *document, json_int_t id, json_int_t run, json_int_t ready,
                  json_int_t blocked, json_int_t unknown)
{
    const json_t *row = thread_of(document, id);
    assert_non_null(row);
    assert_int_equal(made_number(row, "run_ticks"), run);
    assert_int_equal(made_number(row, "ready_ticks"), ready);
    assert_int_equal(made_number(row, "blocked_ticks"), blocked);
    assert_int_equal(made_number(row, "unknown_ticks"), unknown);
}

static void check_counts(const json_t *document, json_int_t id, json_int_t runs, json_int_t readies,
                         json_int_t blocks, json_int_t wakes)
{
    const json_t *row = thread_of(document, id);
    assert_int_equal(made_number(row, "runs"), runs);
    assert_int_equal(made_number(row, "readies"), readies);
    assert_int_equal(made_number(row, "blocks"), blocks);
    assert_int_equal(made_number(row, "wakes"), wakes);
}

// The last event stands at 200.
static void close(u32 cpu)
{
    MADE(cpu, 200, 1, 0, 0, 0, 0);
}

static void a_woken_thread_was_blocked_then_ready(void **state)
{
    (void)state;
    SWITCH(0, 10, 5, 6, NORMAL);
    WAKE(0, 30, 5);
    SWITCH(0, 37, 6, 5, NORMAL);
    SWITCH(0, 60, 5, 6, NORMAL);
    WAKE(0, 70, 5);
    SWITCH(0, 72, 6, 5, NORMAL);
    close(0);
    json_t *document = made_answer(answer, MADE_ALL);
    check(document, 5, 23 + 128, 7 + 2, 20 + 10, 0);
    check_counts(document, 5, 2, 2, 2, 2);
    const json_t *row = thread_of(document, 5);
    assert_int_equal(made_number(row, "min_ticks"), 2);
    assert_int_equal(made_number(row, "p50_ticks"), 2);
    assert_int_equal(made_number(row, "max_ticks"), 7);
    check(document, 6, 27 + 12, 0, 0, 23 + 128); // nothing tells what it did
    json_decref(document);
}

static void a_thread_that_is_preempted_is_ready(void **state)
{
    (void)state;
    SWITCH(0, 10, 4, 5, NORMAL);
    ENTER(0, 20, EXTERNAL);
    SWITCH(0, 22, 5, 6, NORMAL);
    SWITCH(0, 50, 6, 5, NORMAL);
    LEAVE(0, 52, EXTERNAL);
    close(0);
    json_t *document = made_answer(answer, MADE_ALL);
    check(document, 5, 12 + 150, 28, 0, 0);
    check_counts(document, 5, 2, 1, 0, 0);
    json_decref(document);
}

static void who_leaves_an_idle_cpu_is_blocked(void **state)
{
    (void)state;
    SWITCH(0, 10, 5, IDLE, 0);
    SWITCH(0, 50, IDLE, 6, NORMAL);
    SWITCH(0, 60, 6, 5, NORMAL); // a call hands it the CPU
    SWITCH(0, 70, 5, 6, NORMAL); // it may be ready, or not
    SWITCH(0, 80, 6, IDLE, 0);   // it is not
    close(0);
    json_t *document = made_answer(answer, MADE_ALL);
    check(document, 5, 10, 0, 50 + 130, 0);
    check(document, IDLE, 40 + 120, 30, 0, 0);
    const json_t *row = thread_of(document, IDLE);
    assert_string_equal(json_string_value(json_object_get(row, "process")), "[idle]");
    json_decref(document);
}

static void a_thread_lives_from_its_creation_to_its_end(void **state)
{
    (void)state;
    SWITCH(0, 10, 4, 6, NORMAL);
    THREAD_CREATE(0, 20, 5);
    DISPATCHER_CREATE(0, 21, 7, 5);
    WAKE(0, 25, 5);
    SWITCH(0, 30, 6, 5, NORMAL);
    THREAD_EXIT(0, 90, 5);
    SWITCH(0, 91, 5, 6, NORMAL);
    close(0);
    json_t *document = made_answer(answer, MADE_ALL);
    check(document, 5, 61, 5, 5, 0);
    assert_int_equal(made_number(thread_of(document, 5), "pid"), 7);
    json_decref(document);
    document = made_answer(answer, (struct trace_options){.cpu = TRACE_ANY, .pid = 7});
    assert_int_equal(made_rows(document, "threads"), 1);
    json_decref(document);
}

// The other CPU's thread is not touched by what is missing here, but a wake-up may be.
static void where_events_are_missing_time_is_unknown(void **state)
{
    (void)state;
    SWITCH(0, 10, 4, 5, NORMAL);
    SWITCH(1, 15, 8, 2, 0);
    SWITCH(0, 20, 5, 6, NORMAL);
    WAKE(0, 30, 5);
    made_packet(0, 100, 3, 0); // 40 events or more are missing from 30 on
    SWITCH(0, 110, 9, 5, NORMAL);
    SWITCH(1, 120, 2, 8, NORMAL);
    close(0);
    close(1);
    json_t *document = made_answer(answer, MADE_ALL);
    check(document, 5, 10 + 90, 0, 10, 80);
    check(document, 6, 10, 0, 0, 10 + 170);
    check(document, 9, 0, 0, 0, 190); // was it there, did it run?
    check(document, 8, 80, 0, 0, 5 + 105);
    assert_int_equal(made_number(document, "lost_packets"), 2);
    json_decref(document);
}

static void a_wake_from_another_cpu_may_come_before_the_thread_has_left(void **state)
{
    (void)state;
    SWITCH(0, 10, 4, 5, NORMAL);
    WAKE(1, 19, 5);
    SWITCH(0, 20, 5, IDLE, 0);
    SWITCH(0, 25, IDLE, 5, NORMAL);
    close(0);
    json_t *document = made_answer(answer, MADE_ALL);
    check(document, 5, 10 + 175, 0, 0, 5);
    json_decref(document);
}

static const json_t *row_for(const json_t *document, const char *sheet, json_int_t id,
                             const char *reason)
{
    for (size_t i = 0; i < made_rows(document, sheet); i++) {
        const json_t *row = made_row(document, sheet, i);
        if (made_number(row, "thread") == id &&
            strcmp(json_string_value(json_object_get(row, "reason")), reason) == 0)
            return row;
    }
    print_error("no row of %s for thread %lld and %s\n", sheet, id, reason);
    assert_true(false);
    return NULL;
}

static void check_reason(const json_t *document, const char *sheet, json_int_t id,
                         const char *reason, json_int_t count, json_int_t ticks)
{
    const json_t *row = row_for(document, sheet, id, reason);
    assert_int_equal(made_number(row, "count"), count);
    assert_int_equal(made_number(row, "time_ticks"), ticks);
}

static void waits_are_told_by_their_reasons(void **state)
{
    (void)state;
    made_reasons = true;
    LEFT(0, 10, 4, 5, NORMAL, REASON_YIELD);
    LEFT(0, 20, 5, 6, NORMAL, REASON_PAGE);
    WOKEN(0, 30, 5, 6, REASON_PAGE);
    LEFT(0, 37, 6, 5, NORMAL, REASON_PREEMPTED);
    LEFT(0, 60, 5, 6, NORMAL, REASON_TIME);
    WOKEN(0, 70, 5, 0, REASON_TIME);
    LEFT(0, 72, 6, 5, NORMAL, REASON_CALL); // hands it over: without a wake-up
    LEFT(0, 80, 5, 6, NORMAL, REASON_REPLY);
    close(0);
    json_t *document = made_answer(answer, MADE_ALL);
    check(document, 4, 0, 190, 0, 0);
    check(document, 5, 10 + 23 + 8, 7 + 2, 10 + 10 + 120, 0);
    check(document, 6, 17 + 12 + 120, 23, 8, 10);
    check_reason(document, "waits", 4, "yield", 1, 190);
    check_reason(document, "waits", 5, "page", 1, 10);
    check_reason(document, "waits", 5, "time", 1, 10);
    check_reason(document, "waits", 5, "reply", 1, 120);
    check_reason(document, "waits", 6, "preempted", 1, 23);
    check_reason(document, "waits", 6, "call", 1, 8);
    check_reason(document, "wakers", 5, "page", 1, 7);
    check_reason(document, "wakers", 5, "time", 1, 2);
    check_reason(document, "wakers", 6, "answer", 1, 0);
    assert_int_equal(made_number(row_for(document, "wakers", 5, "page"), "by"), 6);
    assert_int_equal(made_number(row_for(document, "wakers", 5, "time"), "by"), 0);
    assert_int_equal(made_number(row_for(document, "wakers", 6, "answer"), "by"), 5);
    json_decref(document);
}

static void a_missing_wake_makes_a_wait_unknown(void **state)
{
    (void)state;
    made_reasons = true;
    LEFT(0, 10, 4, 5, NORMAL, REASON_PREEMPTED);
    LEFT(0, 20, 5, 1, 0, REASON_OTHER);
    LEFT(1, 15, 8, 2, 0, REASON_PREEMPTED);
    made_packet(1, 100, 3, 0);
    LEFT(0, 120, 1, 5, NORMAL, REASON_PREEMPTED);
    close(0);
    close(1);
    json_t *document = made_answer(answer, MADE_ALL);
    check(document, 5, 10 + 80, 0, 0, 100);
    json_decref(document);
}

// Whatever comes, in whatever order, the four times are all of the time that a thread was there.
static void times_add_up_to_all_time(void **state)
{
    u64 seed = 11;
    for (u32 round = 0; round < 300; round++) {
        u64 time = 10, sequence = 0;
        assert_int_equal(made_begin(state), 0);
        for (u32 i = 0; i < 200; i++) {
            u32 cpu = (u32)(unit_random(&seed) % 2);
            u64 one = unit_random(&seed) % 6, other = unit_random(&seed) % 6;
            time += unit_random(&seed) % 20;
            u64 what = unit_random(&seed) % 20;
            if (what < 9)
                SWITCH(cpu, time, one, other, other == 1 ? 0 : NORMAL);
            else if (what < 16)
                WAKE(cpu, time, one);
            else if (what < 17)
                ENTER(cpu, time, EXTERNAL);
            else if (what < 19)
                LEAVE(cpu, time, EXTERNAL);
            else if (made_counts[cpu] < 4)
                made_packet(cpu, time, (u32)(sequence += 2), 0);
        }
        json_t *document = made_answer(answer, MADE_ALL);
        json_int_t all = made_number(document, "to_ticks") - made_number(document, "from_ticks");
        for (size_t i = 0; i < made_rows(document, "threads"); i++) {
            const json_t *row = made_row(document, "threads", i);
            assert_int_equal(made_number(row, "run_ticks") + made_number(row, "ready_ticks") +
                                 made_number(row, "blocked_ticks") +
                                 made_number(row, "unknown_ticks"),
                             all);
        }
        json_decref(document);
        assert_int_equal(made_end(state), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_woken_thread_was_blocked_then_ready, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(a_thread_that_is_preempted_is_ready, made_begin, made_end),
        cmocka_unit_test_setup_teardown(who_leaves_an_idle_cpu_is_blocked, made_begin, made_end),
        cmocka_unit_test_setup_teardown(a_thread_lives_from_its_creation_to_its_end, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(where_events_are_missing_time_is_unknown, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(a_wake_from_another_cpu_may_come_before_the_thread_has_left,
                                        made_begin, made_end),
        cmocka_unit_test_setup_teardown(waits_are_told_by_their_reasons, made_begin, made_end),
        cmocka_unit_test_setup_teardown(a_missing_wake_makes_a_wait_unknown, made_begin, made_end),
        cmocka_unit_test(times_add_up_to_all_time),
    };
    message_quiet(true);
    return cmocka_run_group_tests_name("kov_trace_sched", tests, NULL, NULL);
}
