// SPDX-License-Identifier: MIT
// The tests, in the order in which they run.
#ifndef TEST_IPC_TESTS_H
#define TEST_IPC_TESTS_H

#define TESTS(X)                                                                                   \
    X(an_echo_returns_what_was_sent)                                                               \
    X(a_process_can_call_itself)                                                                   \
    X(a_chain_of_calls_comes_back)                                                                 \
    X(bad_calls_get_an_error_at_once)                                                              \
    X(forged_call_ids_answer_nothing)                                                              \
    X(a_call_id_is_good_for_its_server_only)                                                       \
    X(capabilities_go_along_both_ways)                                                             \
    X(capabilities_do_not_leak)                                                                    \
    X(a_server_that_exits_in_a_call_gives_e_peer)                                                  \
    X(waiting_callers_of_a_killed_server_get_e_peer)                                               \
    X(a_closed_endpoint_gives_e_peer)                                                              \
    X(servers_may_die_at_any_moment)                                                               \
    X(clients_may_die_at_any_moment)                                                               \
    X(answers_to_dead_clients_are_refused)                                                         \
    X(calls_reach_servers_on_every_cpu)                                                            \
    X(a_moved_server_answers)                                                                      \
    X(a_server_on_each_cpu_serves_there)                                                           \
    X(a_slow_server_stops_one_thread_only)                                                         \
    X(messages_arrive_up_to_the_limit)                                                             \
    X(messages_from_all_cpus_arrive)                                                               \
    X(many_calls_wait_at_once)                                                                     \
    X(random_calls_of_many_threads)                                                                \
    X(an_endpoint_is_found_by_its_capability)                                                      \
    X(nothing_is_left_behind)

#define TEST_DECLARE(name) void name(void);
TESTS(TEST_DECLARE)
#undef TEST_DECLARE

#endif
