// SPDX-License-Identifier: MIT
// Sampling that is shared. Members get what the owner gets, or are told what they missed. Sampling
// that yields gives way, to its exact end. Whoever goes, at whatever step, takes nothing from
// others.
#include "watcher.h"

#include "bounds.h"

#include <string.h>

static request_t *start(bool yielding)
{
    return sampling_request(yielding, 0);
}

static struct watcher controller(void)
{
    return watcher_connect(CONTROLLER_TOKEN, UINT64_MAX);
}

static struct watcher observer(void)
{
    return watcher_connect(OBSERVER_TOKEN, UINT64_MAX);
}

static void samples_come(u64 count)
{
    machine.samples[0] += count;
    machine.samples[1] += count / 2;
    time_pass(50);
}

static void reset_machine(void)
{
    memset(machine.samples, 0, sizeof(machine.samples));
    memset(machine.samples_read, 0, sizeof(machine.samples_read));
    machine.sample_pids = false;
}

static void check_sums(const struct watcher *member, const struct watcher *owner)
{
    assert_int_equal(member->given, member->samples);
    assert_int_equal(member->before + member->given + member->missed, member->pushed);
    assert_int_equal(member->pushed, owner->samples);
    assert_int_equal(member->pushed, member->taken - member->filtered);
}

static void a_member_that_does_not_read_misses_alone(void **state)
{
    (void)state;
    struct watcher owner = controller(), member = observer(), late = observer();
    struct watcher lazy = watcher_connect(OBSERVER_TOKEN, 100);
    assert_int_equal(watcher_ask(&member, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&lazy, JOIN_SAMPLING), 0);
    assert_int_equal(member.begun, 0); // nothing runs yet
    machine.sample_pids = true;
    assert_int_equal(watcher_ask(&owner, sampling_request(false, 2)), 0);
    samples_come(20000);
    assert_int_equal(watcher_ask(&late, JOIN_SAMPLING), 0);
    for (u32 i = 0; i < 5; i++)
        samples_come(10000);
    assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
    assert_int_equal(owner.response_taken, 105000);
    watcher_take(&member);
    watcher_take(&late);
    for (u32 i = 0; i < 100; i++) {
        peer_give_room(lazy.peer, 1000000);
        watcher_take(&lazy);
    }
    check_sums(&member, &owner);
    check_sums(&late, &owner);
    check_sums(&lazy, &owner);
    assert_int_equal(member.missed, 0);
    assert_int_equal(late.missed, 0);
    assert_int_equal(member.before, 0);
    assert_in_range(late.before, 15000, 23000);
    assert_true(member.filtered > 0 && lazy.missed > 0 && lazy.given > 0);
    assert_true(lazy.missed_bytes > lazy.missed * 100);
    assert_int_equal(member.reason, ORRERY__DCI__SHARING_END__SHARING_END_STOPPED);
    watcher_leaves(&member);
    watcher_leaves(&late);
    watcher_leaves(&lazy);
    watcher_leaves(&owner);
    reset_machine();
}

// What it missed stands before the next samples that it gets.
static void who_reads_on_is_told_what_it_missed(void **state)
{
    (void)state;
    struct watcher owner = controller(), lazy = watcher_connect(OBSERVER_TOKEN, 100);
    assert_int_equal(watcher_ask(&lazy, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&owner, start(false)), 0);
    samples_come(60000);
    samples_come(10);
    for (u32 i = 0; i < 100; i++)
        peer_give_room(lazy.peer, 1000000);
    watcher_take(&lazy);
    u64 first = lazy.samples;
    assert_int_equal(lazy.missed, 0); // not told yet
    samples_come(100);
    watcher_take(&lazy);
    assert_true(lazy.missed > 0);
    assert_int_equal(lazy.samples, first + 150);
    assert_int_equal(first + lazy.missed, 60000 + 30000 + 10 + 5);
    assert_int_equal(watcher_ask(&lazy, LEAVE_SAMPLING), 0);
    assert_int_equal(lazy.given, first + 150);
    samples_come(100);
    watcher_take(&lazy);
    assert_int_equal(lazy.samples, first + 150);
    watcher_leaves(&owner);
    watcher_leaves(&lazy);
    reset_machine();
}

static void an_owner_that_goes_leaves_members_the_exact_end(void **state)
{
    (void)state;
    struct watcher owner = controller(), member = observer();
    assert_int_equal(watcher_ask(&member, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&owner, start(true)), 0);
    samples_come(1000);
    machine.samples[0] += 5000; // not pushed yet
    watcher_leaves(&owner);
    watcher_take(&member);
    assert_false(machine.sampling);
    assert_int_equal(member.reason, ORRERY__DCI__SHARING_END__SHARING_END_OWNER_GONE);
    assert_int_equal(member.samples, 6500);
    assert_int_equal(member.taken, 6500);
    assert_int_equal(member.pushed, 6500);
    assert_int_equal(member.ended, 1);
    watcher_leaves(&member);
    reset_machine();
}

static void one_that_yields_is_ended_exactly(void **state)
{
    (void)state;
    struct watcher gateway = controller(), member = observer(), recorder = controller();
    u32 number = watcher_number(&gateway), other = watcher_number(&recorder);
    assert_int_equal(watcher_ask(&gateway, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&member, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&gateway, start(true)), 0);
    samples_come(1000);
    machine.samples[0] += 5000;
    watcher_take(&gateway);
    assert_int_equal(gateway.begun, 0); // as the owner it knows
    gateway.running = true;
    assert_int_equal(watcher_ask(&recorder, start(false)), 0);
    assert_int_equal(recorder.displaced, number);
    assert_true(machine.sampling);
    // Both are told the end of the old one, then, as members, of the new one.
    struct watcher *const both[] = {&gateway, &member};
    for (u32 i = 0; i < 2; i++) {
        watcher_take(both[i]);
        assert_int_equal(both[i]->ended, 1);
        assert_int_equal(both[i]->pushed, 6500);
        assert_int_equal(both[i]->taken, 6500);
        assert_int_equal(both[i]->reason, ORRERY__DCI__SHARING_END__SHARING_END_DISPLACED);
        assert_int_equal(both[i]->successor, other);
        assert_int_equal(both[i]->begun, i + 1);
        assert_int_equal(both[i]->owner, other);
    }
    reset_machine(); // counts anew
    samples_come(100);
    assert_int_equal(watcher_ask(&recorder, STOP_SAMPLING), 0);
    watcher_take(&gateway);
    watcher_take(&member);
    check_sums(&gateway, &recorder);
    check_sums(&member, &recorder);
    assert_int_equal(recorder.samples, 150);
    assert_int_equal(watcher_ask(&gateway, start(true)), 0);
    watcher_leaves(&recorder);
    watcher_leaves(&gateway);
    watcher_leaves(&member);
    reset_machine();
}

// The one that starts does not wait for it.
static void one_that_yields_and_does_not_read_is_told_what_it_missed(void **state)
{
    (void)state;
    struct watcher gateway = watcher_connect(CONTROLLER_TOKEN, 100), recorder = controller();
    assert_int_equal(watcher_ask(&gateway, start(true)), 0);
    for (u32 i = 0; i < 3; i++)
        samples_come(40000);
    assert_true(machine.samples[0] > 0); // left in the buffers
    assert_int_equal(watcher_ask(&recorder, start(false)), 0);
    assert_int_equal(machine.samples[0], 0);
    for (u32 i = 0; i < 100; i++)
        peer_give_room(gateway.peer, 1000000);
    watcher_take(&gateway);
    assert_int_equal(gateway.ended, 1);
    assert_true(gateway.missed > 0);
    assert_int_equal(gateway.given, gateway.samples);
    assert_int_equal(gateway.given + gateway.missed, 180000);
    assert_int_equal(gateway.taken, 180000);
    watcher_leaves(&gateway);
    watcher_leaves(&recorder);
    reset_machine();
}

static void one_that_yields_displaces_nobody(void **state)
{
    (void)state;
    struct watcher first = controller(), second = controller();
    assert_int_equal(watcher_ask(&first, start(true)), 0);
    assert_int_equal(watcher_ask(&first, start(false)), E_BUSY); // nor itself
    assert_int_equal(watcher_ask(&second, start(true)), E_BUSY);
    assert_int_equal(watcher_ask(&second, JOIN_SAMPLING), 0);
    assert_int_equal(second.begun, 1);
    assert_int_equal(watcher_ask(&first, STOP_SAMPLING), 0);
    assert_int_equal(watcher_ask(&first, start(false)), 0);
    assert_int_equal(first.displaced, 0);
    assert_int_equal(watcher_ask(&second, start(true)), E_BUSY);
    assert_int_equal(watcher_ask(&second, start(false)), E_BUSY);
    watcher_take(&second);
    assert_int_equal(second.begun, 2);
    watcher_leaves(&first);
    watcher_leaves(&second);
    reset_machine();
}

static void a_start_that_is_refused_displaces_nobody(void **state)
{
    (void)state;
    struct watcher gateway = controller(), member = observer(), recorder = controller();
    assert_int_equal(watcher_ask(&member, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&gateway, start(true)), 0);
    machine.sampling_refused = "no counter";
    assert_int_equal(watcher_ask(&recorder, start(false)), E_LIMIT);
    machine.sampling_refused = NULL;
    samples_come(100);
    watcher_take(&gateway);
    assert_int_equal(gateway.samples, 150);
    assert_int_equal(gateway.ended, 0);
    // What shows only when the old one has ended is told to those who wait for a new one.
    machine.sampling_fails = true;
    assert_int_equal(watcher_ask(&recorder, start(false)), E_BUSY);
    machine.sampling_fails = false;
    watcher_take(&gateway);
    watcher_take(&member);
    assert_int_equal(gateway.ended, 1);
    assert_int_equal(gateway.failed, 0); // no member
    assert_int_equal(member.ended, 1);
    assert_int_equal(member.failed, 1);
    assert_int_equal(watcher_ask(&gateway, STOP_SAMPLING), E_NOENT);
    assert_int_equal(watcher_ask(&gateway, start(true)), 0);
    watcher_leaves(&gateway);
    watcher_leaves(&member);
    watcher_leaves(&recorder);
    reset_machine();
}

// A stop that waits for room is overtaken by another one's start.
static void one_that_stops_may_be_displaced(void **state)
{
    (void)state;
    struct watcher gateway = watcher_connect(CONTROLLER_TOKEN, 100), recorder = controller();
    assert_int_equal(watcher_ask(&gateway, start(true)), 0);
    for (u32 i = 0; i < 3; i++)
        samples_come(40000);
    peer_request(gateway.peer, STOP_SAMPLING);
    server_settle();
    assert_false(machine.sampling);
    assert_true(machine.samples[0] > 0);
    assert_int_equal(watcher_ask(&recorder, start(false)), 0);
    for (u32 i = 0; i < 100; i++)
        peer_give_room(gateway.peer, 1000000);
    watcher_take(&gateway);
    assert_int_equal(gateway.given + gateway.missed, 180000);
    assert_int_equal(gateway.error, E_NOENT);
    assert_true(machine.sampling); // the recorder's
    watcher_leaves(&gateway);
    watcher_leaves(&recorder);
    reset_machine();
}

static void who_joins_twice_or_leaves_unjoined_is_refused(void **state)
{
    (void)state;
    struct watcher liar = controller(), stranger = {.peer = peer_connect(UINT64_MAX)};
    assert_int_equal(watcher_ask(&stranger, JOIN_SAMPLING), E_PERM);
    assert_int_equal(watcher_ask(&liar, LEAVE_SAMPLING), E_NOENT);
    assert_int_equal(watcher_ask(&liar, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&liar, JOIN_SAMPLING), E_EXIST);
    assert_int_equal(watcher_ask(&liar, LEAVE_TRACE), E_NOENT);
    // An owner that has joined gets everything once.
    assert_int_equal(watcher_ask(&liar, start(true)), 0);
    samples_come(100);
    assert_int_equal(watcher_ask(&liar, LEAVE_SAMPLING), 0);
    assert_int_equal(liar.given, 0);
    assert_int_equal(watcher_ask(&liar, JOIN_SAMPLING), 0);
    samples_come(100);
    assert_int_equal(watcher_ask(&liar, STOP_SAMPLING), 0);
    assert_int_equal(liar.samples, 300);
    assert_int_equal(liar.response_taken, 300);
    assert_int_equal(liar.begun + liar.ended, 0);
    watcher_leaves(&liar);
    watcher_leaves(&stranger);
    reset_machine();
}

static void a_change_is_told_to_members(void **state)
{
    Orrery__Dci__SamplingChangeRequest change = ORRERY__DCI__SAMPLING_CHANGE_REQUEST__INIT;
    (void)state;
    struct watcher owner = controller();
    struct peer *member = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(watcher_ask(&owner, start(false)), 0);
    change.period = 7000;
    assert_int_equal(watcher_ask(&owner, REQUEST(SAMPLING_CHANGE, sampling_change, &change)), 0);
    assert_int_equal(peer_ask(member, JOIN_SAMPLING), 0);
    answer_t *answer = peer_next(member);
    assert_int_equal(answer->event->sampling_began->start->events[0]->period, 7000);
    answer_free(answer);
    change.period = 8000;
    assert_int_equal(watcher_ask(&owner, REQUEST(SAMPLING_CHANGE, sampling_change, &change)), 0);
    answer = peer_next(member);
    assert_int_equal(answer->event->sampling_changed->period, 8000);
    answer_free(answer);
    watcher_leaves(&owner);
    peer_hang_up(member);
    machine.sampled_period = 0;
    reset_machine();
}

// With its queue full it keeps room for news; when that is used up it is let go.
static void a_member_without_room_for_news_is_disconnected(void **state)
{
    (void)state;
    struct watcher owner = controller(), lazy = watcher_connect(OBSERVER_TOKEN, 100);
    assert_int_equal(watcher_ask(&lazy, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&owner, start(false)), 0);
    samples_come(60000);
    for (u32 i = 0; i < 100; i++) {
        assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
        assert_int_equal(watcher_ask(&owner, start(false)), 0);
    }
    assert_false(peer_aborted(lazy.peer));
    for (u32 i = 0; i < 2000; i++) {
        assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
        assert_int_equal(watcher_ask(&owner, start(false)), 0);
    }
    time_pass(CLOSE_SECONDS * 1000 + 1);
    assert_true(peer_aborted(lazy.peer));
    samples_come(100);
    assert_int_equal(watcher_ask(&owner, STOP_SAMPLING), 0);
    watcher_leaves(&owner);
    peer_hang_up(lazy.peer);
    reset_machine();
}

static void the_account_shows_who_shares(void **state)
{
    (void)state;
    struct watcher owner = controller(), member = observer();
    assert_int_equal(watcher_ask(&member, JOIN_SAMPLING), 0);
    assert_int_equal(watcher_ask(&owner, start(true)), 0);
    watcher_take(&member);
    answer_t *answer =
        peer_answer(member.peer, EMPTY(SERVER_STAT, server_stat, ServerStat, SERVER_STAT));
    Orrery__Dci__ServerStat *stat = answer->response->server_stat;
    for (size_t i = 0; i < stat->n_clients; i++) {
        const Orrery__Dci__ClientStat *client = stat->clients[i];
        assert_int_equal(client->sampling_member, client->self);
        assert_int_equal(client->sampling_yields, !client->self);
        assert_int_equal(client->sampling, !client->self);
        assert_false(client->tracing_member || client->tracing_yields);
    }
    answer_free(answer);
    watcher_leaves(&owner);
    watcher_leaves(&member);
    reset_machine();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_that_does_not_read_misses_alone),
        cmocka_unit_test(who_reads_on_is_told_what_it_missed),
        cmocka_unit_test(an_owner_that_goes_leaves_members_the_exact_end),
        cmocka_unit_test(one_that_yields_is_ended_exactly),
        cmocka_unit_test(one_that_yields_and_does_not_read_is_told_what_it_missed),
        cmocka_unit_test(one_that_yields_displaces_nobody),
        cmocka_unit_test(a_start_that_is_refused_displaces_nobody),
        cmocka_unit_test(one_that_stops_may_be_displaced),
        cmocka_unit_test(who_joins_twice_or_leaves_unjoined_is_refused),
        cmocka_unit_test(a_change_is_told_to_members),
        cmocka_unit_test(a_member_without_room_for_news_is_disconnected),
        cmocka_unit_test(the_account_shows_who_shares),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
