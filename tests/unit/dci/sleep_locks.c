// SPDX-License-Identifier: MIT
// Logging of sleep locks: switched on where one client wants it, and off when that goes; records
// come as they are; the stuck, the ended and the mad are told.
#include "harness.h"

#include <orrery/inspect.h>
#include <string.h>

// Processes 1 to 5: 3 is stuck, 4 has no library, 5 answers nonsense.
static int make_processes(void **state)
{
    (void)state;
    memset(machine.processes, 0, sizeof(machine.processes));
    for (u32 i = 0; i < 5; i++)
        machine.processes[i] = (struct machine_process){.pid = i + 1,
                                                        .records = 250 * (i + 1),
                                                        .stuck = i == 2,
                                                        .mute = i == 3,
                                                        .nonsense = i == 4};
    machine.patience = 3;
    return 0;
}

static s64 enable(struct peer *peer, bool on, u32 pid, u64 coid)
{
    Orrery__Dci__SleepLocksEnableRequest body = ORRERY__DCI__SLEEP_LOCKS_ENABLE_REQUEST__INIT;
    body.on = on;
    body.pids = &pid;
    body.n_pids = pid != UINT32_MAX;
    body.coid = coid;
    return peer_ask(peer, REQUEST(SLEEP_LOCKS_ENABLE, sleep_locks_enable, &body));
}

static s64 enable_all(struct peer *peer, bool on)
{
    return enable(peer, on, UINT32_MAX, 0);
}

struct part {
    u32 records;
    s64 error;
    u64 logged, lost;
};

static s64 read_all(struct peer *peer, struct part parts[MACHINE_PROCESSES])
{
    bool more = true;
    s64 error = 0;
    memset(parts, 0, MACHINE_PROCESSES * sizeof(*parts));
    peer_request(peer, EMPTY(SLEEP_LOCKS_READ, sleep_locks_read, SleepLocksRead, SLEEP_LOCKS_READ));
    server_settle();
    while (more && error == 0) {
        answer_t *answer = peer_next(peer);
        assert_non_null(answer);
        Orrery__Dci__SleepLocksReadReply *reply = answer->response->sleep_locks_read;
        error = answer->response->error;
        more = answer->response->more;
        struct part *part = error == 0 ? &parts[reply->pid] : NULL;
        for (size_t i = 0; error == 0 && i < reply->n_objects; i++) {
            Orrery__Dci__SleepLockLog *log = reply->objects[i];
            assert_int_equal(log->coid, 0x20000);
            part->records += (u32)log->n_records;
            part->logged = log->logged;
            part->lost = log->lost;
        }
        if (error == 0 && reply->failure != NULL)
            part->error = reply->failure->error;
        answer_free(answer);
    }
    return error;
}

static void records_of_all_come_and_failures_are_told(void **state)
{
    struct part parts[MACHINE_PROCESSES];
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(enable_all(peer, true), 0);
    assert_int_equal(machine_process(1)->logging, SYS_BLOCKED_FRESH);
    u64 begin = machine.time;
    assert_int_equal(read_all(peer, parts), 0);
    assert_true(machine.time - begin < 1000000); // the stuck one was asked already
    assert_int_equal(parts[1].records, 250);
    assert_int_equal(parts[2].records, 500);
    assert_int_equal(parts[2].logged, 2000);
    assert_int_equal(parts[2].lost, 5);
    assert_int_equal(parts[3].error, E_TIMEOUT);
    assert_int_equal(parts[4].error, E_NOTSUP);
    assert_int_equal(parts[5].error, E_PROTO);
    assert_int_equal(parts[5].records, 0);
    machine_process(2)->pid = 0;
    machine.processes[6] = (struct machine_process){.pid = 7, .records = 3};
    assert_int_equal(read_all(peer, parts), 0);
    assert_int_equal(parts[2].error, E_PEER);
    assert_int_equal(parts[7].records, 3); // it has begun meanwhile
    assert_int_equal(read_all(peer, parts), 0);
    assert_int_equal(parts[2].error, 0); // told once
    assert_int_equal(enable_all(peer, false), 0);
    assert_int_equal(machine_process(7)->logging, SYS_BLOCKED_OFF);
    peer_hang_up(peer);
}

static void one_record_is_as_it_was(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    machine_process(1)->records = 1;
    assert_int_equal(enable(peer, true, 1, 0x20000), 0);
    assert_int_equal(machine_process(1)->logged_object, 0x20000);
    assert_int_equal(machine_process(2)->logging, SYS_BLOCKED_OFF);
    answer_t *answer = peer_answer(
        peer, EMPTY(SLEEP_LOCKS_READ, sleep_locks_read, SleepLocksRead, SLEEP_LOCKS_READ));
    Orrery__Dci__SleepLockLog *log = answer->response->sleep_locks_read->objects[0];
    assert_int_equal(log->buffer_bytes, 0x3000);
    assert_int_equal(log->n_records, 1);
    assert_in_range(log->records[0]->time, 1, machine.time);
    assert_true(log->records[0]->queue == UINT64_MAX);
    assert_int_equal(log->records[0]->thread, UINT32_MAX);
    assert_int_equal(log->records[0]->length, UINT32_MAX);
    assert_int_equal(log->records[0]->lost, UINT32_MAX);
    assert_int_equal(log->records[0]->operation, SYS_BLOCKED_WAKEUP);
    answer_free(answer);
    peer_hang_up(peer);
}

static void it_is_one_client_s_and_let_go_when_that_goes(void **state)
{
    struct part parts[MACHINE_PROCESSES];
    (void)state;
    struct peer *one = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *other = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(enable_all(one, true), 0);
    assert_int_equal(enable_all(other, true), E_BUSY);
    assert_int_equal(enable_all(other, false), E_NOENT);
    assert_int_equal(read_all(other, parts), E_NOENT);
    peer_hang_up(one);
    assert_int_equal(machine_process(1)->logging, SYS_BLOCKED_OFF);
    assert_int_equal(enable(other, true, 2, 0), 0);
    assert_int_equal(machine_process(1)->logging, SYS_BLOCKED_OFF);
    assert_int_equal(machine_process(2)->logging, SYS_BLOCKED_FRESH);
    assert_int_equal(enable(other, true, 1, 0), 0); // in its place
    assert_int_equal(machine_process(1)->logging, SYS_BLOCKED_FRESH);
    assert_int_equal(machine_process(2)->logging, SYS_BLOCKED_OFF);
    peer_hang_up(other);
    assert_int_equal(machine_process(1)->logging, SYS_BLOCKED_OFF);
}

static void wrong_requests_switch_nothing(void **state)
{
    struct part parts[MACHINE_PROCESSES];
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(enable(peer, true, 0, 0), E_INVAL);
    assert_int_equal(enable(peer, true, 99, 0), E_NOENT);
    assert_int_equal(enable(peer, true, UINT32_MAX, 0x20000), E_INVAL);
    assert_int_equal(enable(peer, true, 1, 0x123), E_NOENT);
    assert_int_equal(read_all(peer, parts), E_NOENT);
    assert_int_equal(machine_process(1)->logging, SYS_BLOCKED_OFF);
    peer_hang_up(peer);
    peer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(enable_all(peer, true), E_PERM);
    assert_int_equal(read_all(peer, parts), E_PERM);
    peer_hang_up(peer);
}

static void a_client_that_goes_while_processes_think_leaves_none_on(void **state)
{
    Orrery__Dci__SleepLocksEnableRequest body = ORRERY__DCI__SLEEP_LOCKS_ENABLE_REQUEST__INIT;
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    machine.patience = 50;
    body.on = true;
    peer_request(peer, REQUEST(SLEEP_LOCKS_ENABLE, sleep_locks_enable, &body));
    for (u32 i = 0; i < 60; i++)
        server_round();
    assert_int_equal(machine_process(1)->logging, SYS_BLOCKED_FRESH);
    machine.patience = 1;
    peer_hang_up(peer);
    for (u32 i = 0; i < MACHINE_PROCESSES; i++)
        assert_int_equal(machine.processes[i].logging, SYS_BLOCKED_OFF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(records_of_all_come_and_failures_are_told, make_processes),
        cmocka_unit_test_setup(one_record_is_as_it_was, make_processes),
        cmocka_unit_test_setup(it_is_one_client_s_and_let_go_when_that_goes, make_processes),
        cmocka_unit_test_setup(wrong_requests_switch_nothing, make_processes),
        cmocka_unit_test_setup(a_client_that_goes_while_processes_think_leaves_none_on,
                               make_processes),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
