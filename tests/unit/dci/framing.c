// SPDX-License-Identifier: MIT
// Frames: cut anywhere, too long, empty, no request at all; and too many clients.
#include "harness.h"

#include "queue.h"

#include <string.h>

static s64 last_words(struct peer *peer)
{
    server_settle();
    answer_t *answer = peer_next(peer);
    assert_non_null(answer);
    assert_int_equal(answer->response->id, 0);
    s64 error = answer->response->error;
    assert_true(strlen(answer->response->message) > 0);
    answer_free(answer);
    return error;
}

static void check_ends(const void *bytes, u64 count, s64 error)
{
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    struct peer *other = peer_connect_as(OBSERVER_TOKEN);
    peer_send(peer, bytes, count);
    assert_int_equal(last_words(peer), error);
    assert_true(peer_closed(peer));
    assert_int_equal(peer_ask(other, EMPTY(SYSTEM, system, System, SYSTEM)), 0);
    peer_hang_up(peer);
    peer_hang_up(other);
}

static void an_empty_frame_ends_the_connection(void **state)
{
    (void)state;
    check_ends("\0\0\0\0", 4, E_PROTO);
}

static void a_frame_longer_than_requests_ends_the_connection(void **state)
{
    (void)state;
    check_ends("\0\0\x22\1", 4, E_LIMIT);
    check_ends("\xff\xff\xff\xff", 4, E_LIMIT);
    check_ends("GET / HTTP/1.1\r\n\r\n", 18, E_LIMIT);
}

static void bytes_that_are_no_request_end_the_connection(void **state)
{
    (void)state;
    check_ends("\0\0\0\5\xff\xff\xff\xff\xff", 9, E_PROTO);
    check_ends("\0\0\0\3\x12\x7f\x08", 7, E_PROTO); // a hello longer than its frame
    check_ends("\0\0\0\2\x1a\0", 6, E_PROTO);       // a request without an id
}

static void a_token_that_is_too_long_ends_the_connection(void **state)
{
    u8 bytes[4 + 2 + 2 + 67] = {0, 0, 0, 71, 0x08, 1, 0x12, 67, 0x12, 65};
    (void)state;
    memset(bytes + 10, 'x', 65);
    check_ends(bytes, sizeof(bytes), E_PROTO);
}

static void an_unknown_request_is_answered_and_the_connection_goes_on(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    peer_send(peer, "\0\0\0\5\x08\x07\xf2\x3f\0", 9); // field 1022
    server_settle();
    answer_t *answer = peer_next(peer);
    assert_int_equal(answer->response->id, 7);
    assert_int_equal(answer->response->error, E_NOTSUP);
    answer_free(answer);
    assert_int_equal(peer_ask(peer, EMPTY(SYSTEM, system, System, SYSTEM)), 0);
    peer_hang_up(peer);
}

static void a_request_may_come_byte_by_byte(void **state)
{
    static const u8 bytes[] = {0, 0, 0, 4, 0x08, 0x09, 0x1a, 0}; // system
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    for (u32 i = 0; i < sizeof(bytes); i++) {
        assert_null(peer_next(peer));
        peer_send(peer, bytes + i, 1);
        server_settle();
    }
    answer_t *answer = peer_next(peer);
    assert_int_equal(answer->response->id, 9);
    assert_non_null(answer->response->system);
    answer_free(answer);
    peer_hang_up(peer);
}

static void many_requests_at_once_are_answered_in_order(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    for (u32 i = 1; i <= 1000; i++) {
        request_t *request = EMPTY(SYSTEM, system, System, SYSTEM);
        request->id = i;
        peer_request(peer, request);
    }
    server_settle();
    for (u32 i = 1; i <= 1000; i++) {
        answer_t *answer = peer_next(peer);
        assert_non_null(answer);
        assert_int_equal(answer->response->id, i);
        answer_free(answer);
    }
    assert_null(peer_next(peer));
    peer_hang_up(peer);
}

static void short_memory_delays_an_answer_and_loses_none(void **state)
{
    (void)state;
    struct peer *peer = peer_connect(UINT64_MAX);
    assert_int_equal(machine_blocks(), 0); // as the first test: no spare blocks yet
    machine.memory_short = true;
    peer_request(peer, EMPTY(SYSTEM, system, System, SYSTEM));
    server_settle();
    assert_null(peer_next(peer));
    machine.memory_short = false;
    time_pass(600);
    answer_t *answer = peer_next(peer);
    assert_non_null(answer);
    assert_int_equal(answer->response->error, E_PERM);
    answer_free(answer);
    peer_hang_up(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_memory_delays_an_answer_and_loses_none),
        cmocka_unit_test(an_empty_frame_ends_the_connection),
        cmocka_unit_test(a_frame_longer_than_requests_ends_the_connection),
        cmocka_unit_test(bytes_that_are_no_request_end_the_connection),
        cmocka_unit_test(a_token_that_is_too_long_ends_the_connection),
        cmocka_unit_test(an_unknown_request_is_answered_and_the_connection_goes_on),
        cmocka_unit_test(a_request_may_come_byte_by_byte),
        cmocka_unit_test(many_requests_at_once_are_answered_in_order),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
