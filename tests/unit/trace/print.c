// SPDX-License-Identifier: MIT
// The flight recorder: the last events of all CPUs in order of time, and none after trace_stop.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <trace/control.h>
#include <trace/events.h>
#include <trace/ring.h>
#include <trace/table.h>
#include <trace/trace.h>

#include "host_platform.h"

static int start(void **state)
{
    (void)state;
    host_start(4, SYS_TRACE_OVERWRITE);
    trace_set_mask(1UL << TRACE_MAJOR_TEST | 1UL << TRACE_MAJOR_SCHED);
    return 0;
}

static int end(void **state)
{
    (void)state;
    host_end();
    return 0;
}

static u32 lines(void)
{
    u32 count = 0;
    for (const char *at = host_printed; (at = strchr(at, '\n')) != NULL; at++)
        count++;
    return count - 1; // without the title
}

static void the_last_events_of_all_cpus_merge_by_time(void **state)
{
    (void)state;
    for (u64 i = 0; i < 30000; i++) {
        host_cpu = i % 5 == 0;
        trace_test1(i);
    }
    host_cpu = 0;
    trace_print_last(10);
    assert_int_equal(lines(), 10);
    const char *at = host_printed;
    for (u64 i = 29990; i < 30000; i++) {
        char expected[64];
        snprintf(expected, sizeof(expected), " %lu test1 a=%lu\n", (i % 5 == 0) * 1UL, i);
        const char *line = strstr(host_printed, expected);
        assert_non_null(line);
        assert_true(line > at);
        at = line;
    }
}

static void fields_are_unpacked_for_printing(void **state)
{
    (void)state;
    trace_switch(1, 2, 3, 0x8004, 0x80000005);
    trace_print_last(5);
    assert_int_equal(lines(), 1);
    assert_non_null(strstr(host_printed, "switch from=1 to=2 from_priority=3 to_priority=32772 "
                                         "reason=2147483653\n"));
}

static void a_just_begun_packet_does_not_hide_the_one_before(void **state)
{
    (void)state;
    trace_test1(1);
    trace_ring_renew(&host_cpus[0]);
    trace_test1(2);
    trace_print_last(5);
    assert_int_equal(lines(), 2);
}

static void damaged_lengths_end_the_walk(void **state)
{
    (void)state;
    trace_test1(1);
    trace_test1(2);
    trace_ring_packet(&host_cpus[0], 0)->events[2] = 0;
    trace_print_last(5);
    assert_int_equal(lines(), 1);
    host_printed[0] = 0;
    trace_ring_packet(&host_cpus[0], 0)->events[0] = ~0UL;
    trace_print_last(5);
    assert_int_equal(lines(), 0);
}

static void nothing_is_printed_of_empty_rings(void **state)
{
    (void)state;
    trace_print_last(5);
    assert_int_equal(lines(), 0);
}

// Last: it is for good.
static void after_a_stop_nothing_is_logged(void **state)
{
    (void)state;
    struct sys_trace_stat stat;
    trace_test1(1);
    trace_stop();
    trace_test1(2);
    trace_stat(0, &stat);
    assert_int_equal(stat.events, 1);
    assert_int_equal(stat.discarded, 1);
    trace_print_last(5);
    assert_int_equal(lines(), 1);
    assert_non_null(strstr(host_printed, "test1 a=1\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_last_events_of_all_cpus_merge_by_time, start, end),
        cmocka_unit_test_setup_teardown(fields_are_unpacked_for_printing, start, end),
        cmocka_unit_test_setup_teardown(a_just_begun_packet_does_not_hide_the_one_before, start,
                                        end),
        cmocka_unit_test_setup_teardown(damaged_lengths_end_the_walk, start, end),
        cmocka_unit_test_setup_teardown(nothing_is_printed_of_empty_rings, start, end),
        cmocka_unit_test_setup_teardown(after_a_stop_nothing_is_logged, start, end),
    };
    return cmocka_run_group_tests_name("trace_print", tests, NULL, NULL);
}
