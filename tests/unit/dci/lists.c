// SPDX-License-Identifier: MIT
// Answers in several frames: complete, in order, and no faster than the client takes them.
#include "harness.h"

#include "bounds.h"
#include "queue.h"

#include <string.h>

// Takes the frames that are there: how many objects they had; *more tells of the last one.
static u32 take_objects(struct peer *peer, u32 from, bool *more)
{
    answer_t *answer;
    while ((answer = peer_next(peer)) != NULL) {
        Orrery__Dci__ObjectsReply *reply = answer->response->objects;
        assert_int_equal(answer->response->error, 0);
        assert_true(*more);
        for (u32 i = 0; i < reply->n_objects; i++, from++) {
            assert_int_equal(reply->objects[i]->coid, 0x10000 + from * 16);
            assert_int_equal(reply->objects[i]->misses, from);
            assert_int_equal(reply->objects[i]->n_children, from % 4);
        }
        *more = answer->response->more;
        answer_free(answer);
    }
    return from;
}

static void a_scan_is_complete_and_in_order(void **state)
{
    bool more = true;
    (void)state;
    machine.objects = 20000;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    peer_request(peer, EMPTY(OBJECTS, objects, Objects, OBJECTS));
    server_settle();
    assert_int_equal(take_objects(peer, 0, &more), 20000);
    assert_false(more);
    peer_hang_up(peer);
}

static void an_empty_list_is_one_answer(void **state)
{
    bool more = true;
    (void)state;
    machine.objects = 0;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    peer_request(peer, EMPTY(OBJECTS, objects, Objects, OBJECTS));
    server_settle();
    assert_int_equal(take_objects(peer, 0, &more), 0);
    assert_false(more);
    peer_hang_up(peer);
}

static struct peer *slow_observer(void)
{
    Orrery__Dci__HelloRequest hello = ORRERY__DCI__HELLO_REQUEST__INIT;
    struct peer *peer = peer_connect(4096);
    hello.version = 2;
    hello.token = OBSERVER_TOKEN;
    assert_int_equal(peer_ask(peer, REQUEST(HELLO, hello, &hello)), 0);
    return peer;
}

static void a_slow_client_gets_the_whole_list_and_holds_up_nobody(void **state)
{
    u32 count = 0;
    bool more = true;
    (void)state;
    machine.objects = 50000; // about 1.3 MB
    struct peer *slow = slow_observer();
    struct peer *other = peer_connect_as(OBSERVER_TOKEN);
    peer_request(slow, EMPTY(OBJECTS, objects, Objects, OBJECTS));
    peer_request(slow, EMPTY(OBJECTS, objects, Objects, OBJECTS)); // has to wait
    for (u32 i = 0; i < 4000 && more; i++) {
        peer_give_room(slow, 1000);
        count = take_objects(slow, count, &more);
        if (i % 1000 == 0)
            assert_int_equal(peer_ask(other, EMPTY(SYSTEM, system, System, SYSTEM)), 0);
        assert_true(machine_blocks() <= ANSWER_BLOCKS_MAX + SPARE_BLOCKS_MAX + 1);
    }
    assert_int_equal(count, 50000);
    assert_false(more);
    peer_hang_up(slow);
    peer_hang_up(other);
}

static void who_takes_nothing_for_long_is_dropped(void **state)
{
    (void)state;
    machine.objects = 50000;
    struct peer *stuck = slow_observer();
    peer_request(stuck, EMPTY(OBJECTS, objects, Objects, OBJECTS));
    server_settle();
    time_pass(7000);
    assert_false(peer_aborted(stuck));
    time_pass(1500); // within ten seconds in all
    assert_true(peer_aborted(stuck));
    peer_hang_up(stuck);
}

static void dref_counts_of_any_size_fit_their_frames(void **state)
{
    u32 count = 0;
    bool more = true;
    (void)state;
    machine.objects = 10000;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    peer_request(peer, EMPTY(DREF_READ, dref_read, DrefRead, DREF_READ));
    server_settle();
    while (more) {
        answer_t *answer = peer_next(peer);
        assert_non_null(answer);
        Orrery__Dci__DrefReadReply *reply = answer->response->dref_read;
        for (u32 i = 0; i < reply->n_counts; i++, count++) {
            assert_int_equal(reply->counts[i]->coid, 0x10000 + count * 16);
            assert_int_equal(reply->counts[i]->invocations, UINT64_MAX);
        }
        assert_true(reply->begin <= reply->end);
        more = answer->response->more;
        answer_free(answer);
    }
    assert_int_equal(count, 10000);
    peer_hang_up(peer);
}

static void classes_events_and_workloads_are_listed(void **state)
{
    (void)state;
    machine.classes = 300;
    machine.events = 300;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    answer_t *answer = peer_answer(peer, EMPTY(CLASSES, classes, Classes, CLASSES));
    assert_int_equal(answer->response->classes->n_classes, 256);
    assert_string_equal(answer->response->classes->classes[255]->name, "Class255");
    assert_true(answer->response->more);
    answer_free(answer);
    answer = peer_next(peer);
    assert_int_equal(answer->response->classes->n_classes, 44);
    assert_false(answer->response->more);
    answer_free(answer);
    answer = peer_answer(peer, EMPTY(TRACE_EVENTS, trace_events, TraceEvents, TRACE_EVENTS));
    assert_int_equal(answer->response->trace_events->n_events, 256);
    assert_int_equal(strlen(answer->response->trace_events->events[0]->format), 135);
    answer_free(answer);
    answer_free(peer_next(peer));
    answer = peer_answer(peer, EMPTY(WORKLOADS, workloads, Workloads, WORKLOADS));
    assert_int_equal(answer->response->workloads->n_workloads, 2);
    assert_false(answer->response->more);
    answer_free(answer);
    answer = peer_answer(peer, EMPTY(WORKLOAD_RUNS, workload_runs, WorkloadRuns, WORKLOAD_RUNS));
    assert_int_equal(answer->response->workload_runs->n_runs, 1); // of the other there was none
    const Orrery__Dci__WorkloadRun *run = answer->response->workload_runs->runs[0];
    assert_int_equal(run->id, 9);
    assert_int_equal(run->began, 70);
    assert_true(run->running);
    assert_string_equal(run->command, "demo:work=1?");
    answer_free(answer);
    peer_hang_up(peer);
}

static void metadata_comes_as_it_is(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    answer_t *answer =
        peer_answer(peer, EMPTY(TRACE_METADATA, trace_metadata, TraceMetadata, TRACE_METADATA));
    assert_int_equal(answer->response->trace_metadata->text.len, 13);
    assert_memory_equal(answer->response->trace_metadata->text.data, "/* CTF 1.8 */", 13);
    assert_true(answer->response->more);
    answer_free(answer);
    answer = peer_next(peer);
    assert_false(answer->response->more);
    answer_free(answer);
    peer_hang_up(peer);
}

static void refused_without_a_trace(struct peer *peer, request_t *request)
{
    answer_t *answer = peer_answer(peer, request);

    assert_int_equal(answer->response->error, E_NOTSUP);
    assert_string_equal(answer->response->message, "this kernel was built without a trace");
    answer_free(answer);
}

static void a_kernel_without_a_trace_is_told(void **state)
{
    (void)state;
    machine.process_mask = (u64)(s64)E_NOTSUP; // what all the calls say
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    refused_without_a_trace(peer, EMPTY(TRACE_STAT, trace_stat, TraceStat, TRACE_STAT));
    refused_without_a_trace(peer, EMPTY(TRACE_EVENTS, trace_events, TraceEvents, TRACE_EVENTS));
    refused_without_a_trace(peer,
                            EMPTY(TRACE_METADATA, trace_metadata, TraceMetadata, TRACE_METADATA));
    refused_without_a_trace(peer, EMPTY(TRACE_SET, trace_set, TraceSet, TRACE_SET));
    refused_without_a_trace(
        peer, EMPTY(TRACE_SUBSCRIBE, trace_subscribe, TraceSubscribe, TRACE_SUBSCRIBE));
    machine.process_mask = 0;
    assert_int_equal(peer_ask(peer, EMPTY(TRACE_STAT, trace_stat, TraceStat, TRACE_STAT)), 0);
    peer_hang_up(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scan_is_complete_and_in_order),
        cmocka_unit_test(an_empty_list_is_one_answer),
        cmocka_unit_test(a_slow_client_gets_the_whole_list_and_holds_up_nobody),
        cmocka_unit_test(who_takes_nothing_for_long_is_dropped),
        cmocka_unit_test(dref_counts_of_any_size_fit_their_frames),
        cmocka_unit_test(classes_events_and_workloads_are_listed),
        cmocka_unit_test(metadata_comes_as_it_is),
        cmocka_unit_test(a_kernel_without_a_trace_is_told),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
