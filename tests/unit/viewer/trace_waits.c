// SPDX-License-Identifier: MIT
// kov trace waits: what has begun and not ended, for whom, and circles of it.
#include "trace_made.h"

#include "analyses/trace_waits.h"

#include <trace/reasons.h>

#define CALL(cpu, time, call, server, handed, method)                                              \
    MADE(cpu, time, 12, 0, 0x1000, call, server, 0, handed, method)
#define REPLY(cpu, time, call) MADE(cpu, time, 12, 1, call, 0, 0)
#define TAKE(cpu, time, call) MADE(cpu, time, 12, 3, call)
#define ENDS(cpu, time, pid) MADE(cpu, time, 3, 5, pid, 0)
#define LOCK_TAKE(cpu, time, lock) MADE(cpu, time, 16, 0, lock, 1, 0x500, 0, 0)
#define LOCK_RELEASE(cpu, time, lock) MADE(cpu, time, 16, 1, lock, 1)
#define LOCK_WAIT(cpu, time, lock, owner) MADE(cpu, time, 16, 2, lock, 1, owner)
#define TOLD(cpu, time) MADE(cpu, time, 17, 10, 0, 0, 0)
#define TOLD_CALL(cpu, time, call, thread, server) MADE(cpu, time, 17, 11, call, thread, server)
#define TOLD_THREAD(cpu, time, pid, thread, works_on, calls, mutex, owner)                         \
    MADE(cpu, time, 17, 12, (u64)(pid) << 32 | (thread), works_on, calls, mutex, owner)

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
    document = made_answer(
        trace_waits,
        (struct trace_options){.cpu = TRACE_ANY, .pid = TRACE_ANY, .to = "0.000000025"});
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
                        "process 4 thread 14 → call 0x100 method 3 of process 5 thread 15");
    assert_string_equal(chain_of(document, 1),
                        "process 5 thread 15 → call 0x200 method 4 of process 7 thread 17");
    json_decref(document);
}

// In an older trace no switch says that it was for a call; the order of events does.
static void without_reasons_the_order_tells_who_took_it(void **state)
{
    (void)state;
    for (u64 pid = 4; pid < 8; pid++)
        DISPATCHER_CREATE(0, 10, pid, 10 + pid);
    SWITCH(0, 11, 2, 14, 2);
    CALL(0, 20, 0x100, 5, 1, 3);
    SWITCH(0, 21, 14, 15, 2);
    SWITCH(0, 30, 15, 17, 2);
    CALL(0, 31, 0x200, 7, 1, 4);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_string_equal(chain_of(document, 0),
                        "process 4 thread 14 → call 0x100 method 3 of process 5 thread 15");
    assert_string_equal(chain_of(document, 1),
                        "process 5 thread 15 → call 0x200 method 4 of process 7 thread 17");
    json_decref(document);
}

// Processes that call each other are no circle by that: which thread works on what must be known.
static void calls_that_are_kept_are_no_circle(void **state)
{
    (void)state;
    make_processes();
    CALL(0, 20, 0x100, 5, 0, 1);
    CALL(1, 21, 0x200, 4, 0, 2);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "waits"), 2);
    assert_int_equal(made_rows(document, "deadlocks"), 0);
    json_decref(document);
    TOLD(0, 30);
    TOLD_THREAD(0, 30, 4, 1, 0, 0x100, 0, 0);
    TOLD_THREAD(0, 30, 5, 1, 0, 0x200, 0, 0);
    TOLD_THREAD(0, 30, 5, 2, 0x100, 0, 0, 0); // works, and waits for nobody
    document = made_answer(trace_waits, MADE_ALL);
    assert_string_equal(chain_of(document, 0), "process 4 user thread 1 → call 0x100 method 1 of "
                                               "process 5 user thread 2");
    assert_int_equal(made_rows(document, "deadlocks"), 0);
    json_decref(document);
}

// Process 4's thread 1 has the mutex and calls 5, whose thread 2 calls back; 4's thread 3 then
// waits for the mutex. mutex: 0x500, | 1 if not for ever.
static void make_circle(u64 mutex)
{
    make_processes();
    TOLD(0, 30);
    TOLD_CALL(0, 30, 0x100, 14, 5);
    TOLD_CALL(0, 30, 0x200, 15, 4);
    TOLD_THREAD(0, 30, 4, 1, 0, 0x100, 0, 0);
    TOLD_THREAD(0, 30, 5, 2, 0x100, 0x200, 0, 0);
    TOLD_THREAD(0, 30, 4, 3, 0x200, 0, mutex, 1);
}

static void a_circle_of_threads_is_a_deadlock(void **state)
{
    (void)state;
    make_circle(0x500);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "waits"), 3);
    assert_int_equal(made_rows(document, "deadlocks"), 1);
    assert_string_equal(cycle_of(document, 0), "4.1 → 5.2 → 4.3 → 4.1");
    assert_true(json_is_false(json_object_get(made_row(document, "deadlocks", 0), "unsure")));
    assert_true(json_is_null(json_object_get(made_row(document, "waits", 0), "waited")));
    json_decref(document);
    REPLY(0, 40, 0x200);
    document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "deadlocks"), 0);
    json_decref(document);
}

// Process 4's thread 1 waits for the end of thread 2, which waits for a mutex of thread 1.
static void a_join_leads_to_the_thread_that_is_joined(void **state)
{
    (void)state;
    make_processes();
    TOLD(0, 30);
    TOLD_THREAD(0, 30, 4, 1, 0, 0, 0x800 | THREAD_WAITS_JOIN, 2);
    TOLD_THREAD(0, 30, 4, 2, 0, 0, 0x500, 1);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "deadlocks"), 1);
    assert_string_equal(cycle_of(document, 0), "4.2 → 4.1 → 4.2");
    assert_string_equal(chain_of(document, 1), "process 4 user thread 1 → join 0x800 of process 4 "
                                               "user thread 2 → mutex 0x500 of process 4 user "
                                               "thread 1 → …");
    json_decref(document);
}

// Whatever a trace says of their owners.
static void semaphores_and_conditions_are_nobodys(void **state)
{
    (void)state;
    make_processes();
    TOLD(0, 30);
    TOLD_THREAD(0, 30, 4, 1, 0, 0, 0x800 | THREAD_WAITS_SEMAPHORE, 2);
    TOLD_THREAD(0, 30, 4, 2, 0, 0, 0x900 | THREAD_WAITS_CONDITION | THREAD_WAITS_LIMITED, 1);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "waits"), 2);
    assert_string_equal(chain_of(document, 0), "process 4 user thread 1 → semaphore 0x800");
    assert_string_equal(chain_of(document, 1), "process 4 user thread 2 → condition 0x900");
    assert_true(json_is_null(json_object_get(made_row(document, "waits", 0), "of_pid")));
    assert_int_equal(made_rows(document, "deadlocks"), 0);
    json_decref(document);
}

static void what_is_told_last_counts(void **state)
{
    (void)state;
    make_circle(0x500);
    TOLD(0, 40);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "deadlocks"), 0);
    json_decref(document);
}

static void a_wait_that_ends_by_itself_is_no_deadlock(void **state)
{
    (void)state;
    make_circle(0x500 | 1);
    json_t *document = made_answer(trace_waits, MADE_ALL);
    assert_int_equal(made_rows(document, "waits"), 3);
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
                                               "thread 14");
    assert_int_equal(made_rows(document, "deadlocks"), 0);
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
    make_circle(0x500);
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
        cmocka_unit_test_setup_teardown(without_reasons_the_order_tells_who_took_it, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(calls_that_are_kept_are_no_circle, made_begin, made_end),
        cmocka_unit_test_setup_teardown(a_circle_of_threads_is_a_deadlock, made_begin, made_end),
        cmocka_unit_test_setup_teardown(a_join_leads_to_the_thread_that_is_joined, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(semaphores_and_conditions_are_nobodys, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(what_is_told_last_counts, made_begin, made_end),
        cmocka_unit_test_setup_teardown(a_wait_that_ends_by_itself_is_no_deadlock, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(who_waits_for_a_lock_waits_for_its_owner, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(waits_end_with_their_processes, made_begin, made_end),
        cmocka_unit_test_setup_teardown(where_events_are_missing_nothing_is_sure, made_begin,
                                        made_end),
    };
    message_quiet(true);
    return cmocka_run_group_tests_name("kov_trace_waits", tests, NULL, NULL);
}
