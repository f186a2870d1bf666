// SPDX-License-Identifier: MIT
// Counting: what is asked for reaches the machine as it was meant, wrong requests start nothing,
// counts come back as they are, and the session ends with its owner.
#include "harness.h"

#include "bounds.h"

#include <math.h>
#include <string.h>

typedef Orrery__Dci__CountItem item_t;

#define ITEMS 64

static item_t items[ITEMS + 1];
static u32 shares[SYS_PMU_SETS + 1];
static Orrery__Dci__CountStartRequest body;

// A request for so many items, in sets by turns, of all CPUs.
static request_t *start_request(u32 item_count, u32 set_count)
{
    static item_t *pointers[ITEMS + 1];
    static request_t request;
    for (u32 i = 0; i < item_count; i++) {
        items[i] = (item_t)ORRERY__DCI__COUNT_ITEM__INIT;
        items[i].event = i % 30;
        items[i].mode = i % 3;
        items[i].set = set_count == 0 ? 0 : i % set_count;
        pointers[i] = &items[i];
    }
    for (u32 i = 0; i < set_count; i++)
        shares[i] = i + 1;
    body = (Orrery__Dci__CountStartRequest)ORRERY__DCI__COUNT_START_REQUEST__INIT;
    body.items = pointers;
    body.n_items = item_count;
    body.shares = shares;
    body.n_shares = set_count;
    body.slice_event = 2;
    request = *REQUEST(COUNT_START, count_start, &body);
    return &request;
}

static void events_are_listed(void **state)
{
    (void)state;
    machine.counting.events = 40;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    answer_t *answer = peer_answer(peer, EMPTY(PMU_EVENTS, pmu_events, PmuEvents, PMU_EVENTS));
    assert_int_equal(answer->response->error, 0);
    assert_int_equal(answer->response->pmu_events->n_events, 40);
    Orrery__Dci__PmuEventInfo *event = answer->response->pmu_events->events[39];
    assert_int_equal(event->event, 42);
    assert_string_equal(event->name, "event-39");
    assert_string_equal(event->unit, "model");
    assert_int_equal(strlen(event->meaning), 95);
    assert_true(event->modelled);
    assert_int_equal(event->counters, UINT64_MAX);
    answer_free(answer);
    peer_hang_up(peer);
}

static void a_machine_without_events_has_an_empty_list(void **state)
{
    (void)state;
    machine.counting.events = 0;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    answer_t *answer = peer_answer(peer, EMPTY(PMU_EVENTS, pmu_events, PmuEvents, PMU_EVENTS));
    assert_int_equal(answer->response->error, 0);
    assert_int_equal(answer->response->pmu_events->n_events, 0);
    answer_free(answer);
    peer_hang_up(peer);
}

static void a_request_reaches_the_machine_as_it_was_meant(void **state)
{
    static const u32 filters[] = {SYS_PMU_KERNEL | SYS_PMU_USER, SYS_PMU_KERNEL, SYS_PMU_USER};
    const struct sys_pmu_counting *asked = &machine.counting.asked;
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    request_t *request = start_request(ITEMS, SYS_PMU_SETS);
    body.cpu_mask = 2;
    body.slice = 1000000000;
    answer_t *answer = peer_answer(peer, request);
    assert_int_equal(answer->response->error, 0);
    assert_int_equal(answer->response->count_start->session, machine.counting.session);
    assert_int_equal(answer->response->count_start->time, machine.time);
    answer_free(answer);
    assert_int_equal(asked->item_count, ITEMS);
    assert_int_equal(asked->set_count, SYS_PMU_SETS);
    assert_int_equal(asked->cpu_mask, 2);
    assert_int_equal(asked->slice_event, 2);
    assert_int_equal(asked->slice, 1000000000);
    for (u32 i = 0; i < ITEMS; i++) {
        assert_int_equal(asked->items[i].event, i % 30);
        assert_int_equal(asked->items[i].filter, filters[i % 3]);
        assert_int_equal(asked->items[i].set, i % SYS_PMU_SETS);
    }
    for (u32 i = 0; i < SYS_PMU_SETS; i++)
        assert_int_equal(asked->shares[i], i + 1);
    peer_hang_up(peer);
}

static void wrong_requests_start_nothing(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(peer_ask(peer, start_request(0, 1)), E_INVAL);
    assert_int_equal(peer_ask(peer, start_request(1, 0)), E_INVAL);
    request_t *request = start_request(4, 2);
    items[3].set = 2;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    request = start_request(4, 2);
    items[3].mode = 3;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    request = start_request(4, 2);
    shares[1] = 0;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    request = start_request(4, 2);
    shares[1] = 1001;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    request = start_request(4, 2);
    body.cpu_mask = 1u << MACHINE_CPUS;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    request = start_request(4, 2);
    body.slice = 9999;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    request = start_request(4, 2);
    body.flags = 4;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    assert_false(machine.counting.running);
    peer_hang_up(peer);
}

// The decoder refuses them: no array of the server has room for more.
static void more_items_than_there_may_be_end_the_connection(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    peer_request(peer, start_request(ITEMS + 1, 1));
    server_settle();
    answer_t *answer = peer_next(peer);
    assert_non_null(answer);
    assert_int_equal(answer->response->id, 0);
    assert_int_equal(answer->response->error, E_PROTO);
    answer_free(answer);
    assert_true(peer_closed(peer));
    peer_hang_up(peer);
    assert_false(machine.counting.running);
}

static void a_conflict_is_told_in_the_machines_words(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    request_t *request = start_request(3, 1);
    items[2].event = MACHINE_CONFLICT;
    answer_t *answer = peer_answer(peer, request);
    assert_int_equal(answer->response->error, E_LIMIT);
    assert_string_equal(answer->response->message, "item 2 has no place");
    answer_free(answer);
    machine.counting.busy = true;
    answer = peer_answer(peer, start_request(3, 1));
    assert_int_equal(answer->response->error, E_BUSY);
    assert_string_equal(answer->response->message, "in use");
    answer_free(answer);
    machine.counting.busy = false;
    peer_hang_up(peer);
}

static void check_count(const Orrery__Dci__Count *count, const struct sys_pmu_count *expected)
{
    assert_int_equal(count->counted, expected->count);
    assert_int_equal(count->measured, expected->measured);
    assert_int_equal(count->total, expected->total);
    assert_int_equal(count->slices, expected->slices);
    assert_int_equal(count->time_squares, expected->time_squares.low);
    assert_int_equal(count->time_squares_high, expected->time_squares.high);
    assert_int_equal(count->count_squares, expected->count_squares.low);
    assert_int_equal(count->count_squares_high, expected->count_squares.high);
    assert_int_equal(count->products, expected->products.low);
    assert_int_equal(count->products_high, expected->products.high);
}

static void check_cpu(const Orrery__Dci__CountReply *reply, u32 cpu, u32 count)
{
    assert_int_equal(reply->session, machine.counting.session);
    assert_int_equal(reply->cpu, cpu);
    assert_int_equal(reply->time, machine.time);
    assert_int_equal(reply->n_counts, count);
    for (u32 i = 0; i < count; i++) {
        struct sys_pmu_count expected = machine_count(cpu, i);
        check_count(reply->counts[i], &expected);
        double scaled = (double)expected.count * 100 / (double)expected.measured;
        assert_true(i == 1 ? reply->counts[i]->count == UINT64_MAX
                           : fabs((double)reply->counts[i]->count - scaled) <= 0.5);
        assert_int_equal(reply->counts[i]->error, UINT64_MAX);
    }
}

static void counts_come_by_cpu_while_they_run_and_after(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *observer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(peer_ask(peer, start_request(5, 1)), 0);
    answer_t *answer = peer_answer(observer, EMPTY(COUNT_READ, count_read, CountRead, COUNT_READ));
    check_cpu(answer->response->count_read, 0, 5);
    assert_true(answer->response->more);
    answer_free(answer);
    answer = peer_next(observer);
    check_cpu(answer->response->count_read, 1, 5);
    assert_false(answer->response->more);
    answer_free(answer);
    assert_true(machine.counting.running);

    answer = peer_answer(peer, EMPTY(COUNT_STOP, count_stop, CountStop, COUNT_STOP));
    check_cpu(answer->response->count_stop, 0, 5);
    answer_free(answer);
    answer_free(peer_next(peer));
    assert_false(machine.counting.running);
    assert_int_equal(peer_ask(peer, EMPTY(COUNT_READ, count_read, CountRead, COUNT_READ)), 0);
    answer_free(peer_next(peer));
    assert_int_equal(peer_ask(peer, EMPTY(COUNT_STOP, count_stop, CountStop, COUNT_STOP)), E_NOENT);
    peer_hang_up(peer);
    peer_hang_up(observer);
}

static void only_the_cpus_that_count_are_told_of(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    request_t *request = start_request(2, 1);
    body.cpu_mask = 2;
    assert_int_equal(peer_ask(peer, request), 0);
    answer_t *answer = peer_answer(peer, EMPTY(COUNT_READ, count_read, CountRead, COUNT_READ));
    check_cpu(answer->response->count_read, 1, 2);
    assert_false(answer->response->more);
    answer_free(answer);
    peer_hang_up(peer);
}

// Counts of a session by its number, as asked for by anybody.
static u64 session_read(struct peer *peer, u64 number, s32 *error)
{
    Orrery__Dci__CountReadRequest read = ORRERY__DCI__COUNT_READ_REQUEST__INIT;
    read.session = number;
    answer_t *answer = peer_answer(peer, REQUEST(COUNT_READ, count_read, &read));
    *error = answer->response->error;
    u64 session = *error == 0 ? answer->response->count_read->session : 0;
    bool more = answer->response->more;
    answer_free(answer);
    if (more)
        answer_free(peer_next(peer));
    return session;
}

static void each_client_has_a_session_which_ends_with_it(void **state)
{
    (void)state;
    s32 error;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *other = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *observer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(peer_ask(peer, start_request(1, 1)), 0);
    assert_int_equal(peer_ask(other, EMPTY(COUNT_STOP, count_stop, CountStop, COUNT_STOP)),
                     E_NOENT);
    u64 first = (u64)machine.counting.session;
    assert_int_equal(peer_ask(other, start_request(1, 1)), 0);
    assert_int_equal(peer_ask(other, start_request(1, 1)), E_BUSY);
    u64 second = (u64)machine.counting.session;
    assert_int_equal(machine.counting.running, 1u << first | 1u << second);
    assert_int_equal(session_read(peer, 0, &error), first);
    assert_int_equal(session_read(other, 0, &error), second);
    assert_int_equal(session_read(observer, 0, &error), second);
    assert_int_equal(session_read(observer, first, &error), first);
    session_read(observer, second + 1, &error);
    assert_int_equal(error, E_STALE);
    session_read(observer, UINT64_MAX, &error);
    assert_int_equal(error, E_STALE);
    // Its own it is still when it has ended.
    answer_free(peer_answer(peer, EMPTY(COUNT_STOP, count_stop, CountStop, COUNT_STOP)));
    answer_free(peer_next(peer));
    assert_int_equal(session_read(peer, 0, &error), first);
    peer_hang_up(peer);
    assert_int_equal(machine.counting.running, 1u << second);
    assert_int_equal(session_read(observer, first, &error), first);
    peer_hang_up(other);
    assert_int_equal(machine.counting.running, 0);
    peer_hang_up(observer);
}

static request_t *trace_request(u64 majors)
{
    static Orrery__Dci__CountTraceRequest trace_body = ORRERY__DCI__COUNT_TRACE_REQUEST__INIT;
    static request_t request;
    trace_body.majors = majors;
    request = *REQUEST(COUNT_TRACE, count_trace, &trace_body);
    return &request;
}

static void what_its_owner_counts_goes_into_the_trace(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *other = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(peer_ask(peer, trace_request(1)), E_NOENT);
    assert_int_equal(peer_ask(peer, start_request(SYS_PMU_TRACED, 1)), 0);
    assert_int_equal(peer_ask(other, trace_request(1)), E_NOENT);
    assert_int_equal(machine.counting.traced, 0);
    assert_int_equal(peer_ask(peer, trace_request(0x1234)), 0);
    assert_int_equal(machine.counting.traced, 0x1234);
    peer_hang_up(other);
    peer_hang_up(peer);
    peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(peer_ask(peer, start_request(SYS_PMU_TRACED + 1, 1)), 0);
    assert_int_equal(peer_ask(peer, trace_request(1)), E_LIMIT);
    peer_hang_up(peer);
}

static void a_session_that_has_ended_by_itself_can_be_stopped(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(peer_ask(peer, start_request(1, 1)), 0);
    machine.counting.running = false;
    assert_int_equal(peer_ask(peer, EMPTY(COUNT_STOP, count_stop, CountStop, COUNT_STOP)), 0);
    answer_free(peer_next(peer));
    assert_int_equal(peer_ask(peer, start_request(1, 1)), 0);
    peer_hang_up(peer);
}

static void observers_may_read_only(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(peer_ask(peer, start_request(1, 1)), E_PERM);
    assert_int_equal(peer_ask(peer, EMPTY(COUNT_STOP, count_stop, CountStop, COUNT_STOP)), E_PERM);
    peer_hang_up(peer);
}

static void nothing_counted_yet_is_told(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(peer_ask(peer, EMPTY(COUNT_READ, count_read, CountRead, COUNT_READ)), E_NOENT);
    peer_hang_up(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_counted_yet_is_told), // first: the server keeps the last session
        cmocka_unit_test(events_are_listed),
        cmocka_unit_test(a_machine_without_events_has_an_empty_list),
        cmocka_unit_test(a_request_reaches_the_machine_as_it_was_meant),
        cmocka_unit_test(wrong_requests_start_nothing),
        cmocka_unit_test(more_items_than_there_may_be_end_the_connection),
        cmocka_unit_test(a_conflict_is_told_in_the_machines_words),
        cmocka_unit_test(counts_come_by_cpu_while_they_run_and_after),
        cmocka_unit_test(only_the_cpus_that_count_are_told_of),
        cmocka_unit_test(each_client_has_a_session_which_ends_with_it),
        cmocka_unit_test(what_its_owner_counts_goes_into_the_trace),
        cmocka_unit_test(a_session_that_has_ended_by_itself_can_be_stopped),
        cmocka_unit_test(observers_may_read_only),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
