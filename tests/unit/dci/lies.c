// SPDX-License-Identifier: MIT
// Processes that answer with lies: each is a failure with a reason in every list, the others are
// complete, and none is asked without end.
#include "harness.h"

#include "bounds.h"
#include "questions.h"

#include <orrery/inspect.h>
#include <orrery/r13.h>
#include <orrery/user.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIAR 2
#define OBJECTS 30 // of each honest process
#define SCOPE(name) ORRERY__DCI__SCOPE__SCOPE_##name

static u64 seed = 1;

static u64 any(void)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return seed >> 20;
}

// ---- the lies -----------------------------------------------------------------------------------

static s64 told_status; // what the next lies say

static s64 say(struct machine_process *process, struct sys_inspect_request *request, void *buffer)
{
    (void)process, (void)request;
    memset(buffer, 0xff, INSPECT_BYTES);
    return told_status;
}

static s64 one_object(struct sys_inspect_request *request, void *buffer, u64 number, u64 cursor)
{
    struct sys_object one = {.record_bytes = sizeof(one),
                             .coid = R13_LTT + number % 0x10000 * R13_LTT_ENTRY_SIZE};
    memcpy(buffer, &one, sizeof(one));
    request->results[0] = cursor;
    return sizeof(one);
}

static s64 no_end(struct machine_process *process, struct sys_inspect_request *request,
                  void *buffer)
{
    (void)process;
    if (request->operation != INSPECT_SCAN)
        return 0;
    return one_object(request, buffer, request->arguments[0], request->arguments[0] + 1);
}

static s64 stands_still(struct machine_process *process, struct sys_inspect_request *request,
                        void *buffer)
{
    (void)process;
    return request->operation != INSPECT_SCAN
               ? 0
               : one_object(request, buffer, 5, request->arguments[0]);
}

static s64 goes_back(struct machine_process *process, struct sys_inspect_request *request,
                     void *buffer)
{
    (void)process;
    u64 number = 1000 - request->arguments[0];
    return request->operation != INSPECT_SCAN
               ? 0
               : one_object(request, buffer, number, request->arguments[0] + 1);
}

// As many objects as there is room for, without end.
static s64 flood(struct machine_process *process, struct sys_inspect_request *request, void *buffer)
{
    (void)process;
    if (request->operation != INSPECT_SCAN)
        return 0;
    struct sys_object *objects = buffer;
    u64 count = request->arguments[1] / sizeof(*objects);
    for (u64 i = 0; i < count; i++)
        objects[i] = (struct sys_object){
            .record_bytes = sizeof(*objects),
            .coid = R13_LTT + (request->arguments[0] + i) * R13_LTT_ENTRY_SIZE,
            .misses = UINT32_MAX,
        };
    request->results[0] = request->arguments[0] + count;
    return (s64)(count * sizeof(*objects));
}

static s64 chance(struct machine_process *process, struct sys_inspect_request *request,
                  void *buffer)
{
    u64 *words = buffer;
    (void)process;
    for (u64 i = 0; i < INSPECT_BYTES / sizeof(*words); i++)
        words[i] = any() << any() % 64;
    request->results[0] = any();
    request->results[1] = any() % 3;
    return any() % 4 == 0 ? (s64)(any() << 20) : (s64)(any() % (INSPECT_BYTES + 64)) - 40;
}

static s64 ends(struct machine_process *process, struct sys_inspect_request *request, void *buffer)
{
    (void)request, (void)buffer;
    process->pid = 0;
    return 8;
}

// ---- the lists ----------------------------------------------------------------------------------

static int make_processes(void **state)
{
    static u32 last_pid;
    (void)state;
    memset(machine.processes, 0, sizeof(machine.processes));
    last_pid += 10; // failures of the last test are remembered
    for (u32 i = 0; i < 4; i++)
        machine.processes[i] =
            (struct machine_process){.pid = last_pid + i, .objects = OBJECTS, .classes = 2};
    machine.objects = 5;
    machine.classes = 3;
    machine.patience = 0;
    told_status = 0;
    return 0;
}

static struct machine_process *liar(void)
{
    return &machine.processes[LIAR];
}

struct list {
    u64 objects, classes, counts; // of the honest ones
    u64 liars_objects;
    s64 error; // of the liar
    char text[128];
};

static void add_failure(const Orrery__Dci__ProcessFailure *failure, u32 pid, struct list *list)
{
    if (failure == NULL)
        return;
    assert_int_equal(pid, liar()->pid);
    assert_int_equal(list->error, 0); // told once
    assert_true(failure->time > 0);
    list->error = failure->error;
    snprintf(list->text, sizeof(list->text), "%s", failure->message);
}

static void add_response(const Orrery__Dci__Response *response, struct list *list)
{
    assert_int_equal(response->error, 0);
    if (response->body_case == ORRERY__DCI__RESPONSE__BODY_DREF_READ) {
        list->counts += response->dref_read->n_counts;
        add_failure(response->dref_read->failure, response->dref_read->pid, list);
        return;
    }
    const Orrery__Dci__ObjectsReply *reply = response->objects;
    bool lies = reply->pid == liar()->pid && reply->pid != 0;
    *(lies ? &list->liars_objects : &list->objects) += reply->n_objects;
    list->classes += lies ? 0 : reply->n_classes;
    add_failure(reply->failure, reply->pid, list);
}

static struct list take_list(struct peer *peer)
{
    struct list list = {0};
    bool more = true;
    while (more) {
        answer_t *answer = peer_next(peer);
        if (answer == NULL) {
            time_pass(1);
            continue;
        }
        add_response(answer->response, &list);
        more = answer->response->more;
        answer_free(answer);
    }
    return list;
}

static struct list scan(struct peer *peer)
{
    Orrery__Dci__ObjectsRequest body = ORRERY__DCI__OBJECTS_REQUEST__INIT;
    body.scope = SCOPE(ALL);
    body.classes = true;
    peer_request(peer, REQUEST(OBJECTS, objects, &body));
    server_settle();
    struct list list = take_list(peer);
    assert_int_equal(list.objects, 5 + 3 * OBJECTS);
    assert_int_equal(list.classes, 3 + 3 * 2);
    return list;
}

static struct list read_counts(struct peer *peer)
{
    Orrery__Dci__DrefReadRequest body = ORRERY__DCI__DREF_READ_REQUEST__INIT;
    body.scope = SCOPE(ALL);
    peer_request(peer, REQUEST(DREF_READ, dref_read, &body));
    server_settle();
    return take_list(peer);
}

// ---- the tests ----------------------------------------------------------------------------------

static void every_error_of_a_process_is_its_own(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    for (told_status = -1; told_status > -60; told_status--) {
        s64 status = told_status;
        make_processes(state);
        told_status = status;
        liar()->lie = say;
        struct list list = scan(peer);
        assert_int_equal(list.error, status >= E_NOTEMPTY ? status : E_PROTO);
        assert_non_null(strstr(list.text, status >= E_NOTEMPTY ? "refused" : "nonsense"));
        assert_int_equal(liar()->questions, 1);
        make_processes(state);
        told_status = status;
        liar()->lie = say;
        assert_int_equal(read_counts(peer).error, status >= E_NOTEMPTY ? status : E_PROTO);
    }
    peer_hang_up(peer);
}

static void sizes_that_cannot_be_are_nonsense(void **state)
{
    static const s64 sizes[] = {1,         31,        INSPECT_BYTES,     INSPECT_BYTES + 1,
                                INT64_MAX, INT64_MIN, (s64)INT32_MIN - 1};
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
        make_processes(state);
        told_status = sizes[i];
        liar()->lie = say;
        struct list list = scan(peer);
        assert_int_equal(list.error, E_PROTO);
        assert_non_null(strstr(list.text, "answered nonsense: "));
        assert_int_equal(liar()->questions, 1);
    }
    peer_hang_up(peer);
}

static void lists_without_end_have_one(void **state)
{
    struct list list;
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    liar()->lie = no_end;
    list = scan(peer);
    assert_int_equal(list.error, E_LIMIT);
    assert_true(liar()->questions <= LIST_QUESTIONS_MAX);
    assert_true(list.liars_objects > 0); // what it told so far stands
    make_processes(state);
    liar()->lie = flood;
    list = scan(peer);
    assert_int_equal(list.error, E_LIMIT);
    assert_true(list.liars_objects * sizeof(struct sys_object) <
                LIST_BYTES_MAX + RECORDS_BYTES_MAX);
    make_processes(state);
    liar()->lie = stands_still;
    list = scan(peer);
    assert_int_equal(list.error, E_PROTO);
    assert_int_equal(list.liars_objects, 1);
    make_processes(state);
    liar()->lie = goes_back;
    assert_int_equal(scan(peer).error, E_PROTO);
    peer_hang_up(peer);
}

static void a_process_that_ends_when_asked_is_left_out(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    liar()->lie = ends;
    assert_int_equal(scan(peer).error, 0);
    peer_hang_up(peer);
}

// Waiting once for all of them is enough, and only once in a while.
static void processes_that_are_silent_cost_a_second_together(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    for (u32 i = 4; i < MACHINE_PROCESSES; i++)
        machine.processes[i] =
            (struct machine_process){.pid = machine.processes[0].pid + i, .stuck = true};
    u64 begin = machine.time;
    Orrery__Dci__ObjectsRequest body = ORRERY__DCI__OBJECTS_REQUEST__INIT;
    body.scope = SCOPE(ALL);
    for (u32 asked = 1; asked <= 3; asked++) {
        u32 failures = 0;
        bool more = true;
        peer_request(peer, REQUEST(OBJECTS, objects, &body));
        server_settle();
        while (more) {
            answer_t *answer = peer_next(peer);
            assert_non_null(answer);
            const Orrery__Dci__ProcessFailure *failure = answer->response->objects->failure;
            if (failure != NULL) {
                failures++;
                assert_int_equal(failure->error, E_TIMEOUT);
                assert_string_equal(failure->message, "did not answer within 1 s");
                assert_true(failure->again > machine.time);
            }
            more = answer->response->more;
            answer_free(answer);
        }
        assert_int_equal(failures, MACHINE_PROCESSES - 4);
        assert_int_equal(machine.time - begin, 1000000);
        for (u32 i = 4; i < MACHINE_PROCESSES; i++)
            assert_int_equal(machine.processes[i].questions, 1);
    }
    time_pass(FAILURE_SECONDS * 1000 + 1);
    peer_request(peer, REQUEST(OBJECTS, objects, &body));
    server_settle();
    assert_int_equal(machine.processes[4].questions, 2); // now it may have come round
    // Who asks for one of them alone waits for it.
    answer_t *answer;
    while ((answer = peer_next(peer)) != NULL)
        answer_free(answer);
    body.scope = SCOPE(PROCESS);
    body.pid = machine.processes[4].pid;
    machine.processes[4].stuck = false;
    peer_request(peer, REQUEST(OBJECTS, objects, &body));
    server_settle();
    answer = peer_next(peer);
    assert_null(answer->response->objects->failure);
    answer_free(answer);
    assert_int_equal(machine.processes[4].questions, 3);
    peer_hang_up(peer);
}

// A process that takes its time for each answer has a second for all of them.
static s64 slowly(struct machine_process *process, struct sys_inspect_request *request,
                  void *buffer)
{
    s64 status = no_end(process, request, buffer);
    machine.time += 300000;
    return status;
}

static void slow_answers_add_up(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    liar()->lie = slowly;
    struct list list = scan(peer);
    assert_int_equal(list.error, E_TIMEOUT);
    assert_in_range(liar()->questions, 3, 5);
    peer_hang_up(peer);
}

static void lies_by_chance_harm_nobody(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    for (u32 round = 0; round < 300; round++) {
        make_processes(state);
        liar()->lie = chance;
        scan(peer);
        read_counts(peer);
        Orrery__Dci__TraceStatRequest stat = ORRERY__DCI__TRACE_STAT_REQUEST__INIT;
        stat.scope = SCOPE(ALL);
        peer_request(peer, REQUEST(TRACE_STAT, trace_stat, &stat));
        server_settle();
        answer_t *answer;
        bool more = true;
        while (more && (answer = peer_next(peer)) != NULL) {
            assert_int_equal(answer->response->error, 0);
            more = answer->response->more;
            answer_free(answer);
        }
        assert_false(more);
    }
    assert_int_equal(machine_questions(), 0);
    peer_hang_up(peer);
}

// A client that goes leaves no question behind, and keeps nobody from asking.
static void who_goes_while_a_process_thinks_leaves_no_question(void **state)
{
    Orrery__Dci__ObjectsRequest body = ORRERY__DCI__OBJECTS_REQUEST__INIT;
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    machine.patience = 20;
    body.scope = SCOPE(ALL);
    peer_request(peer, REQUEST(OBJECTS, objects, &body));
    server_round();
    assert_true(machine_questions() > 0);
    peer_hang_up(peer);
    machine.patience = 0;
    peer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(scan(peer).error, 0);
    assert_int_equal(machine_questions(), 0);
    peer_hang_up(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_error_of_a_process_is_its_own, make_processes),
        cmocka_unit_test_setup(sizes_that_cannot_be_are_nonsense, make_processes),
        cmocka_unit_test_setup(lists_without_end_have_one, make_processes),
        cmocka_unit_test_setup(a_process_that_ends_when_asked_is_left_out, make_processes),
        cmocka_unit_test_setup(processes_that_are_silent_cost_a_second_together, make_processes),
        cmocka_unit_test_setup(slow_answers_add_up, make_processes),
        cmocka_unit_test_setup(lies_by_chance_harm_nobody, make_processes),
        cmocka_unit_test_setup(who_goes_while_a_process_thinks_leaves_no_question, make_processes),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
