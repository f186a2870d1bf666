// SPDX-License-Identifier: MIT
// Hello, tokens and roles.
#include "harness.h"

#include <string.h>

static s64 hello(struct peer *peer, u32 version, const char *token, Orrery__Dci__Role *role)
{
    Orrery__Dci__HelloRequest body = ORRERY__DCI__HELLO_REQUEST__INIT;
    body.version = version;
    body.token = (char *)token;
    answer_t *answer = peer_answer(peer, REQUEST(HELLO, hello, &body));
    s64 error = answer->response->error;
    if (error == 0)
        *role = answer->response->hello->role;
    answer_free(answer);
    return error;
}

static void without_a_token_hello_is_all_one_gets(void **state)
{
    (void)state;
    struct peer *peer = peer_connect(UINT64_MAX);
    Orrery__Dci__HelloRequest body = ORRERY__DCI__HELLO_REQUEST__INIT;
    body.version = 2;
    answer_t *answer = peer_answer(peer, REQUEST(HELLO, hello, &body));
    assert_int_equal(answer->response->hello->role, ORRERY__DCI__ROLE__ROLE_NONE);
    assert_int_equal(answer->response->hello->limits->clients, 16);
    assert_null(answer->response->hello->system);
    answer_free(answer);
    assert_int_equal(peer_ask(peer, EMPTY(SYSTEM, system, System, SYSTEM)), E_PERM);
    assert_int_equal(peer_ask(peer, EMPTY(OBJECTS, objects, Objects, OBJECTS)), E_PERM);
    peer_hang_up(peer);
}

static void an_observer_reads_and_changes_nothing(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    answer_t *answer = peer_answer(peer, EMPTY(SYSTEM, system, System, SYSTEM));
    assert_int_equal(answer->response->system->cpu_count, MACHINE_CPUS);
    assert_int_equal(answer->response->system->build_id.len, 20);
    assert_string_equal(answer->response->system->version, "made up");
    answer_free(answer);
    Orrery__Dci__DrefEnableRequest on = ORRERY__DCI__DREF_ENABLE_REQUEST__INIT;
    on.on = true;
    assert_int_equal(peer_ask(peer, REQUEST(DREF_ENABLE, dref_enable, &on)), E_PERM);
    assert_int_equal(
        peer_ask(peer, EMPTY(TRACE_SUBSCRIBE, trace_subscribe, TraceSubscribe, TRACE_SUBSCRIBE)),
        E_PERM);
    assert_int_equal(peer_ask(peer, EMPTY(TRACE_SET, trace_set, TraceSet, TRACE_SET)), E_PERM);
    assert_int_equal(peer_ask(peer, EMPTY(POWER_OFF, power_off, PowerOff, POWER_OFF)), E_PERM);
    assert_int_equal(machine.dref_users, 0);
    assert_int_equal(machine.modes_set, 0);
    assert_false(machine.powered_off);
    peer_hang_up(peer);
}

static void a_later_hello_raises_a_role_and_never_lowers_it(void **state)
{
    Orrery__Dci__Role role;
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(hello(peer, 2, CONTROLLER_TOKEN, &role), 0);
    assert_int_equal(role, ORRERY__DCI__ROLE__ROLE_CONTROLLER);
    assert_int_equal(hello(peer, 2, OBSERVER_TOKEN, &role), 0);
    assert_int_equal(role, ORRERY__DCI__ROLE__ROLE_CONTROLLER);
    peer_hang_up(peer);
}

static void the_third_wrong_token_ends_the_connection(void **state)
{
    static const char *const wrong[] = {"loo", "looks", "LOOK"};
    Orrery__Dci__Role role;
    (void)state;
    struct peer *peer = peer_connect(UINT64_MAX);
    for (u32 i = 0; i < 3; i++) {
        assert_false(peer_closed(peer));
        assert_int_equal(hello(peer, 2, wrong[i], &role), E_PERM);
    }
    assert_true(peer_closed(peer));
    peer_hang_up(peer);
}

static void another_version_is_refused_and_closed(void **state)
{
    Orrery__Dci__Role role;
    (void)state;
    struct peer *peer = peer_connect(UINT64_MAX);
    assert_int_equal(hello(peer, 1, CONTROLLER_TOKEN, &role), E_NOTSUP);
    assert_true(peer_closed(peer));
    peer_hang_up(peer);
}

static void who_gets_no_role_in_time_is_closed(void **state)
{
    (void)state;
    struct peer *silent = peer_connect(UINT64_MAX);
    struct peer *known = peer_connect_as(OBSERVER_TOKEN);
    time_pass(4900);
    assert_false(peer_closed(silent));
    time_pass(200);
    time_pass(1);
    assert_true(peer_closed(silent));
    answer_t *answer = peer_next(silent);
    assert_int_equal(answer->response->error, E_TIMEOUT);
    answer_free(answer);
    assert_false(peer_closed(known));
    peer_hang_up(silent);
    peer_hang_up(known);
}

static void server_stat_counts_what_was_refused(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    answer_t *answer = peer_answer(peer, EMPTY(SERVER_STAT, server_stat, ServerStat, SERVER_STAT));
    Orrery__Dci__ServerStat *stat = answer->response->server_stat;
    assert_int_equal(stat->denied, 2 + 4 + 3); // as the tests before have done
    assert_int_equal(stat->timed_out, 1);
    assert_int_equal(stat->network->received_frames, 5);
    assert_int_equal(stat->n_clients, 1);
    assert_true(stat->clients[0]->self);
    assert_int_equal(stat->clients[0]->requests, 2);
    answer_free(answer);
    peer_hang_up(peer);
}

static void power_off_is_answered_first(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(peer_ask(peer, EMPTY(POWER_OFF, power_off, PowerOff, POWER_OFF)), 0);
    assert_false(machine.powered_off);
    machine.time += 100000;
    server_round();
    assert_true(machine.powered_off);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_token_hello_is_all_one_gets),
        cmocka_unit_test(an_observer_reads_and_changes_nothing),
        cmocka_unit_test(a_later_hello_raises_a_role_and_never_lowers_it),
        cmocka_unit_test(the_third_wrong_token_ends_the_connection),
        cmocka_unit_test(another_version_is_refused_and_closed),
        cmocka_unit_test(who_gets_no_role_in_time_is_closed),
        cmocka_unit_test(server_stat_counts_what_was_refused),
        cmocka_unit_test(power_off_is_answered_first), // the last one: the machine is off
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
