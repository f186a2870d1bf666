// SPDX-License-Identifier: MIT
// Trace packets are checked before they are believed.
#include "unit.h"

#include "trace/packet.h"

#include <string.h>
#include <trace/layout.h>

#define EVENTS 5

static void make_packet(u8 data[1024])
{
    struct trace_packet header = {
        .magic = TRACE_BE32(TRACE_PACKET_MAGIC),
        .content_bits = TRACE_BE64(8 * (sizeof(header) + EVENTS * sizeof(u64))),
        .packet_bits = TRACE_BE64(8 * 1024),
        .packet_seq_num = TRACE_BE32(7),
        .event_count = TRACE_BE32(EVENTS),
        .cpu_id = TRACE_BE32(3),
    };
    memset(data, 0, 1024);
    memcpy(data, &header, sizeof(header));
}

static void a_good_packet_tells_its_number_and_events(void **state)
{
    (void)state;
    u8 data[1024];
    u64 events = 0, sequence = 0;
    make_packet(data);
    assert_null(packet_check(data, sizeof(data), 0, 3, &events, &sequence));
    assert_int_equal(events, EVENTS);
    assert_int_equal(sequence, 7);
}

static void packets_that_contradict_themselves_are_refused(void **state)
{
    (void)state;
    u8 data[1024];
    u64 events, sequence;
    make_packet(data);
    assert_non_null(packet_check(data, sizeof(data), 0, 2, &events, &sequence));
    assert_non_null(packet_check(data, 512, 0, 3, &events, &sequence));
    assert_non_null(packet_check(data, 10, 0, 3, &events, &sequence));
    data[0] ^= 1;
    assert_non_null(packet_check(data, sizeof(data), 0, 3, &events, &sequence));
}

static void a_packet_never_claims_more_than_it_can_hold(void **state)
{
    (void)state;
    u64 seed = 3;
    for (u64 round = 0; round < unit_fuzz_rounds(100000); round++) {
        u8 data[1024];
        u64 events = 0, sequence;
        make_packet(data);
        for (u64 changes = 1 + unit_random(&seed) % 4; changes > 0; changes--)
            data[unit_random(&seed) % sizeof(struct trace_packet)] = (u8)unit_random(&seed);
        if (packet_check(data, sizeof(data), 0, 3, &events, &sequence) == NULL)
            assert_true(events * sizeof(u64) <= sizeof(data) - sizeof(struct trace_packet));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_packet_tells_its_number_and_events),
        cmocka_unit_test(packets_that_contradict_themselves_are_refused),
        cmocka_unit_test(a_packet_never_claims_more_than_it_can_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
