// SPDX-License-Identifier: MIT
// The trace that is shared: as sharing.c of sampling. The end of a subscription that yields takes
// several steps; whoever goes at any of them leaves the masks as they were.
#include "watcher.h"

#include "bounds.h"

#include <string.h>

static request_t *subscription(bool yielding)
{
    static Orrery__Dci__TraceSubscribeRequest body;
    static request_t request;
    body = (Orrery__Dci__TraceSubscribeRequest)ORRERY__DCI__TRACE_SUBSCRIBE_REQUEST__INIT;
    body.mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_DISCARD;
    body.set_mask = true;
    body.mask = yielding ? 0xf0 : 0xff;
    body.scope = ORRERY__DCI__SCOPE__SCOPE_ALL;
    body.yielding = yielding;
    request = *REQUEST(TRACE_SUBSCRIBE, trace_subscribe, &body);
    return &request;
}

static struct watcher controller(void)
{
    return watcher_connect(CONTROLLER_TOKEN, UINT64_MAX);
}

static struct watcher observer(void)
{
    return watcher_connect(OBSERVER_TOKEN, UINT64_MAX);
}

static void packets_come(u32 count)
{
    machine.packets[0] += count;
    machine.packets[1] += count / 2;
    machine.processes[0].packets[0] += count / 2;
    for (u32 i = 0; i < 10; i++)
        time_pass(20);
}

static void reset_machine(void)
{
    memset(machine.packets, 0, sizeof(machine.packets));
    memset(machine.packets_read, 0, sizeof(machine.packets_read));
    memset(machine.processes, 0, sizeof(machine.processes));
    machine.processes[0].pid = 3;
    machine.patience = 0;
    machine.mask = 5;
}

static void give_all_room(struct watcher *watcher)
{
    for (u32 i = 0; i < 100; i++) {
        peer_give_room(watcher->peer, 1000000);
        watcher_take(watcher);
    }
}

static void a_member_that_does_not_read_misses_alone(void **state)
{
    (void)state;
    reset_machine();
    struct watcher owner = controller(), member = observer(), late = observer();
    struct watcher lazy = watcher_connect(OBSERVER_TOKEN, 100);
    assert_int_equal(watcher_ask(&member, JOIN_TRACE), 0);
    assert_int_equal(watcher_ask(&lazy, JOIN_TRACE), 0);
    assert_int_equal(watcher_ask(&owner, subscription(false)), 0);
    packets_come(20);
    assert_int_equal(watcher_ask(&late, JOIN_TRACE), 0);
    packets_come(30);
    machine.begun[0] = true;
    assert_int_equal(watcher_ask(&owner, UNSUBSCRIBE), 0);
    assert_int_equal(owner.packets, 101);
    give_all_room(&lazy);
    struct watcher *const members[] = {&member, &late, &lazy};
    for (u32 i = 0; i < 3; i++) {
        watcher_take(members[i]);
        assert_int_equal(members[i]->ended, 1);
        assert_int_equal(members[i]->given, members[i]->packets);
        assert_int_equal(members[i]->before + members[i]->given + members[i]->missed, 101);
        assert_int_equal(members[i]->pushed, 101);
        assert_int_equal(members[i]->events, owner.response_events);
        assert_int_equal(members[i]->reason, ORRERY__DCI__SHARING_END__SHARING_END_STOPPED);
    }
    assert_int_equal(member.packets, 101);
    assert_int_equal(late.before, 40);
    assert_int_equal(lazy.packets, PUSH_BLOCKS_MAX); // the begin shares a block
    assert_true(lazy.missed_bytes > lazy.missed * PACKET_BYTES);
    assert_int_equal(machine.mask, 5);
    watcher_leaves(&owner);
    watcher_leaves(&member);
    watcher_leaves(&late);
    watcher_leaves(&lazy);
}

static void an_owner_that_goes_is_told_to_members(void **state)
{
    (void)state;
    reset_machine();
    struct watcher owner = controller(), member = observer();
    assert_int_equal(watcher_ask(&member, JOIN_TRACE), 0);
    assert_int_equal(watcher_ask(&owner, subscription(false)), 0);
    packets_come(10);
    watcher_leaves(&owner);
    watcher_take(&member);
    assert_int_equal(member.ended, 1);
    assert_int_equal(member.reason, ORRERY__DCI__SHARING_END__SHARING_END_OWNER_GONE);
    assert_int_equal(member.pushed, 20);
    assert_int_equal(member.packets, 20);
    assert_int_equal(machine.mask, 5);
    watcher_leaves(&member);
}

// The server's own process is left out, and logs nothing itself, until the subscription has ended,
// however it ends.
static void the_server_itself_is_left_out(void **state)
{
    (void)state;
    reset_machine();
    machine.self = 3;
    machine.processes[1].pid = 9;
    for (u32 how = 0; how < 3; how++) {
        struct watcher owner = controller(), other = controller();
        request_t *request = subscription(how == 2);
        request->trace_subscribe->leave_out_monitor = true;
        assert_int_equal(watcher_ask(&owner, request), 0);
        assert_true(machine.processes[0].left_out && !machine.processes[1].left_out);
        assert_int_equal(machine.processes[0].mask, 0);
        assert_int_equal(machine.processes[1].mask, how == 2 ? 0xf0 : 0xff);
        if (how == 0)
            assert_int_equal(watcher_ask(&owner, UNSUBSCRIBE), 0);
        else if (how == 2)
            assert_int_equal(watcher_ask(&other, subscription(false)), 0);
        if (how == 2)
            assert_int_equal(machine.processes[0].mask, 0xff); // the successor wants all
        watcher_leaves(&owner);
        watcher_leaves(&other);
        assert_false(machine.processes[0].left_out);
    }
    machine.self = 0;
}

static void one_that_yields_is_ended_exactly(void **state)
{
    (void)state;
    reset_machine();
    struct watcher gateway = controller(), member = observer(), recorder = controller();
    u32 number = watcher_number(&gateway), other = watcher_number(&recorder);
    assert_int_equal(watcher_ask(&gateway, JOIN_TRACE), 0);
    assert_int_equal(watcher_ask(&member, JOIN_TRACE), 0);
    assert_int_equal(watcher_ask(&gateway, subscription(true)), 0);
    packets_come(10);
    machine.packets[0] += 7; // not pushed yet
    machine.begun[1] = true;
    watcher_take(&gateway);
    gateway.running = true;
    assert_int_equal(watcher_ask(&recorder, subscription(false)), 0);
    assert_int_equal(recorder.displaced, number);
    assert_int_equal(machine.mask, 0xff);
    struct watcher *const both[] = {&gateway, &member};
    for (u32 i = 0; i < 2; i++) {
        watcher_take(both[i]);
        assert_int_equal(both[i]->ended, 1);
        assert_int_equal(both[i]->pushed, 28);
        assert_int_equal(both[i]->reason, ORRERY__DCI__SHARING_END__SHARING_END_DISPLACED);
        assert_int_equal(both[i]->successor, other);
        assert_int_equal(both[i]->begun, i + 1);
        assert_int_equal(both[i]->owner, other);
    }
    assert_int_equal(watcher_ask(&gateway, UNSUBSCRIBE), E_NOENT);
    packets_come(10);
    assert_int_equal(watcher_ask(&recorder, UNSUBSCRIBE), 0);
    watcher_take(&gateway);
    watcher_take(&member);
    assert_int_equal(recorder.packets, 20);
    assert_int_equal(gateway.packets, 20);
    assert_int_equal(member.packets, 20);
    assert_int_equal(machine.mask, 5); // not the gateway's
    watcher_leaves(&gateway);
    watcher_leaves(&member);
    watcher_leaves(&recorder);
}

static void one_that_yields_and_does_not_read_is_waited_for_a_second(void **state)
{
    (void)state;
    reset_machine();
    struct watcher gateway = watcher_connect(CONTROLLER_TOKEN, 100), recorder = controller();
    struct watcher member = observer();
    assert_int_equal(watcher_ask(&member, JOIN_TRACE), 0);
    assert_int_equal(watcher_ask(&gateway, subscription(true)), 0);
    packets_come(40);
    peer_request(recorder.peer, subscription(false));
    server_settle();
    time_pass(DISPLACED_MS - 10);
    watcher_take(&recorder);
    assert_false(recorder.answered);
    time_pass(20);
    watcher_take(&recorder);
    assert_true(recorder.answered);
    assert_int_equal(recorder.error, 0);
    give_all_room(&gateway);
    assert_int_equal(gateway.ended, 1);
    assert_int_equal(gateway.given, gateway.packets);
    assert_true(gateway.missed > 0);
    assert_int_equal(gateway.given + gateway.missed, 80);
    watcher_take(&member);
    assert_int_equal(member.begun, 2);
    watcher_leaves(&gateway);
    watcher_leaves(&member);
    watcher_leaves(&recorder);
}

static void one_that_yields_displaces_nobody(void **state)
{
    (void)state;
    reset_machine();
    struct watcher first = controller(), second = controller();
    assert_int_equal(watcher_ask(&first, subscription(true)), 0);
    assert_int_equal(watcher_ask(&first, subscription(false)), E_BUSY);
    assert_int_equal(watcher_ask(&second, subscription(true)), E_BUSY);
    assert_int_equal(watcher_ask(&second, JOIN_TRACE), 0);
    assert_int_equal(second.begun, 1);
    assert_int_equal(watcher_ask(&first, UNSUBSCRIBE), 0);
    assert_int_equal(watcher_ask(&first, subscription(false)), 0);
    assert_int_equal(first.displaced, 0);
    assert_int_equal(watcher_ask(&second, subscription(true)), E_BUSY);
    watcher_leaves(&first);
    watcher_leaves(&second);
}

// A mode throws the packets away: who yields is ended for it.
static void a_mode_displaces_one_that_yields(void **state)
{
    Orrery__Dci__TraceSetRequest set = ORRERY__DCI__TRACE_SET_REQUEST__INIT;
    (void)state;
    reset_machine();
    struct watcher gateway = controller(), setter = controller();
    set.mode = ORRERY__DCI__TRACE_MODE__TRACE_MODE_OVERWRITE;
    assert_int_equal(watcher_ask(&gateway, JOIN_TRACE), 0);
    assert_int_equal(watcher_ask(&gateway, subscription(true)), 0);
    packets_come(10);
    assert_int_equal(watcher_ask(&setter, REQUEST(TRACE_SET, trace_set, &set)), 0);
    watcher_take(&gateway);
    assert_int_equal(gateway.ended, 1);
    assert_int_equal(gateway.failed, 1); // and nothing follows
    assert_int_equal(gateway.given, 20);
    assert_int_equal(machine.mask, 5);
    assert_int_equal(watcher_ask(&gateway, subscription(false)), 0);
    assert_int_equal(watcher_ask(&setter, REQUEST(TRACE_SET, trace_set, &set)), E_BUSY);
    watcher_leaves(&gateway);
    watcher_leaves(&setter);
}

// At a step of a displacement the displaced or a member goes. For the others all goes on: members
// are told begin and end in turn, and the masks are in the end as they were.
static void go_at(u32 step, u32 who)
{
    reset_machine();
    machine.patience = 2;
    struct watcher clients[] = {controller(), controller(), observer(), observer()};
    assert_int_equal(watcher_ask(&clients[2], JOIN_TRACE), 0);
    assert_int_equal(watcher_ask(&clients[3], JOIN_TRACE), 0);
    assert_int_equal(watcher_ask(&clients[0], subscription(true)), 0);
    packets_come(4);
    machine.packets[0] += 40;
    peer_request(clients[1].peer, subscription(false));
    for (u32 i = 0; i < step; i++)
        server_round();
    watcher_leaves(&clients[who]);
    packets_come(4);
    struct watcher *witness = who == 3 ? &clients[2] : &clients[3];
    watcher_take(witness);
    assert_int_equal(witness->begun, 2);
    assert_true(witness->running);
    assert_int_equal(machine.mask, 0xff);
    assert_int_equal(machine.processes[0].mask, 0xff);
    assert_int_equal(watcher_ask(&clients[1], UNSUBSCRIBE), 0);
    watcher_take(witness);
    assert_int_equal(witness->ended, witness->begun);
    assert_int_equal(witness->before + witness->given + witness->missed, witness->pushed);
    assert_int_equal(machine.mask, 5);
    for (u32 i = 0; i < ARRAY_SIZE(clients); i++)
        if (clients[i].peer != NULL)
            watcher_leaves(&clients[i]);
}

static void whoever_goes_at_any_step_takes_nothing_from_others(void **state)
{
    (void)state;
    for (u32 step = 0; step < 40; step++) {
        go_at(step, 0);
        go_at(step, 2);
        go_at(step, 3);
    }
}

// The successor goes: whether it had begun by then or not, nothing is left of it.
static void a_successor_goes_at_any_step(void **state)
{
    u32 untouched = 0, followed = 0, failed = 0;
    (void)state;
    for (u32 step = 0; step < 40; step++) {
        reset_machine();
        machine.patience = 2;
        struct watcher gateway = controller(), member = observer(), successor = controller();
        assert_int_equal(watcher_ask(&gateway, JOIN_TRACE), 0);
        assert_int_equal(watcher_ask(&member, JOIN_TRACE), 0);
        assert_int_equal(watcher_ask(&gateway, subscription(true)), 0);
        packets_come(4);
        gateway.running = true;
        machine.packets[0] += 40;
        peer_request(successor.peer, subscription(false));
        for (u32 i = 0; i < step; i++)
            server_round();
        watcher_leaves(&successor);
        packets_come(4);
        watcher_take(&gateway);
        watcher_take(&member);
        bool displaced = gateway.ended > 0;
        assert_int_equal(member.running, !displaced);
        assert_int_equal(member.ended, displaced ? member.begun : 0);
        // Either a successor has begun, and gone, or it is told that none will.
        assert_int_equal(member.failed, displaced && member.begun == 1);
        untouched += !displaced;
        followed += displaced && member.failed == 0;
        failed += (u32)member.failed;
        assert_int_equal(machine.mask, displaced ? 5 : 0xf0);
        if (displaced)
            assert_int_equal(watcher_ask(&gateway, subscription(true)), 0);
        assert_int_equal(watcher_ask(&gateway, UNSUBSCRIBE), 0);
        assert_int_equal(machine.mask, 5);
        watcher_leaves(&gateway);
        watcher_leaves(&member);
    }
    assert_true(untouched > 0 && followed > 0 && failed > 0);
}

static void who_joins_twice_or_leaves_unjoined_is_refused(void **state)
{
    (void)state;
    reset_machine();
    struct watcher liar = controller(), stranger = {.peer = peer_connect(UINT64_MAX)};
    assert_int_equal(watcher_ask(&stranger, JOIN_TRACE), E_PERM);
    assert_int_equal(watcher_ask(&liar, LEAVE_TRACE), E_NOENT);
    assert_int_equal(watcher_ask(&liar, JOIN_TRACE), 0);
    assert_int_equal(watcher_ask(&liar, JOIN_TRACE), E_EXIST);
    assert_int_equal(watcher_ask(&liar, subscription(true)), 0);
    packets_come(10);
    assert_int_equal(watcher_ask(&liar, UNSUBSCRIBE), 0);
    assert_int_equal(liar.packets, 20); // once
    assert_int_equal(liar.begun + liar.ended, 0);
    watcher_leaves(&liar);
    watcher_leaves(&stranger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_that_does_not_read_misses_alone),
        cmocka_unit_test(an_owner_that_goes_is_told_to_members),
        cmocka_unit_test(the_server_itself_is_left_out),
        cmocka_unit_test(one_that_yields_is_ended_exactly),
        cmocka_unit_test(one_that_yields_and_does_not_read_is_waited_for_a_second),
        cmocka_unit_test(one_that_yields_displaces_nobody),
        cmocka_unit_test(a_mode_displaces_one_that_yields),
        cmocka_unit_test(whoever_goes_at_any_step_takes_nothing_from_others),
        cmocka_unit_test(a_successor_goes_at_any_step),
        cmocka_unit_test(who_joins_twice_or_leaves_unjoined_is_refused),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
