// SPDX-License-Identifier: MIT
// Requests that reach into processes: lists over all of them, the stuck and the ended among them;
// counting and tracing switched where it is wanted; filters of samples.
#include "harness.h"

#include <string.h>

#define SCOPE(name) ORRERY__DCI__SCOPE__SCOPE_##name

// Processes 1 to 4: 3 is stuck, 4 has no library.
static int make_processes(void **state)
{
    (void)state;
    memset(machine.processes, 0, sizeof(machine.processes));
    for (u32 i = 0; i < 4; i++)
        machine.processes[i] = (struct machine_process){
            .pid = i + 1, .objects = 10 * (i + 1), .classes = 2, .stuck = i == 2, .mute = i == 3};
    machine.objects = 5;
    machine.classes = 3;
    machine.patience = 3;
    machine.mask = 5;
    machine.process_mask = 6;
    return 0;
}

struct part {
    u32 objects, classes;
    s64 error;
};

// Takes a whole list of objects apart by process. Returns the error that ended it.
static s64 take_parts(struct peer *peer, struct part parts[MACHINE_PROCESSES])
{
    memset(parts, 0, MACHINE_PROCESSES * sizeof(*parts));
    for (;;) {
        answer_t *answer = peer_next(peer);
        assert_non_null(answer);
        s64 error = answer->response->error;
        bool more = answer->response->more;
        Orrery__Dci__ObjectsReply *reply = answer->response->objects;
        if (error == 0) {
            struct part *part = &parts[reply->pid];
            part->objects += (u32)reply->n_objects;
            part->classes += (u32)reply->n_classes;
            part->error = reply->failure != NULL ? reply->failure->error : part->error;
        }
        answer_free(answer);
        if (!more)
            return error;
    }
}

static s64 ask_objects(struct peer *peer, Orrery__Dci__Scope scope, u32 pid, bool classes,
                       struct part parts[MACHINE_PROCESSES])
{
    Orrery__Dci__ObjectsRequest body = ORRERY__DCI__OBJECTS_REQUEST__INIT;
    body.scope = scope;
    body.pid = pid;
    body.classes = classes;
    peer_request(peer, REQUEST(OBJECTS, objects, &body));
    server_settle();
    return take_parts(peer, parts);
}

static void a_scan_of_all_tells_of_each_process_and_who_is_stuck(void **state)
{
    struct part parts[MACHINE_PROCESSES];
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    u64 begin = machine.time;
    assert_int_equal(ask_objects(peer, SCOPE(ALL), 0, true, parts), 0);
    assert_int_equal(machine.time - begin, 1000000); // one stuck process, asked once
    assert_int_equal(parts[0].objects, 5);
    assert_int_equal(parts[0].classes, 3);
    assert_int_equal(parts[1].objects, 10);
    assert_int_equal(parts[2].objects, 20);
    assert_int_equal(parts[2].classes, 2);
    assert_int_equal(parts[3].error, E_TIMEOUT);
    assert_int_equal(parts[4].error, E_NOTSUP);
    peer_hang_up(peer);
}

static void one_process_is_scanned_alone(void **state)
{
    struct part parts[MACHINE_PROCESSES];
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(ask_objects(peer, SCOPE(PROCESS), 2, false, parts), 0);
    assert_int_equal(parts[0].objects, 0);
    assert_int_equal(parts[2].objects, 20);
    assert_int_equal(parts[2].classes, 0);
    assert_int_equal(ask_objects(peer, SCOPE(PROCESS), 3, false, parts), 0);
    assert_int_equal(parts[3].error, E_TIMEOUT);
    assert_int_equal(ask_objects(peer, SCOPE(PROCESS), 99, false, parts), E_NOENT);
    assert_int_equal(ask_objects(peer, 7, 0, false, parts), E_INVAL);
    assert_int_equal(ask_objects(peer, SCOPE(ALL), 2, false, parts), E_INVAL);
    peer_hang_up(peer);
}

static void the_others_are_served_while_a_process_thinks(void **state)
{
    Orrery__Dci__ObjectsRequest body = ORRERY__DCI__OBJECTS_REQUEST__INIT;
    struct part parts[MACHINE_PROCESSES];
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    struct peer *other = peer_connect_as(OBSERVER_TOKEN);
    machine.patience = 5000;
    body.scope = SCOPE(PROCESS);
    body.pid = 1;
    peer_request(peer, REQUEST(OBJECTS, objects, &body));
    for (u32 i = 0; i < 10; i++)
        server_round();
    assert_null(peer_next(peer));
    Orrery__Dci__SystemRequest system = ORRERY__DCI__SYSTEM_REQUEST__INIT;
    peer_request(other, REQUEST(SYSTEM, system, &system));
    server_round();
    answer_t *answer = peer_next(other);
    assert_non_null(answer);
    answer_free(answer);
    machine.patience = 1;
    for (u32 i = 0; i < 6000 && peer_unread(peer) == 0; i++)
        time_pass(500);
    assert_int_equal(take_parts(peer, parts), 0);
    assert_int_equal(parts[1].objects, 10);
    peer_hang_up(peer);
    peer_hang_up(other);
}

static void processes_and_regions_are_listed(void **state)
{
    Orrery__Dci__RegionsRequest regions = ORRERY__DCI__REGIONS_REQUEST__INIT;
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    answer_t *answer = peer_answer(peer, EMPTY(PROCESSES, processes, Processes, PROCESSES));
    Orrery__Dci__ProcessesReply *reply = answer->response->processes;
    assert_int_equal(reply->n_processes, 4);
    assert_int_equal(reply->processes[3]->pid, 4);
    assert_int_equal(reply->processes[3]->cpu_ticks, 4000);
    assert_string_equal(reply->processes[3]->name, "program?4");
    assert_true(answer->response->more);
    answer_free(answer);
    answer_free(peer_next(peer));
    regions.pid = 2;
    answer = peer_answer(peer, REQUEST(REGIONS, regions, &regions));
    assert_int_equal(answer->response->regions->n_regions, 1);
    assert_int_equal(answer->response->regions->regions[0]->memory, 0x1240);
    answer_free(answer);
    answer_free(peer_next(peer));
    regions.pid = 9;
    assert_int_equal(peer_ask(peer, REQUEST(REGIONS, regions, &regions)), E_NOENT);
    peer_hang_up(peer);
}

static void a_controller_kills_and_moves(void **state)
{
    Orrery__Dci__KillRequest kill = ORRERY__DCI__KILL_REQUEST__INIT;
    Orrery__Dci__MoveRequest move = ORRERY__DCI__MOVE_REQUEST__INIT;
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    move.pid = 2;
    move.cpu = 1;
    assert_int_equal(peer_ask(peer, REQUEST(MOVE, move, &move)), 0);
    assert_int_equal(machine_process(2)->cpu, 1);
    move.cpu = MACHINE_CPUS;
    assert_int_equal(peer_ask(peer, REQUEST(MOVE, move, &move)), E_INVAL);
    kill.pid = 2;
    kill.status = -9;
    assert_int_equal(peer_ask(peer, REQUEST(KILL, kill, &kill)), 0);
    assert_null(machine_process(2));
    assert_int_equal(peer_ask(peer, REQUEST(KILL, kill, &kill)), E_NOENT);
    kill.pid = 0;
    assert_int_equal(peer_ask(peer, REQUEST(KILL, kill, &kill)), E_INVAL);
    peer_hang_up(peer);
    peer = peer_connect_as(OBSERVER_TOKEN);
    kill.pid = 1;
    assert_int_equal(peer_ask(peer, REQUEST(KILL, kill, &kill)), E_PERM);
    assert_non_null(machine_process(1));
    peer_hang_up(peer);
}

// ---- DREF counting -----------------------------------------------------------------------------

static s64 dref_enable(struct peer *peer, bool on, Orrery__Dci__Scope scope, u32 pid)
{
    Orrery__Dci__DrefEnableRequest body = ORRERY__DCI__DREF_ENABLE_REQUEST__INIT;
    body.on = on;
    body.scope = scope;
    body.pid = pid;
    return peer_ask(peer, REQUEST(DREF_ENABLE, dref_enable, &body));
}

static void counting_is_on_where_some_client_wants_it(void **state)
{
    (void)state;
    struct peer *all = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *one = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(dref_enable(one, true, SCOPE(PROCESS), 2), 0);
    assert_int_equal(machine.dref_users, 0);
    assert_int_equal(machine_process(1)->dref, 0);
    assert_int_equal(machine_process(2)->dref, 1);
    assert_false(machine.dref_processes);
    assert_int_equal(dref_enable(all, true, SCOPE(ALL), 0), 0);
    assert_true(machine.dref_processes);
    assert_int_equal(machine.dref_users, 1);
    assert_int_equal(machine_process(1)->dref, 1);
    assert_int_equal(machine_process(2)->dref, 1);
    peer_hang_up(all);
    assert_int_equal(machine.dref_users, 0);
    assert_int_equal(machine_process(1)->dref, 0);
    assert_int_equal(machine_process(2)->dref, 1);
    peer_hang_up(one);
    assert_int_equal(machine_process(2)->dref, 0);
}

static u32 read_counts(struct peer *peer, Orrery__Dci__Scope scope, u64 sums[MACHINE_PROCESSES])
{
    Orrery__Dci__DrefReadRequest body = ORRERY__DCI__DREF_READ_REQUEST__INIT;
    u32 stuck = 0;
    bool more = true;

    body.scope = scope;
    peer_request(peer, REQUEST(DREF_READ, dref_read, &body));
    server_settle();
    while (more) {
        answer_t *answer = peer_next(peer);
        assert_non_null(answer);
        assert_int_equal(answer->response->error, 0);
        Orrery__Dci__DrefReadReply *reply = answer->response->dref_read;
        for (size_t i = 0; i < reply->n_counts; i++)
            sums[reply->pid] += reply->counts[i]->invocations;
        stuck += reply->failure != NULL && reply->failure->error == E_TIMEOUT;
        more = answer->response->more;
        answer_free(answer);
    }
    return stuck;
}

static void processes_that_begin_later_are_counted_too(void **state)
{
    u64 sums[MACHINE_PROCESSES] = {0};
    (void)state;
    machine.objects = 0;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(dref_enable(peer, true, SCOPE(ALL), 0), 0);
    machine.processes[5] = (struct machine_process){.pid = 6};
    assert_int_equal(read_counts(peer, SCOPE(ALL), sums), 1);
    assert_int_equal(sums[1], 1);
    assert_int_equal(sums[2], 2);
    assert_int_equal(sums[6], 6);
    assert_int_equal(dref_enable(peer, false, SCOPE(ALL), 0), 0);
    assert_int_equal(machine_process(6)->dref, 0);
    peer_hang_up(peer);
}

// ---- trace -------------------------------------------------------------------------------------

static s64 subscribe_flushing(struct peer *peer, Orrery__Dci__Scope scope, u32 pid, u64 mask,
                              u32 flush_ms)
{
    Orrery__Dci__TraceSubscribeRequest body = ORRERY__DCI__TRACE_SUBSCRIBE_REQUEST__INIT;
    body.mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_DISCARD;
    body.set_mask = true;
    body.mask = mask;
    body.scope = scope;
    body.pid = pid;
    body.flush_ms = flush_ms;
    return peer_ask(peer, REQUEST(TRACE_SUBSCRIBE, trace_subscribe, &body));
}

static s64 subscribe(struct peer *peer, Orrery__Dci__Scope scope, u32 pid, u64 mask)
{
    return subscribe_flushing(peer, scope, pid, mask, 0);
}

struct taken {
    u32 packets[MACHINE_PROCESSES];
    u32 events[MACHINE_PROCESSES]; // as the final counts have them
    u32 stuck;
    bool ended;
};

static void take_all(struct peer *peer, struct taken *taken)
{
    answer_t *answer;
    while ((answer = peer_next(peer)) != NULL) {
        if (answer->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT) {
            assert_false(taken->ended);
            Orrery__Dci__TracePacket *packet = answer->event->packet;
            taken->packets[packet->pid]++;
            u64 word;
            memcpy(&word, packet->data.data, sizeof(word));
            assert_int_equal(word >> 32 & 0xffffff, packet->pid);
        } else {
            Orrery__Dci__TraceStatReply *stat = answer->response->trace_unsubscribe;
            assert_int_equal(answer->response->error, 0);
            for (size_t i = 0; i < stat->n_cpus; i++)
                taken->events[stat->cpus[i]->pid] += (u32)stat->cpus[i]->events;
            taken->stuck += (u32)stat->n_stuck;
            taken->ended = !answer->response->more;
        }
        answer_free(answer);
    }
}

static void packets_of_all_come_to_the_exact_end(void **state)
{
    struct taken taken = {0};
    (void)state;
    memset(machine.packets_read, 0, sizeof(machine.packets_read));
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(subscribe(peer, SCOPE(ALL), 0, 0xf0), 0);
    assert_int_equal(machine.mask, 0xf0);
    assert_int_equal(machine.process_mask, 0xf0);
    assert_int_equal(machine_process(1)->mask, 0xf0);
    assert_int_equal(machine_process(1)->mode, 2);
    machine.packets[1] = 3;
    machine_process(1)->packets[0] = 50;
    machine_process(2)->packets[1] = 7;
    machine_process(2)->begun[0] = true;
    for (u32 i = 0; i < 10; i++)
        time_pass(20);
    take_all(peer, &taken);
    assert_int_equal(taken.packets[0], 3);
    assert_int_equal(taken.packets[1], 50);
    assert_int_equal(taken.packets[2], 7); // nobody asked to flush
    machine_process(1)->packets[1] = 100;
    peer_request(peer,
                 EMPTY(TRACE_UNSUBSCRIBE, trace_unsubscribe, TraceUnsubscribe, TRACE_UNSUBSCRIBE));
    for (u32 i = 0; i < 400 && !taken.ended; i++) {
        time_pass(20);
        take_all(peer, &taken);
    }
    assert_true(taken.ended);
    // No process keeps the end from coming: 64 questions to it,
    // the first of them to a CPU that has none.
    assert_int_equal(taken.packets[1], 50 + 63);
    assert_int_equal(taken.packets[2], 8);
    assert_int_equal(taken.events[0], 3);
    assert_int_equal(taken.events[1], 113);
    assert_int_equal(taken.events[2], 8);
    assert_int_equal(taken.stuck, 2); // and the one without a library
    assert_int_equal(machine.mask, 5);
    assert_int_equal(machine_process(1)->mask, 6);
    assert_int_equal(machine.process_mask, 6);
    peer_hang_up(peer);
}

// Each answer begins a packet, as those of a real process do. So it would have another packet for
// each question.
static void a_process_is_asked_only_for_what_it_logged_before(void **state)
{
    struct taken taken = {0};
    struct machine_process *process = machine_process(1), *other = machine_process(2);
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    process->logs_answers = process->begun[0] = true;
    process->packets[0] = 2;
    assert_int_equal(subscribe_flushing(peer, SCOPE(ALL), 0, 0xf0, 200), 0);
    u32 before = process->questions, before_other = other->questions;
    for (u32 i = 0; i < 110; i++) { // two flushes of processes: at 200 and 700 ms
        time_pass(10);
        take_all(peer, &taken);
    }
    // The full ones came at once; then the begun one, then what answers have logged on each CPU.
    assert_int_equal(taken.packets[1], 2 + 1 + 2);
    assert_int_equal(process->questions - before, 2 * 2);
    assert_int_equal(other->questions - before_other, 2 * 2); // it never has any
    assert_int_equal(taken.packets[2], 0);
    process->logs_answers = process->begun[0] = process->begun[1] = false;
    peer_hang_up(peer);
    server_settle();
}

static void packets_that_come_when_memory_is_short_are_kept(void **state)
{
    struct taken taken = {0};
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(subscribe(peer, SCOPE(PROCESS), 2, 0xf0), 0);
    machine_process(2)->packets[0] = 3;
    machine.packets_short = 5;
    for (u32 i = 0; i < 40; i++) {
        time_pass(5);
        take_all(peer, &taken);
    }
    assert_int_equal(machine.packets_short, 0);
    assert_int_equal(taken.packets[2], 3);
    peer_hang_up(peer);
    server_settle();
}

static void a_process_is_traced_alone(void **state)
{
    struct taken taken = {0};
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(subscribe(peer, SCOPE(PROCESS), 2, 0xf0), 0);
    assert_int_equal(machine.mask, 5);
    assert_int_equal(machine_process(1)->mask, 0);
    assert_int_equal(machine_process(2)->mask, 0xf0);
    machine_process(1)->packets[0] = 1;
    machine_process(2)->packets[0] = 1;
    machine.packets[0] = 1;
    time_pass(20);
    time_pass(60);
    take_all(peer, &taken);
    assert_int_equal(taken.packets[0], 0);
    assert_int_equal(taken.packets[1], 0);
    assert_int_equal(taken.packets[2], 1);
    peer_hang_up(peer);
    server_settle();
    assert_int_equal(machine_process(2)->mask, 6);
    assert_int_equal(machine.process_mask, 6);
    assert_int_equal(machine.mask, 5);
    machine.packets[0] = 0;
    peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(subscribe(peer, SCOPE(PROCESS), 99, 1), E_NOENT);
    assert_int_equal(subscribe(peer, SCOPE(PROCESS), 3, 1), E_TIMEOUT);
    assert_int_equal(subscribe(peer, SCOPE(PROCESS), 2, 1), 0); // nobody has it
    peer_hang_up(peer);
}

// ---- samples -----------------------------------------------------------------------------------

static u64 sample_with(struct peer *peer, const u32 *pids, size_t count, const u32 *except,
                       size_t except_count, u64 *filtered)
{
    Orrery__Dci__SamplingStartRequest body = ORRERY__DCI__SAMPLING_START_REQUEST__INIT;
    Orrery__Dci__SampledEvent event = ORRERY__DCI__SAMPLED_EVENT__INIT, *events[] = {&event};
    u64 samples = 0;
    bool more = true;

    event.event = ORRERY__DCI__PMU_EVENT__PMU_EVENT_CYCLES;
    event.period = 100000;
    body.events = events;
    body.n_events = 1;
    body.pids = (u32 *)pids;
    body.n_pids = count;
    body.except_pids = (u32 *)except;
    body.n_except_pids = except_count;
    assert_int_equal(peer_ask(peer, REQUEST(SAMPLING_START, sampling_start, &body)), 0);
    machine.samples[0] = 4000;
    time_pass(25);
    peer_request(peer, EMPTY(SAMPLING_STOP, sampling_stop, SamplingStop, SAMPLING_STOP));
    server_settle();
    while (more) {
        answer_t *answer = peer_next(peer);
        assert_non_null(answer);
        if (answer->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT) {
            samples += answer->event->samples->n_samples;
        } else {
            *filtered = answer->response->sampling_stop->cpus[0]->filtered;
            more = false;
        }
        answer_free(answer);
    }
    return samples;
}

static void samples_are_those_of_the_processes_asked_for(void **state)
{
    u64 filtered;
    (void)state;
    machine.sample_pids = true;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(sample_with(peer, (u32[]){1, 3}, 2, NULL, 0, &filtered), 2000);
    assert_int_equal(filtered, 2000);
    assert_int_equal(sample_with(peer, NULL, 0, (u32[]){0}, 1, &filtered), 3000);
    assert_int_equal(filtered, 1000);
    assert_int_equal(sample_with(peer, (u32[]){77}, 1, NULL, 0, &filtered), 0);
    assert_int_equal(filtered, 4000);
    machine.sample_pids = false;
    peer_hang_up(peer);
}

#define TEST(function) cmocka_unit_test_setup(function, make_processes)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_scan_of_all_tells_of_each_process_and_who_is_stuck),
        TEST(one_process_is_scanned_alone),
        TEST(the_others_are_served_while_a_process_thinks),
        TEST(processes_and_regions_are_listed),
        TEST(a_controller_kills_and_moves),
        TEST(counting_is_on_where_some_client_wants_it),
        TEST(processes_that_begin_later_are_counted_too),
        TEST(packets_of_all_come_to_the_exact_end),
        TEST(a_process_is_asked_only_for_what_it_logged_before),
        TEST(packets_that_come_when_memory_is_short_are_kept),
        TEST(a_process_is_traced_alone),
        TEST(samples_are_those_of_the_processes_asked_for),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
