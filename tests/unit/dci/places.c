// SPDX-License-Identifier: MIT
// Who has a place: clients by role, connections without one, and those that have sent their last.
#include "harness.h"

#include "bounds.h"

#include <string.h>

#define OUTSIDE 0x0a000202 // 10.0.2.2
#define INSIDE 0x7f000001

static answer_t *hello_of(struct peer *peer, const char *token)
{
    Orrery__Dci__HelloRequest hello = ORRERY__DCI__HELLO_REQUEST__INIT;
    hello.version = 2;
    hello.token = (char *)token;
    return peer_answer(peer, REQUEST(HELLO, hello, &hello));
}

static void ask_and_hang_up(struct peer *peer)
{
    assert_int_equal(peer_ask(peer, EMPTY(SYSTEM, system, System, SYSTEM)), 0);
    peer_hang_up(peer);
}

// ---- clients -----------------------------------------------------------------------------------

static void the_last_place_is_kept_for_a_controller(void **state)
{
    struct peer *peers[OBSERVERS_MAX];
    (void)state;
    for (u32 i = 0; i < OBSERVERS_MAX; i++)
        peers[i] = peer_connect_as(OBSERVER_TOKEN);
    time_pass(3000);
    struct peer *late = peer_connect(UINT64_MAX);
    answer_t *answer = hello_of(late, OBSERVER_TOKEN);
    const Orrery__Dci__Response *refusal = answer->response;
    assert_int_equal(refusal->error, E_LIMIT);
    assert_non_null(strstr(refusal->message, "15 observers"));
    assert_int_equal(refusal->n_served, OBSERVERS_MAX);
    assert_int_equal(refusal->served[3]->role, ORRERY__DCI__ROLE__ROLE_OBSERVER);
    assert_string_equal(refusal->served[3]->address, "10.0.2.2");
    assert_int_equal(refusal->served[3]->seconds, 3);
    answer_free(answer);
    assert_true(peer_closed(late));
    peer_hang_up(late);
    struct peer *controller = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *second = peer_connect(UINT64_MAX);
    answer = hello_of(second, CONTROLLER_TOKEN);
    assert_int_equal(answer->response->error, E_LIMIT);
    assert_non_null(strstr(answer->response->message, "16 clients"));
    assert_int_equal(answer->response->n_served, CLIENTS_MAX);
    answer_free(answer);
    peer_hang_up(second);
    peer_hang_up(peers[5]);
    peers[5] = peer_connect_as(CONTROLLER_TOKEN); // controllers may take any place
    ask_and_hang_up(controller);
    for (u32 i = 0; i < OBSERVERS_MAX; i++)
        ask_and_hang_up(peers[i]);
}

static void who_has_a_place_may_get_a_higher_role(void **state)
{
    struct peer *peers[OBSERVERS_MAX];
    (void)state;
    for (u32 i = 0; i < OBSERVERS_MAX; i++)
        peers[i] = peer_connect_as(OBSERVER_TOKEN);
    answer_t *answer = hello_of(peers[0], CONTROLLER_TOKEN);
    assert_int_equal(answer->response->error, 0);
    assert_int_equal(answer->response->hello->role, ORRERY__DCI__ROLE__ROLE_CONTROLLER);
    answer_free(answer);
    for (u32 i = 0; i < OBSERVERS_MAX; i++)
        ask_and_hang_up(peers[i]);
}

// ---- connections without a role ----------------------------------------------------------------

static void mute_connections_lock_nobody_out(void **state)
{
    struct peer *mute[2 * STRANGERS_MAX];
    (void)state;
    for (u32 i = 0; i < 2 * STRANGERS_MAX; i++) {
        mute[i] = peer_connect(UINT64_MAX);
        ask_and_hang_up(peer_connect_as(OBSERVER_TOKEN));
        time_pass(1);
    }
    for (u32 i = 0; i < STRANGERS_MAX; i++) { // the oldest have given way, and were told
        answer_t *answer = peer_next(mute[i]);
        assert_non_null(answer);
        assert_int_equal(answer->response->id, 0);
        assert_int_equal(answer->response->error, E_LIMIT);
        assert_int_equal(answer->response->n_served, 0); // strangers learn nothing
        answer_free(answer);
        assert_true(peer_closed(mute[i]));
    }
    answer_t *answer = hello_of(mute[2 * STRANGERS_MAX - 1], OBSERVER_TOKEN);
    assert_int_equal(answer->response->error, 0);
    answer_free(answer);
    for (u32 i = 0; i < 2 * STRANGERS_MAX; i++)
        peer_hang_up(mute[i]);
}

static void an_address_with_many_connections_gives_way_first(void **state)
{
    struct peer *inside[STRANGERS_MAX], *outside[4];
    (void)state;
    for (u32 i = 0; i < 4; i++)
        outside[i] = peer_connect(UINT64_MAX);
    peers_come_from(INSIDE);
    for (u32 i = 0; i < STRANGERS_MAX; i++) {
        inside[i] = peer_connect(UINT64_MAX);
        time_pass(1);
    }
    peers_come_from(OUTSIDE);
    for (u32 i = 0; i < 4; i++) {
        assert_false(peer_closed(outside[i]));
        assert_true(peer_closed(inside[i]));
    }
    assert_false(peer_closed(inside[4]));
    for (u32 i = 0; i < 4; i++)
        peer_hang_up(outside[i]);
    for (u32 i = 0; i < STRANGERS_MAX; i++)
        peer_hang_up(inside[i]);
}

// ---- those that have sent their last ------------------------------------------------------------

static u32 take_answers(struct peer *peer)
{
    answer_t *answer;
    u32 count = 0;
    while ((answer = peer_next(peer)) != NULL) {
        count += answer->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE &&
                 !answer->response->more;
        answer_free(answer);
    }
    return count;
}

static void who_half_closes_gets_all_answers_and_then_the_end(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    for (u32 i = 0; i < 5; i++)
        peer_request(peer, EMPTY(SYSTEM, system, System, SYSTEM));
    peer_finish(peer);
    u32 answers = take_answers(peer);
    for (u32 i = 0; i < 20 && !peer_closed(peer); i++) {
        time_pass(FINISHED_PAUSE_MS);
        answers += take_answers(peer);
    }
    assert_int_equal(answers, 5);
    assert_true(peer_closed(peer));
    assert_false(peer_aborted(peer));
    peer_hang_up(peer);
}

// What it subscribed to ends with its last answer.
static void who_half_closes_gets_nothing_that_comes_by_itself(void **state)
{
    Orrery__Dci__ConsoleAttachRequest attach = ORRERY__DCI__CONSOLE_ATTACH_REQUEST__INIT;
    (void)state;
    strcpy(machine.printed, "something\n");
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(peer_ask(peer, REQUEST(CONSOLE_ATTACH, console_attach, &attach)), 0);
    peer_finish(peer);
    assert_true(peer_closed(peer));
    peer_hang_up(peer);
}

// Nothing waits in the network, where its end could not be seen behind it.
static void who_sends_too_many_requests_is_closed(void **state)
{
    (void)state;
    machine.objects = 50000;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    for (u32 i = 0; i < WAITING_BYTES_MAX / 8 + 1000 && !peer_closed(peer); i++)
        peer_request(peer, EMPTY(OBJECTS, objects, Objects, OBJECTS));
    time_pass(1);
    assert_true(peer_closed(peer) || peer_aborted(peer));
    peer_hang_up(peer);
    machine.objects = 0;
}

// Its requests wait, as it reads nothing; then it is gone, and they with it.
static void requests_of_who_has_gone_are_not_carried_out(void **state)
{
    (void)state;
    machine.objects = 50000;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    peer_hang_up(peer);
    peer = peer_connect(100000);
    Orrery__Dci__HelloRequest hello = ORRERY__DCI__HELLO_REQUEST__INIT;
    hello.version = 2;
    hello.token = (char *)CONTROLLER_TOKEN;
    peer_request(peer, REQUEST(HELLO, hello, &hello));
    for (u32 i = 0; i < 100; i++)
        peer_request(peer, EMPTY(OBJECTS, objects, Objects, OBJECTS));
    Orrery__Dci__DrefEnableRequest enable = ORRERY__DCI__DREF_ENABLE_REQUEST__INIT;
    enable.on = true;
    peer_request(peer, REQUEST(DREF_ENABLE, dref_enable, &enable));
    peer_finish(peer);
    time_pass(1000);
    assert_int_equal(machine.dref_users, 0);
    assert_false(peer_closed(peer) || peer_aborted(peer)); // it may still be reading
    time_pass((IDLE_SECONDS + 1) * 1000);
    assert_true(peer_aborted(peer));
    assert_int_equal(machine.dref_users, 0);
    peer_hang_up(peer);
    machine.objects = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_place_is_kept_for_a_controller),
        cmocka_unit_test(who_has_a_place_may_get_a_higher_role),
        cmocka_unit_test(mute_connections_lock_nobody_out),
        cmocka_unit_test(an_address_with_many_connections_gives_way_first),
        cmocka_unit_test(who_half_closes_gets_all_answers_and_then_the_end),
        cmocka_unit_test(who_half_closes_gets_nothing_that_comes_by_itself),
        cmocka_unit_test(who_sends_too_many_requests_is_closed),
        cmocka_unit_test(requests_of_who_has_gone_are_not_carried_out),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
