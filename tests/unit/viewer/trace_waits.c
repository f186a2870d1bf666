// SPDX-License-Identifier: MIT
// kov trace waits: what has begun and not ended, for whom, and circles of it.
#include "trace_made.h"

#include "trace/trace_waits.h"

#include <trace/reasons.h>

#define CALL(cpu, time, call, server, handed, method)                                              \
    MADE(cpu, time, 12, 0, 0x1000, call, server, 0, handed, method)
#define REPLY(cpu, time, call) MADE(cpu, time, 12, 1, call, 0, 0)
#define TAKE(cpu, time, call) MADE(cpu, time, 12, 3, call)
#define ENDS(cpu, time, pid) MADE(cpu, time, 3, 5, pid, 0)
#define LOCK_TAKE(cpu, time, lock) MADE(cpu, time, 16, 0, lock, 1, 0x500, 0, 0)
#define LOCK_RELEASE(cpu, time, lock) MADE(cpu, time, 16, 1, lock, 1)
#define LOCK_WAIT(cpu, time, lock, owner) MADE(cpu, time, 16, 2, lock, 1, owner)

static const char *chain_of(const json_t *document, size_t wait)
{
    return json_string_value(json_object_get(made_row(document, "waits", wait), "chain"));
}

static const char *cycle_of(const json_t *document, size_t index)
{
    return json_string_value(json_object_get(made_row(document, "deadlocks", index), "cycle"));
}

// Threads 14, 15, 17 of processes 4, 5, 7; 14 runs on CPU 0, 15 on CPU 1.
static void make_processes(void)
{
    made_reasons = true;
    for (u64 pid = 4; pid < 8; pid++)
        DISPATCHER_CREATE(0, 10, pid, 10 + pid);
    LEFT(0, 11, 2, 14, 2, REASON_PREEMPTED);
    LEFT(1, 11, 3, 15, 2, REASON_PREEMPTED);
}

static void an_open_call_waits_for_who_took_it(void **state)
{
    (void)state;
    make_processes();
    CALL(0, 20, 0x100, 5, 0, 3);
    CALL(0, 30, 0x200, 6, 0, 9);
    TAKE(1, 40, 0x100);
    CALL(0, 50, 0x300, 5, 0, 1);
    REPLY(1, 60, 0x300);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "waits"), 2);
    assert_string_equal(chain_of(document, 0), "process 4 thread 14 → call 0x100 method 3 of "
                                               "process 5 thread 15");
    assert_string_equal(chain_of(document, 1),
                        "process 4 thread 14 → call 0x200 method 9 of process 6");
    assert_int_equal(made_number(made_row(document, "waits", 0), "waited_ticks"), 40);
    assert_int_equal(made_rows(document, "deadlocks"), 0);
    json_decref(document);
    document =
        made_answer(trace_waits,
                    (struct trace_wishes){.cpu = TRACE_ANY, .pid = TRACE_ANY, .to = "0.000000025"});
    assert_string_equal(chain_of(document, 0),
                        "process 4 thread 14 → call 0x100 method 3 of process 5");
    json_decref(document);
}

// The switch comes behind the call, or before it by the fast path.
static void a_call_that_is_handed_over_is_taken_at_once(void **state)
{
    (void)state;
    make_processes();
    CALL(0, 20, 0x100, 5, 1, 3);
    LEFT(0, 21, 14, 15, 2, REASON_CALL);
    LEFT(0, 30, 15, 17, 2, REASON_CALL);
    CALL(0, 31, 0x200, 7, 1, 4);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_string_equal(chain_of(document, 0),
                        "process 4 thread 14 → call 0x100 method 3 of process 5 thread 15"
                        " → call 0x200 method 4 of process 7 thread 17");
    assert_string_equal(chain_of(document, 1),
                        "process 5 thread 15 → call 0x200 method 4 of process 7 thread 17");
    json_decref(document);
}

static void a_circle_is_a_deadlock(void **state)
{
    (void)state;
    make_processes();
    CALL(0, 20, 0x100, 5, 0, 1);
    CALL(1, 21, 0x200, 4, 0, 2);
    LEFT(0, 30, 14, 17, 2, REASON_ANSWER);
    CALL(0, 31, 0x300, 5, 0, 3); // waits for them, but is not of the circle
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "waits"), 3);
    assert_int_equal(made_rows(document, "deadlocks"), 1);
    assert_string_equal(cycle_of(document, 0), "4 → 5 → 4");
    json_decref(document);
    REPLY(0, 40, 0x200);
    document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "deadlocks"), 0);
    json_decref(document);
}

static void who_waits_for_a_lock_waits_for_its_owner(void **state)
{
    (void)state;
    make_processes();
    LOCK_TAKE(0, 20, 0x1000);
    LOCK_WAIT(1, 21, 0x1000, 0);
    CALL(0, 22, 0x100, 5, 0, 1);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_string_equal(chain_of(document, 0), "process 5 thread 15 → lock 0x1000 of process 4 "
                                               "thread 14 → call 0x100 method 1 of process 5 → …");
    assert_string_equal(cycle_of(document, 0), "5 → 4 → 5");
    json_decref(document);
    LOCK_RELEASE(0, 30, 0x1000);
    LOCK_TAKE(1, 31, 0x1000);
    document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "waits"), 1);
    assert_int_equal(made_rows(document, "deadlocks"), 0);
    json_decref(document);
}

static void waits_end_with_their_processes(void **state)
{
    (void)state;
    make_processes();
    CALL(0, 20, 0x100, 5, 0, 1);
    CALL(1, 21, 0x200, 6, 0, 2);
    ENDS(1, 30, 5); // the server of the one, the client of the other
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "waits"), 0);
    json_decref(document);
}

static void where_events_are_missing_nothing_is_sure(void **state)
{
    (void)state;
    make_processes();
    CALL(0, 20, 0x100, 5, 0, 1);
    CALL(1, 21, 0x200, 4, 0, 2);
    made_packet(0, 100, 3, 0);
    MADE(0, 110, 1, 0, 0, 0, 0);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_true(json_is_true(json_object_get(made_row(document, "waits", 0), "unsure")));
    assert_true(json_is_true(json_object_get(made_row(document, "deadlocks", 0), "unsure")));
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_open_call_waits_for_who_took_it, made_begin, made_end),
        cmocka_unit_test_setup_teardown(a_call_that_is_handed_over_is_taken_at_once, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(a_circle_is_a_deadlock, made_begin, made_end),
        cmocka_unit_test_setup_teardown(who_waits_for_a_lock_waits_for_its_owner, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(waits_end_with_their_processes, made_begin, made_end),
        cmocka_unit_test_setup_teardown(where_events_are_missing_nothing_is_sure, made_begin,
                                        made_end),
    };
    message_quiet(true);
    return cmocka_run_group_tests_name("kov_trace_waits", tests, NULL, NULL);
}
