// SPDX-License-Identifier: MIT
// Monitors: a client's own end with it, kept ones do not and are for controllers; all records come,
// with sums that are exact; wrong requests change nothing.
#include "harness.h"

#include <orrery/monitors.h>
#include <string.h>

#define SWITCHES (1 << SYS_MONITOR_SWITCH)

static int make_machine(void **state)
{
    (void)state;
    memset(machine.monitors, 0, sizeof(machine.monitors));
    machine.capabilities = machine.monitors_max = 0;
    machine.processes[0] = (struct machine_process){.pid = 1};
    return 0;
}

// Its number, or an error.
static s64 create(struct peer *peer, bool kept, u64 bytes)
{
    Orrery__Dci__MonitorCreateRequest body = ORRERY__DCI__MONITOR_CREATE_REQUEST__INIT;
    body.kept = kept;
    body.bytes = bytes;
    answer_t *answer = peer_answer(peer, REQUEST(MONITOR_CREATE, monitor_create, &body));
    s64 result = answer->response->error;
    if (result == 0)
        result = answer->response->monitor_create->monitor;
    answer_free(answer);
    return result;
}

static s64 track(struct peer *peer, s64 monitor, u32 pid, u32 id, u64 kinds)
{
    Orrery__Dci__MonitorTrackRequest body = ORRERY__DCI__MONITOR_TRACK_REQUEST__INIT;
    body.monitor = (u32)monitor;
    body.pid = pid;
    body.id = id;
    body.kinds = kinds;
    return peer_ask(peer, REQUEST(MONITOR_TRACK, monitor_track, &body));
}

static s64 run(struct peer *peer, s64 monitor, bool on)
{
    Orrery__Dci__MonitorRunRequest body = ORRERY__DCI__MONITOR_RUN_REQUEST__INIT;
    body.monitor = (u32)monitor;
    body.on = on;
    return peer_ask(peer, REQUEST(MONITOR_RUN, monitor_run, &body));
}

static s64 stop(struct peer *peer, s64 monitor)
{
    Orrery__Dci__MonitorStopRequest body = ORRERY__DCI__MONITOR_STOP_REQUEST__INIT;
    body.monitor = (u32)monitor;
    return peer_ask(peer, REQUEST(MONITOR_STOP, monitor_stop, &body));
}

struct list {
    u32 count, kept, tracks, last_id;
    u64 kinds;
    bool running;
};

static struct list list(struct peer *peer)
{
    struct list found = {0};
    bool more = true;
    peer_request(peer, EMPTY(MONITORS, monitors, Monitors, MONITORS));
    server_settle();
    while (more) {
        answer_t *answer = peer_next(peer);
        assert_non_null(answer);
        assert_int_equal(answer->response->error, 0);
        more = answer->response->more;
        const Orrery__Dci__MonitorsReply *reply = answer->response->monitors;
        for (size_t i = 0; i < reply->n_monitors; i++) {
            const Orrery__Dci__Monitor *monitor = reply->monitors[i];
            assert_int_equal(monitor->n_cpus, MACHINE_CPUS);
            found.count++;
            found.kept += monitor->kept;
            found.running = monitor->running;
            found.tracks = (u32)monitor->n_tracks;
            for (size_t t = 0; t < monitor->n_tracks; t++) {
                found.last_id = monitor->tracks[t]->id;
                found.kinds = monitor->tracks[t]->kinds;
            }
        }
        answer_free(answer);
    }
    return found;
}

struct reading {
    u64 records, fired, lost, unread; // of all CPUs
    u32 frames;
};

static s64 read_all(struct peer *peer, s64 monitor, struct reading *reading)
{
    Orrery__Dci__MonitorReadRequest body = ORRERY__DCI__MONITOR_READ_REQUEST__INIT;
    u64 next[MACHINE_CPUS] = {0};
    Orrery__Dci__MonitorStat stats[MACHINE_CPUS] = {0};
    bool more = true;
    s64 error = 0;
    *reading = (struct reading){0};
    body.monitor = (u32)monitor;
    peer_request(peer, REQUEST(MONITOR_READ, monitor_read, &body));
    server_settle();
    for (; more && error == 0; reading->frames++) {
        answer_t *answer = peer_next(peer);
        assert_non_null(answer);
        error = answer->response->error;
        more = answer->response->more;
        const Orrery__Dci__MonitorReadReply *reply = answer->response->monitor_read;
        for (size_t i = 0; error == 0 && i < reply->n_records; i++) {
            const Orrery__Dci__MonitorRecord *record = reply->records[i];
            assert_int_equal(record->time, next[reply->cpu]++);
            assert_int_equal(record->id, 1000 + reply->cpu);
            assert_int_equal(record->kind, 0xff);
            assert_int_equal(record->reason, 0xff);
            assert_int_equal(record->lost, 0xffff);
            assert_true(record->word0 == UINT64_MAX && record->word1 == UINT64_MAX);
            reading->records++;
        }
        if (error == 0)
            stats[reply->cpu] = *reply->stat;
        answer_free(answer);
    }
    for (u32 cpu = 0; cpu < MACHINE_CPUS; cpu++) {
        reading->fired += stats[cpu].fired;
        reading->lost += stats[cpu].lost;
        reading->unread += stats[cpu].unread;
    }
    return error;
}

static void all_records_come_and_the_sums_are_exact(void **state)
{
    struct reading reading;
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    s64 monitor = create(peer, false, SYS_MONITOR_BYTES_MAX);
    assert_true(monitor > 0);
    assert_int_equal(track(peer, monitor, 1, 5, SWITCHES), 0);
    assert_int_equal(run(peer, monitor, true), 0);
    assert_true(machine.monitors[0].running);
    machine.monitors[0].fired[0] = 3;
    machine.monitors[0].fired[1] = 20000; // longer than a frame, and than a frame a page
    machine.monitors[0].lost[1] = 500;
    assert_int_equal(read_all(peer, monitor, &reading), 0);
    assert_int_equal(reading.records, 3 + 20000 - 500);
    assert_int_equal(reading.fired, reading.records + reading.unread + reading.lost);
    assert_int_equal(reading.unread, 0);
    assert_in_range(reading.frames, 20, 22);
    assert_int_equal(run(peer, monitor, false), 0);
    assert_false(machine.monitors[0].running);
    assert_int_equal(stop(peer, monitor), 0);
    assert_int_equal(machine.capabilities, 0);
    peer_hang_up(peer);
}

// A ring that fills as fast as it is read does not hold the server for ever.
static void a_reading_ends(void **state)
{
    struct reading reading;
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    s64 monitor = create(peer, false, SYS_MONITOR_BYTES_MIN);
    machine.monitors[0].fired[0] = 10000;
    assert_int_equal(read_all(peer, monitor, &reading), 0);
    assert_int_equal(reading.records, 1024);
    assert_int_equal(reading.unread, 10000 - 1024);
    peer_hang_up(peer);
}

static void those_of_a_client_end_with_it(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN), *other = peer_connect_as(OBSERVER_TOKEN);
    for (u32 i = 0; i < 4; i++)
        assert_true(create(peer, false, 0) > 0);
    assert_int_equal(create(peer, false, 0), E_LIMIT);
    assert_true(create(other, false, 0) > 0);
    assert_int_equal(list(peer).count, 4);
    assert_int_equal(list(other).count, 1);
    assert_int_equal(machine.capabilities, 5);
    peer_hang_up(peer);
    assert_int_equal(machine.capabilities, 1);
    assert_int_equal(list(other).count, 1);
    peer_hang_up(other);
    assert_int_equal(machine.capabilities, 0);
}

static void kept_ones_are_for_controllers(void **state)
{
    struct reading reading;
    (void)state;
    struct peer *observer = peer_connect_as(OBSERVER_TOKEN);
    struct peer *peer = peer_connect_as(CONTROLLER_TOKEN);
    assert_int_equal(create(observer, true, 0), E_PERM);
    s64 first = create(peer, true, 0);
    assert_true(first > 0);
    for (u32 i = 1; i < 16; i++)
        assert_true(create(peer, true, 0) > 0);
    assert_int_equal(create(peer, true, 0), E_LIMIT);
    assert_true(create(peer, false, 0) > 0); // of its own there are none yet
    assert_int_equal(list(observer).kept, 16);
    assert_int_equal(track(observer, first, 1, 5, SWITCHES), E_NOENT);
    assert_int_equal(run(observer, first, true), E_NOENT);
    assert_int_equal(read_all(observer, first, &reading), E_NOENT);
    assert_int_equal(stop(observer, first), E_NOENT);
    peer_hang_up(peer);
    assert_int_equal(list(observer).count, 16);
    peer = peer_connect_as(CONTROLLER_TOKEN);
    for (u32 i = 0; i < 16; i++)
        assert_int_equal(stop(peer, first + i), 0);
    assert_int_equal(list(observer).count, 0);
    assert_int_equal(machine.capabilities, 0);
    peer_hang_up(peer);
    peer_hang_up(observer);
}

static void wrong_requests_change_nothing(void **state)
{
    struct reading reading;
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN), *other = peer_connect_as(OBSERVER_TOKEN);
    assert_int_equal(create(peer, false, SYS_MONITOR_BYTES_MIN - 1), E_INVAL);
    assert_int_equal(create(peer, false, SYS_MONITOR_BYTES_MAX + 1), E_INVAL);
    machine.monitors_max = 1;
    s64 monitor = create(peer, false, 0);
    assert_int_equal(create(peer, false, 0), E_LIMIT); // the machine's
    assert_int_equal(track(other, monitor, 1, 5, SWITCHES), E_NOENT);
    assert_int_equal(read_all(other, monitor, &reading), E_NOENT);
    assert_int_equal(stop(other, monitor), E_NOENT);
    assert_int_equal(stop(peer, 0), E_NOENT);
    assert_int_equal(track(peer, monitor, 99, 5, SWITCHES), E_NOENT);
    assert_int_equal(track(peer, monitor, 1, 5, UINT64_MAX), E_INVAL);
    assert_int_equal(track(peer, monitor, 1, 5, 0), E_NOENT);
    assert_int_equal(list(peer).tracks, 0);
    assert_int_equal(machine.monitors[0].tracked, 0);
    peer_hang_up(peer);
    peer_hang_up(other);
    assert_int_equal(machine.capabilities, 0);
}

static void what_is_tracked_is_told(void **state)
{
    (void)state;
    struct peer *peer = peer_connect_as(OBSERVER_TOKEN);
    s64 monitor = create(peer, false, 0);
    assert_int_equal(track(peer, monitor, 1, 5, SWITCHES), 0);
    assert_int_equal(track(peer, monitor, 1, 6, SWITCHES), 0); // again: the new id
    struct list found = list(peer);
    assert_int_equal(found.tracks, 1);
    assert_int_equal(found.last_id, 6);
    assert_int_equal(found.kinds, SWITCHES);
    Orrery__Dci__MonitorTrackRequest body = ORRERY__DCI__MONITOR_TRACK_REQUEST__INIT;
    body.monitor = (u32)monitor;
    body.kinds = SWITCHES;
    for (body.thread = 1; body.thread < 32; body.thread++)
        assert_int_equal(peer_ask(peer, REQUEST(MONITOR_TRACK, monitor_track, &body)), 0);
    assert_int_equal(peer_ask(peer, REQUEST(MONITOR_TRACK, monitor_track, &body)), E_LIMIT);
    assert_int_equal(list(peer).tracks, 32);
    machine.processes[0].pid = 0;
    assert_int_equal(track(peer, monitor, 1, 0, 0), 0); // one that has ended
    assert_int_equal(list(peer).tracks, 31);
    peer_hang_up(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_records_come_and_the_sums_are_exact, make_machine),
        cmocka_unit_test_setup(a_reading_ends, make_machine),
        cmocka_unit_test_setup(those_of_a_client_end_with_it, make_machine),
        cmocka_unit_test_setup(kept_ones_are_for_controllers, make_machine),
        cmocka_unit_test_setup(wrong_requests_change_nothing, make_machine),
        cmocka_unit_test_setup(what_is_tracked_is_told, make_machine),
    };
    return cmocka_run_group_tests(tests, server_start, NULL);
}
