// SPDX-License-Identifier: MIT
// The mask: which points it patches, what it enables, and the heartbeat.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include <orrery/errors.h>
#include <trace/control.h>
#include <trace/events.h>
#include <trace/ring.h>
#include <trace/trace.h>

#include "host_platform.h"

#define TEST_BIT (1UL << TRACE_MAJOR_TEST)
#define TRACE_BIT (1UL << TRACE_MAJOR_TRACE)

static int start(void **state)
{
    (void)state;
    host_start(4, SYS_TRACE_OVERWRITE);
    return 0;
}

static int end(void **state)
{
    (void)state;
    host_end();
    return 0;
}

static u64 events(void)
{
    struct sys_trace_stat stat;
    assert_int_equal(trace_stat(0, &stat), 0);
    return stat.events;
}

static void a_majors_points_are_patched_once_a_change(void **state)
{
    (void)state;
    assert_int_equal(trace_set_mask(TEST_BIT), 0);
    assert_int_equal(trace_set_mask(TEST_BIT), 0);
    assert_int_equal(host_points_on[0], 0);
    assert_int_equal(host_points_on[1], 1);
    assert_int_equal(host_points_on[2], 1);
    assert_int_equal(trace_set_mask(TRACE_BIT), 0);
    assert_int_equal(host_points_on[0], 1);
    assert_int_equal(host_points_off[1], 1);
    assert_int_equal(host_points_off[2], 1);
}

static void only_enabled_majors_log(void **state)
{
    (void)state;
    trace_test1(1);
    assert_int_equal(events(), 0);
    trace_set_mask(TEST_BIT);
    trace_test1(1);
    trace_obj_destroy(1);
    assert_int_equal(events(), 1);
    assert_true(trace_enabled(TRACE_MAJOR_TEST));
    assert_false(trace_enabled(TRACE_MAJOR_OBJ));
    trace_set_mask(0);
    trace_test1(1);
    assert_int_equal(events(), 1);
}

static void bits_of_no_major_are_refused(void **state)
{
    (void)state;
    trace_set_mask(TEST_BIT);
    assert_int_equal(trace_set_mask(TRACE_ALL_MAJORS | 1UL << 63), E_INVAL);
    assert_int_equal(trace_mask(), TEST_BIT);
}

static void each_cpu_has_a_heartbeat_while_anything_is_enabled(void **state)
{
    (void)state;
    trace_set_mask(TRACE_BIT | TEST_BIT);
    assert_true(host_heartbeat[0] && host_heartbeat[1]);
    u64 before = events();
    assert_int_equal(before, 1); // start
    trace_heartbeat_tick();
    assert_int_equal(events(), before + 1);
    trace_set_mask(0);
    assert_false(host_heartbeat[0] || host_heartbeat[1]);
}

static void without_the_major_the_heartbeat_adds_no_event(void **state)
{
    (void)state;
    struct sys_trace_stat stat;
    trace_set_mask(TEST_BIT);
    trace_test1(1);
    trace_heartbeat_tick();
    trace_heartbeat_tick();
    trace_test1(1);
    trace_stat(0, &stat);
    assert_int_equal(stat.events, 2);
    assert_int_equal(stat.packets, 2);
}

static void a_changed_mode_keeps_what_is_there(void **state)
{
    (void)state;
    struct sys_trace_stat before, stat;
    static u8 packet[TRACE_SUBBUFFER_SIZE];
    trace_set_mask(TEST_BIT);
    for (u32 i = 0; i < 10; i++)
        trace_test1(i);
    trace_stat(0, &before);
    assert_int_equal(trace_change_mode(SYS_TRACE_DISCARD), 0);
    trace_stat(0, &stat);
    assert_int_equal(stat.mode, SYS_TRACE_DISCARD);
    assert_int_equal(trace_change_mode(SYS_TRACE_OVERWRITE), 0);
    assert_int_equal(trace_change_mode(3), E_INVAL);
    trace_stat(0, &stat);
    assert_memory_equal(&stat, &before, sizeof(stat));
    assert_int_equal(trace_read(0, true, packet, sizeof(packet)),
                     TRACE_PACKET_HEADER_SIZE + 10 * 16);
    trace_set_mode(SYS_TRACE_OVERWRITE);
    trace_stat(0, &stat);
    assert_int_equal(stat.events, 0);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    struct sys_trace_stat stat;
    static u8 packet[TRACE_SUBBUFFER_SIZE];
    assert_int_equal(trace_stat(HOST_CPUS, &stat), E_INVAL);
    assert_int_equal(trace_set_mode(3), E_INVAL);
    assert_int_equal(trace_read(HOST_CPUS, true, packet, sizeof(packet)), E_INVAL);
    assert_int_equal(trace_read(0, true, packet, sizeof(packet) - 1), E_INVAL);
    assert_int_equal(trace_read(0, true, packet, sizeof(packet)), 0);
}

static void reading_without_memory_loses_nothing(void **state)
{
    (void)state;
    static u8 packet[TRACE_SUBBUFFER_SIZE];
    trace_set_mask(TEST_BIT);
    trace_test1(1);
    host_fail_after = 0;
    assert_int_equal(trace_read(0, true, packet, sizeof(packet)), E_NOMEM);
    host_fail_after = UINT64_MAX;
    assert_int_equal(trace_read(0, true, packet, sizeof(packet)), TRACE_PACKET_HEADER_SIZE + 16);
}

static void a_packet_ends_when_the_last_major_is_disabled(void **state)
{
    (void)state;
    trace_set_mask(TEST_BIT | TRACE_BIT);
    for (host_cpu = 0; host_cpu < HOST_CPUS; host_cpu++)
        trace_test1(1);
    host_cpu = 0;
    trace_set_mask(TEST_BIT);
    assert_int_equal(host_cpus[0].closed, 0);
    trace_set_mask(0);
    u64 off = host_time;
    host_time += 100 * HOST_HZ;
    for (u32 cpu = 0; cpu < HOST_CPUS; cpu++) {
        assert_int_equal(host_cpus[cpu].closed, 1);
        u64 ended = TRACE_BE64(trace_ring_packet(&host_cpus[cpu], 0)->timestamp_end);
        assert_true(ended != 0 && ended <= off);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_majors_points_are_patched_once_a_change, start, end),
        cmocka_unit_test_setup_teardown(only_enabled_majors_log, start, end),
        cmocka_unit_test_setup_teardown(bits_of_no_major_are_refused, start, end),
        cmocka_unit_test_setup_teardown(each_cpu_has_a_heartbeat_while_anything_is_enabled, start,
                                        end),
        cmocka_unit_test_setup_teardown(without_the_major_the_heartbeat_adds_no_event, start, end),
        cmocka_unit_test_setup_teardown(a_changed_mode_keeps_what_is_there, start, end),
        cmocka_unit_test_setup_teardown(bad_arguments_are_refused, start, end),
        cmocka_unit_test_setup_teardown(reading_without_memory_loses_nothing, start, end),
        cmocka_unit_test_setup_teardown(a_packet_ends_when_the_last_major_is_disabled, start, end),
    };
    return cmocka_run_group_tests_name("trace_mask", tests, NULL, NULL);
}
