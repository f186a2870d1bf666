// SPDX-License-Identifier: MIT
// Counts of tasks reach the client whole;
// processes are left out of counting while a client wants it, and no longer.
#include "harness.h"

#include <string.h>

typedef Orrery__Dci__CountItem item_t;

#define ITEMS 64

static Orrery__Dci__CountStartRequest body;

// A request for so many items in one set, on all CPUs.
static request_t *start_request(u32 item_count)
{
    static item_t items[ITEMS], *pointers[ITEMS];
    static u32 share = 1;
    static request_t request;
    for (u32 i = 0; i < item_count; i++) {
        items[i] = (item_t)ORRERY__DCI__COUNT_ITEM__INIT;
        pointers[i] = &items[i];
    }
    body = (Orrery__Dci__CountStartRequest)ORRERY__DCI__COUNT_START_REQUEST__INIT;
    body.items = pointers;
    body.n_items = item_count;
    body.shares = &share;
    body.n_shares = 1;
    request = *REQUEST(COUNT_START, count_start, &body);
    return &request;
}

// ---- tasks -------------------------------------------------------------------------------------

static request_t *tasks_request(void)
{
    static Orrery__Dci__CountTasksRequest empty;
    static request_t request;
    empty = (Orrery__Dci__CountTasksRequest)ORRERY__DCI__COUNT_TASKS_REQUEST__INIT;
    request = *REQUEST(COUNT_TASKS, count_tasks, &empty);
    return &request;
}

static void check_task(const Orrery__Dci__CountTask *task, u32 cpu, u32 n, u32 item_count)
{
    assert_int_equal(task->pid, n);
    assert_int_equal(task->thread, n / 3);
    assert_int_equal(task->flags, n % 8);
    assert_int_equal(strlen(task->name), 31);
    assert_int_equal(task->name[30], n == 1 ? '?' : 'n');
    assert_int_equal(task->n_counts, item_count);
    for (u32 i = 0; i < item_count; i++) {
        struct sys_pmu_count expected = machine_task_count(cpu, n, i);
        assert_int_equal(task->counts[i]->counted, expected.count);
        assert_int_equal(task->counts[i]->measured, expected.measured);
        assert_int_equal(task->counts[i]->products_high, expected.products.high);
        assert_int_equal(task->counts[i]->slices, expected.slices);
        assert_int_equal(task->counts[i]->error, n % 2 == 0 ? 0 : UINT64_MAX);
    }
}

// Every task of both CPUs, in order, in as many frames as it takes, however large the numbers are.
static void tasks_come_whole_in_many_frames(void **state)
{
    u32 seen[MACHINE_CPUS] = {0}, frames = 0;
    bool more = true;
    (void)state;
    machine.counting.tasks = 300;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    request_t *request = start_request(ITEMS);
    body.flags = ORRERY__DCI__COUNT_FLAGS__COUNT_BY_PROCESS;
    assert_int_equal(peer_ask(peer, request), 0);
    assert_int_equal(machine.counting.asked.flags, SYS_PMU_BY_PROCESS);
    peer_request(peer, tasks_request());
    for (; more; frames++) {
        server_settle();
        answer_t *answer = peer_next(peer);
        assert_non_null(answer);
        assert_int_equal(answer->response->error, 0);
        const Orrery__Dci__CountTasksReply *reply = answer->response->count_tasks;
        assert_int_equal(reply->session, machine.counting.session);
        for (size_t i = 0; i < reply->n_tasks; i++)
            check_task(reply->tasks[i], reply->cpu, seen[reply->cpu]++, ITEMS);
        more = answer->response->more;
        answer_free(answer);
    }
    assert_true(frames > 10);
    for (u32 cpu = 0; cpu < MACHINE_CPUS; cpu++)
        assert_int_equal(seen[cpu], 300);
    peer_hang_up(peer);
}

static void a_session_without_tasks_has_none(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(peer_ask(peer, start_request(1)), 0);
    assert_int_equal(peer_ask(peer, tasks_request()), E_INVAL);
    request_t *request = start_request(1);
    peer_hang_up(peer);
    peer = peer_connect_as(CONTROLLER_TOKEN);
    machine.counting.tasks = 0;
    body.flags = ORRERY__DCI__COUNT_FLAGS__COUNT_BY_THREAD;
    body.cpu_mask = 2;
    assert_int_equal(peer_ask(peer, request), 0);
    answer_t *answer = peer_answer(peer, tasks_request());
    assert_int_equal(answer->response->error, 0);
    assert_false(answer->response->more);
    assert_int_equal(answer->response->count_tasks->cpu, 1);
    assert_int_equal(answer->response->count_tasks->n_tasks, 0);
    answer_free(answer);
    peer_hang_up(peer);
}

// ---- exclusion ---------------------------------------------------------------------------------

static s64 exclude(struct peer *peer, u32 count, const u32 *pids)
{
    Orrery__Dci__CountExcludeRequest body = ORRERY__DCI__COUNT_EXCLUDE_REQUEST__INIT;
    body.n_pids = count;
    body.pids = (u32 *)pids;
    return peer_ask(peer, REQUEST(COUNT_EXCLUDE, count_exclude, &body));
}

#define EXCLUDE(peer, ...)                                                                         \
    exclude(peer, sizeof((u32[]){__VA_ARGS__}) / sizeof(u32), (u32[]){__VA_ARGS__})

static void add_processes(void)
{
    memset(machine.processes, 0, sizeof(machine.processes));
    for (u32 i = 0; i < 4; i++)
        machine.processes[i].pid = i + 1;
}

// Bit n: process n + 1.
static u32 left_out(void)
{
    u32 mask = 0;
    for (u32 i = 0; i < MACHINE_PROCESSES; i++)
        mask |= (u32)machine.processes[i].excluded << i;
    return mask;
}

static void a_process_is_left_out_while_any_client_wants_it(void **state)
{
    (void)state;
    add_processes();
    struct peer *one = peer_connect_as(CONTROLLER_TOKEN), *two = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(EXCLUDE(one, 1, 2), 0);
    assert_int_equal(left_out(), 3);
    assert_int_equal(EXCLUDE(two, 2, 3), 0);
    assert_int_equal(left_out(), 7);
    assert_int_equal(EXCLUDE(one, 1), 0); // a list replaces the one before it
    assert_int_equal(left_out(), 7);
    peer_hang_up(two);
    assert_int_equal(left_out(), 1);
    assert_int_equal(exclude(one, 0, NULL), 0);
    assert_int_equal(left_out(), 0);
    assert_int_equal(EXCLUDE(one, 4), 0);
    peer_hang_up(one);
    assert_int_equal(left_out(), 0);
}

static void a_list_with_something_wrong_changes_nothing(void **state)
{
    (void)state;
    add_processes();
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(EXCLUDE(peer, 1), 0);
    assert_int_equal(EXCLUDE(peer, 2, 3, 99), E_NOENT);
    assert_int_equal(left_out(), 1);
    assert_int_equal(EXCLUDE(peer, 2, 0), E_INVAL);
    assert_int_equal(left_out(), 1);
    machine.processes[0].pid = 0; // has ended
    assert_int_equal(exclude(peer, 0, NULL), 0);
    peer_hang_up(peer);
    struct peer *observer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(EXCLUDE(observer, 2), E_PERM);
    peer_hang_up(observer);
    memset(machine.processes, 0, sizeof(machine.processes));
}

// A count without a process of another's choosing must not pass for one of all.
static void counts_tell_who_was_left_out(void **state)
{
    (void)state;
    add_processes();
    struct peer *other = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(EXCLUDE(other, 1, 2), 0);
    assert_int_equal(EXCLUDE(other, 2), 0);
    assert_int_equal(peer_ask(peer, start_request(1)), 0);
    assert_int_equal(EXCLUDE(other, 3), 0);
    assert_int_equal(exclude(other, 0, NULL), 0);
    answer_t *answer = peer_answer(peer, EMPTY(COUNT_STOP, count_stop, CountStop, COUNT_STOP));
    assert_int_equal(answer->response->count_stop->n_excluded, 2);
    assert_int_equal(answer->response->count_stop->excluded[0], 2);
    assert_int_equal(answer->response->count_stop->excluded[1], 3);
    answer_free(answer);
    answer_free(peer_next(peer));
    peer_hang_up(peer);
    peer_hang_up(other);
    memset(machine.processes, 0, sizeof(machine.processes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_come_whole_in_many_frames),
        cmocka_unit_test(a_session_without_tasks_has_none),
        cmocka_unit_test(a_process_is_left_out_while_any_client_wants_it),
        cmocka_unit_test(a_list_with_something_wrong_changes_nothing),
        cmocka_unit_test(counts_tell_who_was_left_out),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
