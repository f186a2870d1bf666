// SPDX-License-Identifier: MIT
// Samples and trace packets: pushed to their owner, whole and in order; left in the kernel when it
// is slow; to the exact end; let go when it leaves.
#include "harness.h"

#include "bounds.h"

#include <orrery/pmu.h>
#include <string.h>

static s64 subscribe(struct peer *peer, u64 mask, u32 flush_ms)
{
    Orrery__Dci__TraceSubscribeRequest body = ORRERY__DCI__TRACE_SUBSCRIBE_REQUEST__INIT;
    body.mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_DISCARD;
    body.set_mask = true;
    body.mask = mask;
    body.flush_ms = flush_ms;
    return peer_ask(peer, REQUEST(TRACE_SUBSCRIBE, trace_subscribe, &body));
}

static Orrery__Dci__SampledEvent sampled[SYS_SAMPLING_EVENTS + 1];

// By cycles, and with count 2 or more by larx and other events.
static request_t *sampling_start_of(u64 period, u32 count)
{
    static Orrery__Dci__SamplingStartRequest body;
    static Orrery__Dci__SampledEvent *pointers[ARRAY_SIZE(sampled)];
    static request_t request;
    body = (Orrery__Dci__SamplingStartRequest)ORRERY__DCI__SAMPLING_START_REQUEST__INIT;
    for (u32 i = 0; i < count; i++) {
        sampled[i] = (Orrery__Dci__SampledEvent)ORRERY__DCI__SAMPLED_EVENT__INIT;
        sampled[i].event = i == 0 ? 1 : 17 + i;
        sampled[i].period = period;
        pointers[i] = &sampled[i];
    }
    body.callers = 16;
    body.n_events = count;
    body.events = pointers;
    request = *REQUEST(SAMPLING_START, sampling_start, &body);
    return &request;
}

static request_t *sampling_start(u64 period)
{
    return sampling_start_of(period, 1);
}

static s64 sampling_change(struct peer *peer, u32 index, u64 period, u32 randomise)
{
    Orrery__Dci__SamplingChangeRequest body = ORRERY__DCI__SAMPLING_CHANGE_REQUEST__INIT;
    body.index = index;
    body.period = period;
    body.randomise = randomise;
    return peer_ask(peer, REQUEST(SAMPLING_CHANGE, sampling_change, &body));
}

// Takes packets, checking each against its number in its CPU's order. Ends at a response, which it
// returns.
static answer_t *take_packets(struct peer *peer, u32 counts[MACHINE_CPUS])
{
    answer_t *answer;
    while ((answer = peer_next(peer)) != NULL) {
        if (answer->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE)
            return answer;
        Orrery__Dci__TracePacket *packet = answer->event->packet;
        u64 word = machine_packet_word(packet->cpu, counts[packet->cpu]);
        assert_int_equal(packet->data.len, PACKET_BYTES);
        assert_memory_equal(packet->data.data, &word, sizeof(word));
        assert_int_equal(packet->data.data[PACKET_BYTES - 1], (u8)counts[packet->cpu]);
        counts[packet->cpu]++;
        answer_free(answer);
    }
    return NULL;
}

static void reset_machine(void)
{
    memset(machine.packets_read, 0, sizeof(machine.packets_read));
    memset(machine.samples_read, 0, sizeof(machine.samples_read));
    machine.mask = 5;
}

static void packets_come_whole_and_in_order(void **state)
{
    u32 counts[MACHINE_CPUS] = {0};
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(subscribe(peer, 0xff, 0), 0);
    assert_int_equal(machine.mask, 0xff);
    machine.packets[0] = 100;
    machine.packets[1] = 3;
    machine.begun[0] = true;
    time_pass(10);
    assert_null(take_packets(peer, counts));
    assert_int_equal(counts[0], 100);
    assert_int_equal(counts[1], 3);
    assert_true(machine.begun[0]); // nobody asked to flush
    peer_hang_up(peer);
    reset_machine();
}

static void a_begun_packet_comes_at_the_flush_interval(void **state)
{
    u32 counts[MACHINE_CPUS] = {0};
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(subscribe(peer, 0xff, 5), E_INVAL);
    assert_int_equal(subscribe(peer, 0xff, 100), 0);
    machine.begun[1] = true;
    time_pass(50);
    assert_null(take_packets(peer, counts));
    assert_int_equal(counts[1], 0);
    time_pass(51);
    assert_null(take_packets(peer, counts));
    assert_int_equal(counts[1], 1);
    peer_hang_up(peer);
    reset_machine();
}

// Quiet rings are looked at less often than that.
static void a_short_flush_interval_is_kept_while_it_is_quiet(void **state)
{
    u32 counts[MACHINE_CPUS] = {0};
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(subscribe(peer, 0xff, 10), 0);
    for (u32 i = 1; i <= 5; i++) {
        machine.begun[1] = true;
        time_pass(11);
        assert_null(take_packets(peer, counts));
        assert_int_equal(counts[1], i);
    }
    peer_hang_up(peer);
    reset_machine();
}

static void a_program_and_viewers_do_not_share_packets(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    machine.taken_by_program = true;
    assert_int_equal(subscribe(peer, 1, 0), E_BUSY);
    machine.taken_by_program = false;
    assert_int_equal(subscribe(peer, 1, 5), E_INVAL);
    assert_false(machine.taken);
    assert_int_equal(subscribe(peer, 1, 0), 0);
    assert_true(machine.taken);
    peer_hang_up(peer);
    assert_false(machine.taken);
}

static void there_is_one_subscriber(void **state)
{
    (void)state;
    struct peer *first = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *second = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(subscribe(first, 1, 0), 0);
    u32 modes_set = machine.modes_set;
    assert_int_equal(subscribe(second, 2, 0), E_BUSY);
    assert_int_equal(peer_ask(second, EMPTY(TRACE_UNSUBSCRIBE, trace_unsubscribe, TraceUnsubscribe,
                                            TRACE_UNSUBSCRIBE)),
                     E_NOENT);
    assert_int_equal(machine.mask, 1);
    assert_int_equal(machine.modes_set, modes_set);
    peer_hang_up(first);
    assert_int_equal(machine.mask, 5); // as before the subscription
    assert_int_equal(subscribe(second, 2, 0), 0);
    peer_hang_up(second);
    reset_machine();
}

static void a_slow_subscriber_leaves_packets_in_the_kernel_and_gets_them_all_later(void **state)
{
    u32 counts[MACHINE_CPUS] = {0};
    Orrery__Dci__HelloRequest hello = ORRERY__DCI__HELLO_REQUEST__INIT;
    (void)state;
    struct peer *peer = peer_connect(4096);
    hello.version = 2;
    hello.token = CONTROLLER_TOKEN;
    assert_int_equal(peer_ask(peer, REQUEST(HELLO, hello, &hello)), 0);
    assert_int_equal(subscribe(peer, 0xff, 0), 0);
    machine.packets[0] = machine.packets[1] = 60;
    time_pass(10);
    time_pass(10);
    u32 read = machine.packets_read[0] + machine.packets_read[1];
    assert_int_equal(read, PUSH_BLOCKS_MAX); // one packet a block
    machine.begun[0] = machine.begun[1] = true;
    peer_request(peer,
                 EMPTY(TRACE_UNSUBSCRIBE, trace_unsubscribe, TraceUnsubscribe, TRACE_UNSUBSCRIBE));
    server_settle();
    assert_int_equal(machine.mask, 0);
    answer_t *end = NULL;
    for (u32 i = 0; i < 200 && end == NULL; i++) {
        peer_give_room(peer, 100000);
        end = take_packets(peer, counts);
    }
    assert_non_null(end);
    assert_int_equal(counts[0], 61);
    assert_int_equal(counts[1], 61);
    assert_int_equal(end->response->id, 7);
    assert_int_equal(end->response->trace_unsubscribe->cpus[0]->pushed_packets, 61);
    assert_int_equal(end->response->trace_unsubscribe->cpus[0]->events, 61);
    assert_true(end->response->more);
    answer_free(end);
    end = take_packets(peer, counts); // when all is as it was
    assert_non_null(end);
    assert_false(end->response->more);
    answer_free(end);
    assert_int_equal(machine.mask, 5);
    assert_null(peer_next(peer));
    peer_hang_up(peer);
    reset_machine();
}

static void a_sampler_gets_every_sample_and_the_exact_end(void **state)
{
    u64 count = 0;
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(peer_ask(peer, sampling_start(100000)), 0);
    assert_int_equal(machine.asked.callers, 16);
    machine.samples[1] = 5000;
    time_pass(25);
    machine.samples[1] += 2000;
    machine.samples_lost[1] = 3;
    peer_request(peer, EMPTY(SAMPLING_STOP, sampling_stop, SamplingStop, SAMPLING_STOP));
    server_settle();
    assert_false(machine.sampling);
    answer_t *answer;
    while ((answer = peer_next(peer))->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT) {
        Orrery__Dci__Samples *samples = answer->event->samples;
        assert_int_equal(samples->cpu, 1);
        for (u32 i = 0; i < samples->n_samples; i++, count++) {
            assert_int_equal(samples->samples[i]->time, count);
            assert_int_equal(samples->samples[i]->n_callers, 16);
            assert_int_equal(samples->samples[i]->callers[15], UINT64_MAX);
        }
        answer_free(answer);
    }
    assert_int_equal(count, 7000);
    assert_int_equal(answer->response->sampling_stop->cpus[1]->taken, 7000);
    assert_int_equal(answer->response->sampling_stop->cpus[1]->lost, 3);
    answer_free(answer);
    peer_hang_up(peer);
    reset_machine();
}

static void each_event_has_samples_and_statistics_of_its_own(void **state)
{
    u64 counts[2] = {0};
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    request_t *request = sampling_start_of(5000, 2);
    sampled[1].mode = ORRERY__DCI__COUNT_MODE__COUNT_MODE_USER;
    sampled[1].randomise = 7;
    assert_int_equal(peer_ask(peer, request), 0);
    assert_int_equal(machine.asked.event_count, 2);
    assert_int_equal(machine.asked.events[0].filter, SYS_PMU_KERNEL | SYS_PMU_USER);
    assert_int_equal(machine.asked.events[1].event, SYS_PMU_MODEL + 2);
    assert_int_equal(machine.asked.events[1].filter, SYS_PMU_USER);
    assert_int_equal(machine.asked.events[1].randomise, 7);
    machine.samples[1] = 10;
    time_pass(25);
    peer_request(peer, EMPTY(SAMPLING_STOP, sampling_stop, SamplingStop, SAMPLING_STOP));
    server_settle();
    answer_t *answer;
    while ((answer = peer_next(peer))->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT) {
        Orrery__Dci__Samples *samples = answer->event->samples;
        counts[samples->index] += samples->n_samples;
        assert_int_equal(samples->samples[0]->event, samples->index == 0 ? 1 : 18);
        assert_true((samples->turns != NULL) == (samples->index == 1)); // the other takes none
        if (samples->turns != NULL)
            assert_int_equal(samples->turns->measured, 301);
        answer_free(answer);
    }
    assert_int_equal(counts[0], 10);
    assert_int_equal(counts[1], 1); // CPU 1
    Orrery__Dci__SamplingStatReply *stat = answer->response->sampling_stop;
    assert_int_equal(stat->n_cpus, 2 * MACHINE_CPUS);
    assert_int_equal(stat->cpus[3]->cpu, 1);
    assert_int_equal(stat->cpus[3]->index, 1);
    assert_int_equal(stat->cpus[3]->overflows, 1);
    assert_null(stat->cpus[2]->turns);
    assert_int_equal(stat->cpus[3]->turns->measured, 301);
    assert_int_equal(stat->cpus[3]->turns->total, 1000);
    assert_int_equal(stat->cpus[3]->turns->turns, 7);
    assert_int_equal(stat->n_events, 2);
    assert_int_equal(stat->events[1]->mode, ORRERY__DCI__COUNT_MODE__COUNT_MODE_USER);
    assert_false(stat->running);
    answer_free(answer);
    peer_hang_up(peer);
    reset_machine();
}

static void a_change_by_anyone_is_told_to_the_sampler_in_its_place(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *other = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(sampling_change(other, 0, 5000, 0), E_NOENT);
    assert_int_equal(peer_ask(peer, sampling_start_of(5000, 2)), 0);
    assert_int_equal(sampling_change(other, 2, 5000, 0), E_INVAL);
    assert_int_equal(sampling_change(other, 1, 999, 0), E_INVAL);
    assert_int_equal(sampling_change(other, 1, 5000, 13), E_INVAL);
    assert_int_equal(machine.sampled_period, 0);
    assert_int_equal(sampling_change(other, 1, 7000, 3), 0);
    assert_int_equal(machine.sampled_period, 7000);
    answer_t *answer = peer_next(peer);
    while (answer->event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLES) {
        answer_free(answer); // those from before
        answer = peer_next(peer);
    }
    assert_int_equal(answer->event->body_case, ORRERY__DCI__EVENT__BODY_SAMPLING_CHANGED);
    assert_int_equal(answer->event->sampling_changed->index, 1);
    assert_int_equal(answer->event->sampling_changed->period, 7000);
    assert_int_equal(answer->event->sampling_changed->randomise, 3);
    assert_int_equal(answer->event->sampling_changed->time, machine.time);
    assert_int_equal(answer->event->sampling_changed->n_cpus, MACHINE_CPUS);
    for (u32 cpu = 0; cpu < MACHINE_CPUS; cpu++) {
        const Orrery__Dci__SamplingStat *until = answer->event->sampling_changed->cpus[cpu];
        assert_int_equal(until->cpu, cpu);
        assert_int_equal(until->index, 1);
        assert_int_equal(until->overflows, cpu);
    }
    answer_free(answer);
    answer = peer_answer(other, EMPTY(SAMPLING_STAT, sampling_stat, SamplingStat, SAMPLING_STAT));
    assert_true(answer->response->sampling_stat->running);
    assert_int_equal(answer->response->sampling_stat->events[1]->period, 7000);
    assert_int_equal(answer->response->sampling_stat->time, machine.time);
    answer_free(answer);
    peer_hang_up(peer);
    peer_hang_up(other);
    machine.sampled_period = 0;
    reset_machine();
}

// Else sending a sample makes work that is sampled and sent, without end.
static void samples_are_looked_for_at_intervals_not_at_every_round(void **state)
{
    u32 frames = 0;
    answer_t *answer;
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(peer_ask(peer, sampling_start(5000)), 0);
    for (u32 i = 0; i < 100; i++) {
        machine.samples[0]++;
        time_pass(1);
    }
    for (; (answer = peer_next(peer)) != NULL; frames++)
        answer_free(answer);
    assert_in_range(frames, 5, 12);
    peer_hang_up(peer);
    reset_machine();
}

static void a_refusal_is_told_in_the_machines_words(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    machine.sampling_refused = "larx, stcx: 2 events, only counter 3";
    answer_t *answer = peer_answer(peer, sampling_start_of(5000, 2));
    assert_int_equal(answer->response->error, E_LIMIT);
    assert_string_equal(answer->response->message, machine.sampling_refused);
    answer_free(answer);
    machine.sampling_refused = NULL;
    machine.sampling = true; // of another program
    answer = peer_answer(peer, sampling_start(5000));
    assert_int_equal(answer->response->error, E_BUSY);
    assert_non_null(strstr(answer->response->message, "another program"));
    answer_free(answer);
    machine.sampling = false;
    peer_hang_up(peer);
}

static void wrong_sampling_parameters_start_nothing(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(peer_ask(peer, sampling_start(999)), E_INVAL);
    assert_int_equal(peer_ask(peer, sampling_start(0x80000000)), E_INVAL);
    request_t *request = sampling_start(5000);
    sampled[0].randomise = 13; // 8192 > 5000
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    request = sampling_start(5000);
    request->sampling_start->callers = 17;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    request = sampling_start(5000);
    request->sampling_start->cpu_mask = 4;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    request = sampling_start(5000);
    sampled[0].event = 15;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    request = sampling_start(5000);
    sampled[0].mode = 3;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    assert_int_equal(peer_ask(peer, sampling_start_of(5000, 0)), E_INVAL);
    request = sampling_start_of(5000, 3);
    sampled[2].event = sampled[1].event;
    assert_int_equal(peer_ask(peer, request), E_INVAL);
    assert_false(machine.sampling);
    peer_hang_up(peer);
}

static void cycles_of_the_cpu_are_neither_precise_nor_of_one_mode(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    request_t *request = sampling_start(5000);
    request->sampling_start->precise = true;
    assert_int_equal(peer_ask(peer, request), E_NOTSUP);
    request = sampling_start(5000);
    sampled[0].mode = ORRERY__DCI__COUNT_MODE__COUNT_MODE_USER;
    assert_int_equal(peer_ask(peer, request), E_NOTSUP);
    assert_false(machine.sampling);
    request = sampling_start(16);
    sampled[0].event = 16;
    request->sampling_start->precise = true;
    assert_int_equal(peer_ask(peer, request), 0);
    assert_int_equal(machine.asked.flags, SYS_SAMPLING_PRECISE);
    peer_hang_up(peer);
}

static void who_leaves_lets_go_of_everything(void **state)
{
    Orrery__Dci__DrefEnableRequest on = ORRERY__DCI__DREF_ENABLE_REQUEST__INIT;
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    struct peer *other = peer_connect_as(CONTROLLER_TOKEN);
    on.on = true;
    assert_int_equal(peer_ask(peer, REQUEST(DREF_ENABLE, dref_enable, &on)), 0);
    assert_int_equal(peer_ask(peer, REQUEST(DREF_ENABLE, dref_enable, &on)), 0);
    assert_int_equal(peer_ask(other, REQUEST(DREF_ENABLE, dref_enable, &on)), 0);
    assert_int_equal(machine.dref_users, 1); // the server's own hold, for both
    assert_int_equal(peer_ask(peer, sampling_start(5000)), 0);
    assert_int_equal(peer_ask(other, sampling_start(5000)), E_BUSY);
    assert_int_equal(subscribe(peer, 0x10, 0), 0);
    peer_hang_up(peer);
    assert_int_equal(machine.dref_users, 1);
    assert_false(machine.sampling);
    assert_int_equal(machine.mask, 5);
    assert_int_equal(peer_ask(other, sampling_start(5000)), 0);
    peer_hang_up(other);
    assert_int_equal(machine.dref_users, 0);
    assert_false(machine.sampling);
}

static void an_object_is_swapped_for_a_controller(void **state)
{
    Orrery__Dci__ObjectSwapRequest swap = ORRERY__DCI__OBJECT_SWAP_REQUEST__INIT;
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    swap.coid = 0x10010;
    swap.microseconds = 5000;
    swap.implementation = "SharedCounter";
    answer_t *answer = peer_answer(peer, REQUEST(OBJECT_SWAP, object_swap, &swap));
    assert_int_equal(answer->response->error, 0);
    answer_free(answer);
    assert_int_equal(machine.swapped.coid, 0x10010);
    assert_int_equal(machine.swapped.microseconds, 5000);
    swap.implementation = "Other";
    answer = peer_answer(peer, REQUEST(OBJECT_SWAP, object_swap, &swap));
    assert_int_equal(answer->response->error, E_NOENT);
    assert_string_equal(answer->response->message, "it cannot become that");
    answer_free(answer);
    machine.swapped.coid = 0;
    swap.pid = 3;
    swap.implementation = "SharedCounter";
    answer = peer_answer(peer, REQUEST(OBJECT_SWAP, object_swap, &swap));
    assert_int_equal(answer->response->error, E_NOTSUP);
    answer_free(answer);
    peer_hang_up(peer);
    struct peer *observer = peer_connect_as(OBSERVER_TOKEN);
    swap.pid = 0;
    answer = peer_answer(observer, REQUEST(OBJECT_SWAP, object_swap, &swap));
    assert_int_equal(answer->response->error, E_PERM);
    answer_free(answer);
    peer_hang_up(observer);
    assert_int_equal(machine.swapped.coid, 0);
}

static void a_workload_is_started_and_asked_after(void **state)
{
    Orrery__Dci__WorkloadStartRequest start = ORRERY__DCI__WORKLOAD_START_REQUEST__INIT;
    Orrery__Dci__WorkloadStatusRequest status = ORRERY__DCI__WORKLOAD_STATUS_REQUEST__INIT;
    (void)state;
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    start.command = "demo\xff\x01";
    answer_t *answer = peer_answer(peer, REQUEST(WORKLOAD_START, workload_start, &start));
    assert_int_equal(answer->response->error, E_NOENT);
    assert_string_equal(answer->response->message, "no workload demo??");
    answer_free(answer);
    start.command = "demo";
    answer = peer_answer(peer, REQUEST(WORKLOAD_START, workload_start, &start));
    assert_int_equal(answer->response->workload_start->id, 9);
    answer_free(answer);
    status.id = 9;
    answer = peer_answer(peer, REQUEST(WORKLOAD_STATUS, workload_status, &status));
    assert_true(answer->response->workload_status->running);
    assert_string_equal(answer->response->workload_status->report, "rounds 3\n");
    answer_free(answer);
    peer_hang_up(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_come_whole_and_in_order),
        cmocka_unit_test(a_begun_packet_comes_at_the_flush_interval),
        cmocka_unit_test(a_short_flush_interval_is_kept_while_it_is_quiet),
        cmocka_unit_test(a_program_and_viewers_do_not_share_packets),
        cmocka_unit_test(there_is_one_subscriber),
        cmocka_unit_test(a_slow_subscriber_leaves_packets_in_the_kernel_and_gets_them_all_later),
        cmocka_unit_test(a_sampler_gets_every_sample_and_the_exact_end),
        cmocka_unit_test(each_event_has_samples_and_statistics_of_its_own),
        cmocka_unit_test(a_change_by_anyone_is_told_to_the_sampler_in_its_place),
        cmocka_unit_test(samples_are_looked_for_at_intervals_not_at_every_round),
        cmocka_unit_test(a_refusal_is_told_in_the_machines_words),
        cmocka_unit_test(wrong_sampling_parameters_start_nothing),
        cmocka_unit_test(cycles_of_the_cpu_are_neither_precise_nor_of_one_mode),
        cmocka_unit_test(who_leaves_lets_go_of_everything),
        cmocka_unit_test(an_object_is_swapped_for_a_controller),
        cmocka_unit_test(a_workload_is_started_and_asked_after),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
