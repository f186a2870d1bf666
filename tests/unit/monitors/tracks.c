// SPDX-License-Identifier: MIT
// Sets of tracks: who is in them, and their lists.
#include <observe/monitors/tracks.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static char others[SYS_MONITORS_THREAD + 1]; // their addresses stand for monitors

static struct monitor *monitor(u32 number)
{
    return (struct monitor *)&others[number];
}

static void set(struct monitor_tracks *tracks, u32 number, u32 id)
{
    const struct monitor_track track = {.monitor = monitor(number), .id = id, .kinds = 1};

    monitor_tracks_set(tracks, &track);
}

static void a_monitor_is_there_once(void **state)
{
    struct monitor_tracks tracks = {0};

    (void)state;
    set(&tracks, 0, 5);
    set(&tracks, 1, 6);
    set(&tracks, 0, 7);
    assert_int_equal(tracks.count, 2);
    assert_int_equal(tracks.list[0].id, 7);
    assert_int_equal(tracks.list[1].id, 6);
    assert_true(monitor_tracks_remove(&tracks, monitor(0)));
    assert_false(monitor_tracks_remove(&tracks, monitor(0)));
    assert_int_equal(tracks.count, 1);
    assert_ptr_equal(tracks.list[0].monitor, monitor(1));
}

static void a_full_set_takes_only_who_is_there(void **state)
{
    struct monitor_tracks tracks = {0};

    (void)state;
    for (u32 i = 0; i < SYS_MONITORS_THREAD; i++) {
        assert_true(monitor_tracks_fit(&tracks, monitor(i), true));
        set(&tracks, i, i);
    }
    assert_false(monitor_tracks_fit(&tracks, monitor(SYS_MONITORS_THREAD), true));
    assert_true(monitor_tracks_fit(&tracks, monitor(3), true));
    assert_false(monitor_tracks_remove(&tracks, monitor(SYS_MONITORS_THREAD)));
    assert_true(monitor_tracks_remove(&tracks, monitor(3)));
    assert_true(monitor_tracks_fit(&tracks, monitor(SYS_MONITORS_THREAD), true));
}

static void the_last_places_are_for_who_may_track_all(void **state)
{
    const u32 room = SYS_MONITORS_THREAD - SYS_MONITORS_THREAD_RESERVED;
    struct monitor_tracks tracks = {0};

    (void)state;
    for (u32 i = 0; i < room; i++) {
        assert_true(monitor_tracks_fit(&tracks, monitor(i), false));
        set(&tracks, i, i);
    }
    assert_false(monitor_tracks_fit(&tracks, monitor(room), false));
    assert_true(monitor_tracks_fit(&tracks, monitor(room), true));
    set(&tracks, room, room);
    assert_true(monitor_tracks_fit(&tracks, monitor(room), false)); // it is there
    assert_true(monitor_tracks_fit(&tracks, monitor(0), false));
    assert_true(monitor_tracks_remove(&tracks, monitor(0)));
    assert_false(monitor_tracks_fit(&tracks, monitor(0), false));
}

static void lists_survive_any_order_of_leaving(void **state)
{
    struct monitor_tracks *list = NULL, tracks[3] = {0};

    (void)state;
    for (u32 first = 0; first < 3; first++) {
        for (u32 i = 0; i < 3; i++)
            monitor_tracks_link(&tracks[i], &list);
        for (u32 i = 0; i < 3; i++)
            monitor_tracks_unlink(&tracks[(first + i) % 3]);
        assert_null(list);
    }
}

static void what_the_thread_told_comes_before_its_monitors(void **state)
{
    struct monitor_tracks tracks = {0};

    (void)state;
    set(&tracks, 0, 5);
    assert_ptr_equal(tracks.first, tracks.list);
    assert_int_equal(tracks.fires, 1);
    monitor_tracks_ask(&tracks, true);
    assert_ptr_equal(tracks.first->ring, &tracks.library_ring);
    assert_ptr_equal(tracks.first + 1, tracks.list);
    assert_int_equal(tracks.fires, 2);
    set(&tracks, 1, 6);
    assert_int_equal(tracks.fires, 3);
    assert_true(monitor_tracks_remove(&tracks, monitor(0)));
    assert_true(monitor_tracks_remove(&tracks, monitor(1)));
    assert_int_equal(tracks.fires, 1);
    monitor_tracks_ask(&tracks, false);
    assert_ptr_equal(tracks.first, tracks.list);
    assert_int_equal(tracks.fires, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_monitor_is_there_once),
        cmocka_unit_test(a_full_set_takes_only_who_is_there),
        cmocka_unit_test(the_last_places_are_for_who_may_track_all),
        cmocka_unit_test(what_the_thread_told_comes_before_its_monitors),
        cmocka_unit_test(lists_survive_any_order_of_leaving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
