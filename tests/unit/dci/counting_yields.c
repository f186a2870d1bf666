// SPDX-License-Identifier: MIT
// Counting that yields: it ends where another client would be refused for want of counters, at no
// other time, and its owner finds its last counts and the reason.
#include "watcher.h"

static request_t *count(bool yielding, u32 item_count)
{
    static Orrery__Dci__CountItem items[SYS_PMU_TRACED + 1], *pointers[SYS_PMU_TRACED + 1];
    static Orrery__Dci__CountStartRequest body;
    static u32 shares[] = {1};
    static request_t request;
    for (u32 i = 0; i < item_count; i++) {
        items[i] = (Orrery__Dci__CountItem)ORRERY__DCI__COUNT_ITEM__INIT;
        items[i].event = i;
        pointers[i] = &items[i];
    }
    body = (Orrery__Dci__CountStartRequest)ORRERY__DCI__COUNT_START_REQUEST__INIT;
    body.n_items = item_count;
    body.items = pointers;
    body.n_shares = 1;
    body.shares = shares;
    body.yielding = yielding;
    request = *REQUEST(COUNT_START, count_start, &body);
    return &request;
}

static request_t *trace(void)
{
    static Orrery__Dci__CountTraceRequest body = ORRERY__DCI__COUNT_TRACE_REQUEST__INIT;
    static request_t request;
    body.majors = 1;
    request = *REQUEST(COUNT_TRACE, count_trace, &body);
    return &request;
}

#define READ EMPTY(COUNT_READ, count_read, CountRead, COUNT_READ)
#define STOP EMPTY(COUNT_STOP, count_stop, CountStop, COUNT_STOP)

static struct peer *gateway, *other; // one that yields, and one that does not

static int two_connect(void **state)
{
    (void)state;
    machine.counting.alone = true;
    gateway = peer_connect_as(CONTROLLER_TOKEN);
    other = peer_connect_as(CONTROLLER_TOKEN);
    return 0;
}

static int two_leave(void **state)
{
    (void)state;
    peer_hang_up(gateway);
    peer_hang_up(other);
    machine.counting.alone = machine.counting.busy = machine.sampling_fails = false;
    return machine.counting.running != 0 || machine.sampling;
}

// What its first CPU's reading says; it must have counts on both.
static bool displaced(struct peer *peer)
{
    answer_t *answer = peer_answer(peer, READ);
    assert_int_equal(answer->response->error, 0);
    bool said = answer->response->count_read->displaced;
    answer_free(answer);
    answer_free(peer_next(peer));
    return said;
}

static void it_ends_for_one_that_samples(void **state)
{
    (void)state;
    assert_int_equal(peer_ask(gateway, count(true, 2)), 0);
    assert_false(displaced(gateway));
    assert_int_equal(peer_ask(other, sampling_request(false, 0)), 0);
    assert_int_equal(machine.counting.running, 0);
    assert_true(displaced(gateway));
    assert_int_equal(peer_ask(gateway, count(true, 2)), 0); // the machine has room, samples or not
    assert_false(displaced(gateway));
}

static void it_ends_for_one_that_counts(void **state)
{
    (void)state;
    assert_int_equal(peer_ask(gateway, count(true, 2)), 0);
    assert_int_equal(peer_ask(other, count(false, 2)), 0);
    assert_true(displaced(gateway));
    assert_false(displaced(other));
    assert_int_equal(peer_ask(gateway, count(true, 2)), E_BUSY);
}

static void it_ends_for_one_that_finds_no_place(void **state)
{
    (void)state;
    struct peer *others[SYS_PMU_SESSIONS - 1];
    machine.counting.alone = false;
    assert_int_equal(peer_ask(gateway, count(true, 2)), 0);
    for (u32 i = 0; i < ARRAY_SIZE(others); i++) {
        others[i] = peer_connect_as(CONTROLLER_TOKEN);
        assert_int_equal(peer_ask(others[i], count(false, 2)), 0);
    }
    assert_int_equal(peer_ask(other, count(true, 2)), E_BUSY);
    assert_false(displaced(gateway));
    u64 running = machine.counting.running;
    assert_int_equal(peer_ask(other, count(false, 2)), 0);
    assert_int_equal(__builtin_popcountl(machine.counting.running), __builtin_popcountl(running));
    for (u32 i = 0; i < ARRAY_SIZE(others); i++)
        peer_hang_up(others[i]);
}

// All places are taken, and the machine finds something else wrong.
static void it_stays_where_the_machine_refuses(void **state)
{
    (void)state;
    struct peer *others[SYS_PMU_SESSIONS - 1];
    machine.counting.alone = false;
    assert_int_equal(peer_ask(gateway, count(true, 2)), 0);
    for (u32 i = 0; i < ARRAY_SIZE(others); i++) {
        others[i] = peer_connect_as(CONTROLLER_TOKEN);
        assert_int_equal(peer_ask(others[i], count(false, 2)), 0);
    }
    request_t *refused = count(false, 2);
    refused->count_start->items[1]->event = MACHINE_CONFLICT;
    assert_int_equal(peer_ask(other, refused), E_LIMIT);
    assert_false(displaced(gateway));
    for (u32 i = 0; i < ARRAY_SIZE(others); i++)
        peer_hang_up(others[i]);
}

static void it_stays_where_there_is_room(void **state)
{
    (void)state;
    machine.counting.alone = false;
    assert_int_equal(peer_ask(gateway, count(true, 2)), 0);
    assert_int_equal(peer_ask(other, count(false, 2)), 0);
    assert_int_equal(peer_ask(other, sampling_request(false, 0)), 0);
    assert_false(displaced(gateway));
}

static void it_stays_where_a_request_is_wrong_or_yields_too(void **state)
{
    (void)state;
    assert_int_equal(peer_ask(gateway, count(true, 2)), 0);
    assert_int_equal(peer_ask(other, count(true, 2)), E_BUSY);
    assert_int_equal(peer_ask(other, sampling_request(true, 0)), E_BUSY);
    assert_int_equal(peer_ask(other, count(false, 0)), E_INVAL);
    machine.sampling_refused = "no counter";
    assert_int_equal(peer_ask(other, sampling_request(false, 0)), E_LIMIT);
    machine.sampling_refused = NULL;
    assert_false(displaced(gateway));
}

// Not for itself either: it knows that it counts.
static void its_own_sampling_does_not_end_it(void **state)
{
    (void)state;
    assert_int_equal(peer_ask(gateway, count(true, 2)), 0);
    assert_int_equal(peer_ask(gateway, sampling_request(false, 0)), E_BUSY);
    assert_false(displaced(gateway));
}

static void one_that_does_not_yield_is_not_ended(void **state)
{
    (void)state;
    assert_int_equal(peer_ask(gateway, count(false, 2)), 0);
    assert_int_equal(peer_ask(other, sampling_request(false, 0)), E_BUSY);
    assert_int_equal(peer_ask(other, count(false, 2)), E_BUSY);
    assert_false(displaced(gateway));
}

static void what_was_counted_until_then_can_be_fetched_by_a_stop(void **state)
{
    (void)state;
    assert_int_equal(peer_ask(gateway, count(true, 2)), 0);
    assert_int_equal(peer_ask(other, count(false, 2)), 0);
    answer_t *answer = peer_answer(gateway, STOP);
    assert_int_equal(answer->response->error, 0);
    assert_true(answer->response->count_stop->displaced);
    assert_int_equal(answer->response->count_stop->n_counts, 2);
    answer_free(answer);
    answer_free(peer_next(gateway));
    // A later session's end is its own.
    answer_free(peer_answer(other, STOP));
    answer_free(peer_next(other));
    assert_int_equal(peer_ask(gateway, count(true, 2)), 0);
    answer_free(peer_answer(gateway, STOP));
    answer_free(peer_next(gateway));
    assert_int_equal(peer_ask(gateway, STOP), E_NOENT);
}

static void a_trace_of_counters_gets_them_for_itself(void **state)
{
    (void)state;
    machine.counting.alone = false; // they take turns
    assert_int_equal(peer_ask(gateway, count(true, SYS_PMU_TRACED)), 0);
    u64 gateways = machine.counting.running;
    struct watcher sampler = watcher_connect(CONTROLLER_TOKEN, UINT64_MAX);
    assert_int_equal(watcher_ask(&sampler, sampling_request(true, 0)), 0);
    assert_int_equal(peer_ask(other, count(false, SYS_PMU_TRACED + 1)), 0);
    machine.counting.alone = true;
    assert_int_equal(peer_ask(other, trace()), E_LIMIT); // even so
    assert_int_equal(machine.counting.running & gateways, gateways);
    answer_free(peer_answer(other, STOP));
    answer_free(peer_next(other));
    machine.counting.alone = false;
    assert_int_equal(peer_ask(other, count(false, SYS_PMU_TRACED)), 0);
    machine.counting.alone = true;
    assert_int_equal(peer_ask(other, trace()), 0);
    assert_int_equal(machine.counting.traced, 1);
    assert_true(displaced(gateway));
    watcher_take(&sampler);
    assert_int_equal(sampler.reason, ORRERY__DCI__SHARING_END__SHARING_END_DISPLACED);
    watcher_leaves(&sampler);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, two_connect, two_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_ends_for_one_that_samples),
        TEST(it_ends_for_one_that_counts),
        TEST(it_ends_for_one_that_finds_no_place),
        TEST(it_stays_where_the_machine_refuses),
        TEST(it_stays_where_there_is_room),
        TEST(it_stays_where_a_request_is_wrong_or_yields_too),
        TEST(its_own_sampling_does_not_end_it),
        TEST(one_that_does_not_yield_is_not_ended),
        TEST(what_was_counted_until_then_can_be_fetched_by_a_stop),
        TEST(a_trace_of_counters_gets_them_for_itself),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
