// SPDX-License-Identifier: MIT
// Handles of the fs server: whose they are, how many there are, when they go.
#include "calls.h"
#include "opening.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool nobody(u32 pid, void *context)
{
    return pid != *(u32 *)context;
}

static bool nobody_else(u32 pid, void *context)
{
    return pid == *(u32 *)context;
}

static void handles_belong_to_processes(void **state)
{
    (void)state;
    u64 first, copy, file, count = 0, all[HANDLES_OF_PROCESS_MAX];
    struct ipc_caller other = {.pid = OTHER}, child = {.pid = CHILD};
    u32 gone = CHILD;
    first = opened("/f", RW | FS_CREATE);
    written(first, FS_CURRENT, "abc");
    assert_int_equal(fs_server_duplicate(&caller, first, &copy), 0);
    assert_int_not_equal(first, copy);
    written(copy, FS_CURRENT, "def"); // one position
    assert_int_equal(fs_server_close(&other, first), E_STALE);
    assert_int_equal(fs_server_duplicate(&other, first, &file), E_STALE);
    assert_int_equal(fs_server_give(&other, first, OTHER), E_PERM);
    assert_int_equal(fs_server_give(&caller, copy, OTHER), E_PERM);
    assert_int_equal(fs_server_give(&caller, copy, PID), E_PERM);
    assert_int_equal(fs_server_give(&caller, copy, 0), E_PERM);
    assert_int_equal(fs_server_give(&caller, copy, CHILD), 0);
    assert_int_equal(fs_server_close(&caller, copy), E_STALE);
    assert_int_equal(fs_server_duplicate(&child, copy, &file), 0);
    handles_sweep(&open_files, nobody, &gone);
    assert_int_equal(fs_server_close(&child, copy), E_STALE);
    assert_int_equal(fs_server_close(&child, file), E_STALE);
    holds(first, 0, "abcdef");
    remove_all("/f");
    holds(first, 0, "abcdef");
    fs_server_close(&caller, first);
    while (open_as("/g", RW | FS_CREATE, OTHER, &file) == 0)
        all[count++] = file;
    assert_int_equal(count, HANDLES_OF_PROCESS_MAX);
    first = opened("/g", RW); // others still can
    fs_server_close(&caller, first);
    while (count > 0)
        assert_int_equal(fs_server_close(&other, all[--count]), 0);
    remove_all("/g");
    assert_int_equal(openings_count(), 0);
}

// However many processes without rights there are, who has one finds handles left.
static void some_handles_are_kept_for_those_with_rights(void **state)
{
    (void)state;
    u64 file, count = 0;
    u32 pid = OTHER;
    fs_server_close(&caller, opened("/g", RW | FS_CREATE));
    for (u32 full = 0; full < 2; pid++) {
        full = open_as("/g", RW, pid, &file) != 0 ? full + 1 : 0;
        while (open_as("/g", RW, pid, &file) == 0)
            count++;
    }
    assert_true(openings_count() == HANDLES_MAX - HANDLES_RESERVED);
    file = opened("/g", RW);
    assert_int_equal(fs_server_give(&caller, file, CHILD), E_LIMIT); // which has none
    fs_server_close(&caller, file);
    u32 alive = 0;
    handles_sweep(&open_files, nobody_else, &alive);
    assert_int_equal(openings_count(), 0);
    remove_all("/g");
}

// A request may be at work longer than whoever made it lives, and no sweep follows.
static void who_has_ended_gets_no_handle(void **state)
{
    (void)state;
    u64 file, copy;
    u32 nobody_lives = 0;
    struct ipc_caller other = {.pid = OTHER};
    assert_int_equal(open_as("/f", RW | FS_CREATE, OTHER, &file), 0);
    host_ended = OTHER;
    assert_int_equal(fs_server_duplicate(&other, file, &copy), E_PEER);
    assert_int_equal(open_as("/f", RW, OTHER, &copy), E_PEER);
    assert_int_equal(openings_count(), 1);
    handles_sweep(&open_files, nobody_else, &nobody_lives);
    assert_int_equal(openings_count(), 0);
    host_ended = 0;
    remove_all("/f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_belong_to_processes),
        cmocka_unit_test(some_handles_are_kept_for_those_with_rights),
        cmocka_unit_test(who_has_ended_gets_no_handle),
    };
    return cmocka_run_group_tests_name("fs_handles", tests, server_start, NULL);
}
