// SPDX-License-Identifier: MIT
// The slow path: counters with events, behind which they stand, what they say, and that nothing of
// it is lost uncounted; and events that are left out.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include <orrery/errors.h>
#include <trace/control.h>
#include <trace/counters.h>
#include <trace/events.h>
#include <trace/platform.h>
#include <trace/ring.h>
#include <trace/trace.h>

#include "host_platform.h"

#define TEST_BIT (1UL << TRACE_MAJOR_TEST)
#define OBJ_BIT (1UL << TRACE_MAJOR_OBJ)
#define COUNTERS_ID ((u32)TRACE_MAJOR_PMU << 16 | TRACE_PMU_COUNTERS)

static u64 reads;
static bool counting;

static bool read_counters(u64 values[TRACE_MAX_WORDS])
{
    if (!counting)
        return false;
    for (u32 i = 0; i < TRACE_MAX_WORDS; i++)
        values[i] = reads * 10 + i;
    reads++;
    return true;
}

static int start(void **state)
{
    (void)state;
    host_start(2, SYS_TRACE_DISCARD);
    reads = 0;
    counting = true;
    trace_set_mask(TEST_BIT | OBJ_BIT);
    return 0;
}

static int end(void **state)
{
    (void)state;
    trace_set_counters(0, NULL);
    host_end();
    return 0;
}

static u64 packet[TRACE_SUBBUFFER_SIZE / 8];

// The events of the next packet of CPU 0: how many; the first words are copied out.
static u32 read_events(u64 *words[], u32 max)
{
    const struct trace_packet *header = (const struct trace_packet *)packet;
    u32 count = 0;
    if (trace_read(0, true, packet, sizeof(packet)) <= 0)
        return 0;
    u64 *end = packet + TRACE_BE64(header->content_bits) / 64;
    for (u64 *at = packet + TRACE_PACKET_HEADER_SIZE / 8; at < end;
         at += trace_event_length(TRACE_BE64(*at))) {
        if (count < max)
            words[count] = at;
        count++;
    }
    assert_int_equal(count, TRACE_BE32(header->event_count));
    return count;
}

static u32 id(const u64 *event)
{
    return trace_event_id(TRACE_BE64(*event));
}

static void they_stand_behind_the_events_of_their_majors(void **state)
{
    u64 *events[8];
    (void)state;
    assert_int_equal(trace_set_counters(TEST_BIT, read_counters), 0);
    trace_test1(7);
    trace_obj_destroy(1);
    trace_test1(8);
    assert_int_equal(read_events(events, 8), 5);
    assert_int_equal(id(events[0]) >> 16, TRACE_MAJOR_TEST);
    assert_int_equal(id(events[1]), COUNTERS_ID);
    assert_int_equal(id(events[2]) >> 16, TRACE_MAJOR_OBJ);
    assert_int_equal(id(events[3]) >> 16, TRACE_MAJOR_TEST);
    assert_int_equal(id(events[4]), COUNTERS_ID);
    for (u32 i = 0; i < TRACE_MAX_WORDS; i++) {
        assert_int_equal(TRACE_BE64(events[1][1 + i]), i);
        assert_int_equal(TRACE_BE64(events[4][1 + i]), 10 + i);
    }
}

static void without_a_count_there_is_none(void **state)
{
    u64 *events[2];
    (void)state;
    trace_set_counters(TEST_BIT, read_counters);
    counting = false;
    trace_test1(7);
    assert_int_equal(read_events(events, 2), 1);
}

// The open packet goes on across both changes.
static void they_come_and_go_in_the_middle_of_a_packet(void **state)
{
    u64 *events[8];
    (void)state;
    trace_test1(1);
    trace_set_counters(TEST_BIT, read_counters);
    trace_test1(2);
    trace_set_counters(0, NULL);
    trace_test1(3);
    assert_int_equal(reads, 1);
    assert_int_equal(read_events(events, 8), 4);
    assert_int_equal(id(events[2]), COUNTERS_ID);
    assert_int_equal(TRACE_BE64(events[3][1]), 3);
}

static void what_finds_no_room_is_counted(void **state)
{
    struct sys_trace_stat stat;
    u64 emitted = 10000, found = 0, counters = 0;
    static u64 *events[TRACE_SUBBUFFER_SIZE / 8];
    (void)state;
    trace_set_counters(TEST_BIT, read_counters);
    for (u64 i = 0; i < emitted; i++)
        trace_test1(i);
    assert_int_equal(trace_stat(0, &stat), 0);
    for (u32 count; (count = read_events(events, TRACE_SUBBUFFER_SIZE / 8)) != 0;) {
        found += count;
        for (u32 i = 0; i < count; i++)
            counters += id(events[i]) == COUNTERS_ID;
    }
    assert_true(stat.discarded != 0);
    assert_int_equal(found, stat.events);
    // Each read of the counters was logged or discarded, each event too.
    assert_int_equal(stat.events + stat.discarded, emitted + reads);
    assert_true(counters == reads || counters + 1 == reads);
}

static void leave_out(bool on)
{
    trace_ring_leave_out(trace_platform_cpu(0), on);
}

static void what_is_left_out_counts_nowhere(void **state)
{
    u64 *events[8];
    struct sys_trace_stat stat;
    (void)state;
    trace_set_mask(TEST_BIT | 1UL << TRACE_MAJOR_TIMER | 1UL << TRACE_MAJOR_SCHED);
    trace_set_counters(TEST_BIT, read_counters);
    trace_timer_arm(1);
    leave_out(true);
    trace_timer_arm(2);
    trace_test1(7);
    trace_switch(1, 2, 3, 4, 5); // who runs is told all the same
    trace_set_counters(0, NULL); // this does not end it
    trace_timer_arm(3);
    leave_out(false);
    trace_timer_arm(4);
    trace_stat(0, &stat);
    assert_int_equal(stat.events, 3);
    assert_int_equal(stat.discarded, 0);
    assert_int_equal(read_events(events, 8), 3);
    assert_int_equal(TRACE_BE64(events[0][1]), 1);
    assert_int_equal(id(events[1]) >> 16, TRACE_MAJOR_SCHED);
    assert_int_equal(TRACE_BE64(events[2][1]), 4);
    assert_int_equal(reads, 0);
}

static void what_is_no_major_is_refused(void **state)
{
    (void)state;
    assert_int_equal(trace_set_counters(~TRACE_ALL_MAJORS, read_counters), E_INVAL);
    trace_test1(7);
    assert_int_equal(reads, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(they_stand_behind_the_events_of_their_majors, start, end),
        cmocka_unit_test_setup_teardown(without_a_count_there_is_none, start, end),
        cmocka_unit_test_setup_teardown(they_come_and_go_in_the_middle_of_a_packet, start, end),
        cmocka_unit_test_setup_teardown(what_finds_no_room_is_counted, start, end),
        cmocka_unit_test_setup_teardown(what_is_left_out_counts_nowhere, start, end),
        cmocka_unit_test_setup_teardown(what_is_no_major_is_refused, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
