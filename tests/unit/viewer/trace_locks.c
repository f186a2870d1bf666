// SPDX-License-Identifier: MIT
// kov trace locks: waits are added up by lock, call chain and process.
#include "trace_made.h"

#include "analyses/trace_locks.h"

#define CONTENDED(cpu, time, lock, spins, ticks, ...)                                              \
    MADE(cpu, time, 6, 0, lock, spins, ticks, __VA_ARGS__)

static enum trace_locks_order order;
static u64 most;

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_locks(engine, choice, order, most, document);
}

static void make_waits(void)
{
    order = LOCKS_BY_TIME;
    most = 0;
    THREAD_CREATE(0, 9, 5);
    DISPATCHER_CREATE(0, 10, 7, 5);
    THREAD_CREATE(1, 12, 6);
    SWITCH(1, 15, 4, 6, 2);
    SWITCH(0, 20, 4, 5, 2);
    CONTENDED(0, 30, 0x1000, 3, 40, 0x500, 0x600, 0);
    CONTENDED(0, 40, 0x1000, 4, 10, 0x500, 0x600, 0);
    CONTENDED(0, 50, 0x1000, 1, 5, 0x500, 0x700, 0); // another chain
    SWITCH(0, 60, 5, 4, 2);
    CONTENDED(0, 70, 0x1000, 2, 45, 0x500, 0x600, 0); // another process
    CONTENDED(1, 25, 0x2000, 9, 48, 0x500, 0, 0);
    CONTENDED(1, 75, 0x2000, 9, 1, 0x500, 0, 0);
    CONTENDED(1, 80, 0x2000, 9, 1, 0x500, 0, 0);
}

static void check(const json_t *row, const char *lock, const char *cpus, json_int_t time,
                  json_int_t count, json_int_t spins, json_int_t longest)
{
    assert_string_equal(json_string_value(json_object_get(row, "lock")), lock);
    assert_string_equal(json_string_value(json_object_get(row, "cpus")), cpus);
    assert_int_equal(made_number(row, "time_ticks"), time);
    assert_int_equal(made_number(row, "count"), count);
    assert_int_equal(made_number(row, "spins"), spins);
    assert_int_equal(made_number(row, "longest_ticks"), longest);
    assert_int_equal(made_number(row, "mean_ticks"), (time + count / 2) / count);
}

static void waits_are_added_up_by_lock_chain_and_process(void **state)
{
    (void)state;
    make_waits();
    json_t *document = made_answer(answer, MADE_ALL);
    assert_int_equal(made_rows(document, "locks"), 4);
    check(made_row(document, "locks", 0), "0x1000", "0", 50, 2, 7, 40);
    check(made_row(document, "locks", 1), "0x2000", "1", 50, 3, 27, 48);
    check(made_row(document, "locks", 2), "0x1000", "0", 45, 1, 2, 45);
    check(made_row(document, "locks", 3), "0x1000", "0", 5, 1, 1, 5);
    assert_int_equal(made_number(made_row(document, "locks", 0), "pid"), 7);
    assert_int_equal(made_number(made_row(document, "locks", 1), "pid"), 0); // of the kernel
    assert_true(json_is_null(json_object_get(made_row(document, "locks", 2), "pid")));
    const json_t *callers = json_object_get(made_row(document, "locks", 1), "callers");
    assert_int_equal(json_array_size(callers), 1);
    assert_int_equal(made_number(json_object_get(document, "all"), "time_ticks"), 150);
    json_decref(document);
}

static void they_are_sorted_and_cut(void **state)
{
    (void)state;
    make_waits();
    order = LOCKS_BY_COUNT;
    most = 1;
    json_t *document = made_answer(answer, MADE_ALL);
    assert_int_equal(made_rows(document, "locks"), 1);
    check(made_row(document, "locks", 0), "0x2000", "1", 50, 3, 27, 48);
    assert_int_equal(made_number(json_object_get(document, "all"), "count"), 7);
    json_decref(document);
    order = LOCKS_BY_LONGEST;
    most = 2;
    document = made_answer(answer, MADE_ALL);
    check(made_row(document, "locks", 1), "0x1000", "0", 45, 1, 2, 45);
    json_decref(document);
}

static void one_cpu_process_and_time(void **state)
{
    (void)state;
    make_waits();
    json_t *document = made_answer(answer, (struct trace_options){.cpu = 1, .pid = TRACE_ANY});
    assert_int_equal(made_rows(document, "locks"), 1);
    json_decref(document);
    document = made_answer(answer, (struct trace_options){.cpu = TRACE_ANY, .pid = 7});
    assert_int_equal(made_number(json_object_get(document, "all"), "count"), 3);
    json_decref(document);
    document = made_answer(
        answer, (struct trace_options){.cpu = TRACE_ANY, .pid = TRACE_ANY, .to = "0.000000039"});
    assert_int_equal(made_number(json_object_get(document, "all"), "count"), 2);
    json_decref(document);
}

#define TAKE(cpu, time, lock, sleeping, caller)                                                    \
    MADE(cpu, time, 16, 0, lock, sleeping, caller, 0x600, 0)
#define RELEASE(cpu, time, lock, sleeping) MADE(cpu, time, 16, 1, lock, sleeping)
#define WAIT(cpu, time, lock, sleeping) MADE(cpu, time, 16, 2, lock, sleeping, 0)

static void check_hold(const json_t *row, const char *lock, const char *kind, json_int_t caller,
                       json_int_t time, json_int_t count, json_int_t max, json_int_t others)
{
    char text[32];
    snprintf(text, sizeof(text), "%#llx", caller);
    assert_string_equal(json_string_value(json_object_get(row, "lock")), lock);
    assert_string_equal(json_string_value(json_object_get(row, "kind")), kind);
    assert_string_equal(json_string_value(json_array_get(json_object_get(row, "callers"), 0)),
                        text);
    assert_int_equal(made_number(row, "time_ticks"), time);
    assert_int_equal(made_number(row, "count"), count);
    assert_int_equal(made_number(row, "max_ticks"), max);
    assert_int_equal(made_number(row, "others_ticks"), others);
}

static void holds_are_added_up_by_lock_and_chain(void **state)
{
    (void)state;
    order = LOCKS_BY_TIME;
    most = 0;
    RELEASE(0, 5, 0x1000, 0); // taken before the trace
    TAKE(0, 10, 0x1000, 0, 0x500);
    WAIT(1, 12, 0x1000, 0);
    RELEASE(0, 40, 0x1000, 0);
    TAKE(1, 41, 0x1000, 0, 0x700);
    RELEASE(1, 46, 0x1000, 0);
    TAKE(0, 50, 0x1000, 0, 0x500);
    RELEASE(0, 53, 0x1000, 0);
    TAKE(0, 60, 0x1000, 1, 0x500); // the mutex that begins with that lock
    RELEASE(0, 160, 0x1000, 1);
    TAKE(0, 170, 0x2000, 0, 0x500); // still held in the end
    json_t *document = made_answer(answer, MADE_ALL);
    assert_int_equal(made_rows(document, "holds"), 3);
    check_hold(made_row(document, "holds", 0), "0x1000", "sleep", 0x500, 100, 1, 100, 0);
    check_hold(made_row(document, "holds", 1), "0x1000", "spin", 0x500, 33, 2, 30, 28);
    check_hold(made_row(document, "holds", 2), "0x1000", "spin", 0x700, 5, 1, 5, 0);
    json_decref(document);
    order = LOCKS_BY_COUNT;
    most = 1;
    document = made_answer(answer, MADE_ALL);
    assert_int_equal(made_rows(document, "holds"), 1);
    assert_int_equal(made_number(made_row(document, "holds", 0), "count"), 2);
    json_decref(document);
}

static void a_hold_with_missing_events_is_left_out(void **state)
{
    (void)state;
    order = LOCKS_BY_TIME;
    most = 0;
    TAKE(0, 10, 0x1000, 0, 0x500);
    made_packet(0, 100, 3, 0);
    RELEASE(0, 110, 0x1000, 0);
    json_t *document = made_answer(answer, MADE_ALL);
    assert_int_equal(made_rows(document, "holds"), 0);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waits_are_added_up_by_lock_chain_and_process, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(they_are_sorted_and_cut, made_begin, made_end),
        cmocka_unit_test_setup_teardown(holds_are_added_up_by_lock_and_chain, made_begin, made_end),
        cmocka_unit_test_setup_teardown(a_hold_with_missing_events_is_left_out, made_begin,
                                        made_end),
        cmocka_unit_test_setup_teardown(one_cpu_process_and_time, made_begin, made_end),
    };
    message_quiet(true);
    return cmocka_run_group_tests_name("kov_trace_locks", tests, NULL, NULL);
}
