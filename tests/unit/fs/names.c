// SPDX-License-Identifier: MIT
// Names of the fs server: directories, listings, mount points, names that stay.
#include "calls.h"
#include "filesystem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void directories_keep_their_rules(void **state)
{
    (void)state;
    assert_int_equal(fs_server_make_directory(&caller, "/d"), 0);
    assert_int_equal(fs_server_make_directory(&caller, "/d"), E_EXIST);
    assert_int_equal(fs_server_make_directory(&caller, "/"), E_EXIST);
    assert_int_equal(fs_server_make_directory(&caller, "/d/e/f"), E_NOENT);
    assert_int_equal(fs_server_make_directory(&caller, "/d/e"), 0);
    assert_int_equal(fs_server_remove(&caller, "/d"), E_NOTEMPTY);
    assert_int_equal(fs_server_remove(&caller, "/"), E_BUSY);
    assert_int_equal(fs_server_rename(&caller, "/d", "/d/e/inside"), E_INVAL);
    assert_int_equal(fs_server_rename(&caller, "/d", "/d/inside"), E_INVAL);
    assert_int_equal(fs_server_rename(&caller, "/", "/x"), E_BUSY);
    u64 file = opened("/f", RW | FS_CREATE);
    assert_int_equal(fs_server_make_directory(&caller, "/f/x"), E_NOTDIR);
    assert_int_equal(fs_server_rename(&caller, "/f", "/d"), E_ISDIR);
    assert_int_equal(fs_server_rename(&caller, "/d", "/f"), E_NOTDIR);
    assert_int_equal(fs_server_rename(&caller, "/d/e", "/e"), 0);
    assert_int_equal(fs_server_rename(&caller, "/e", "/d"), 0); // an empty directory is replaced
    assert_int_equal(fs_server_rename(&caller, "/f", "/d/g"), 0);
    assert_true(is_there("/d/g") && !is_there("/f") && !is_there("/e"));
    fs_server_close(&caller, file);
    remove_all("/d/g");
    remove_all("/d");
}

static void listings_are_complete_in_small_pieces(void **state)
{
    (void)state;
    char name[300];
    u64 next, bytes, cursor = 0, file;
    u8 data[600];
    u32 seen = 0;
    assert_int_equal(fs_server_make_directory(&caller, "/l"), 0);
    for (u32 i = 0; i < 50; i++) {
        snprintf(name, sizeof(name), "/l/%0*u", (int)(1 + i * 5), i);
        fs_server_close(&caller, opened(name, RW | FS_CREATE));
    }
    assert_int_equal(open_as("/l", FS_READ | FS_DIRECTORY, PID, &file), 0);
    assert_int_equal(fs_server_list(&caller, file, 0, &next, data, 10, &bytes), E_INVAL);
    do {
        assert_int_equal(fs_server_list(&caller, file, cursor, &next, data, sizeof(data), &bytes),
                         0);
        cursor = next;
        for (u64 at = 0; at < bytes;) {
            struct fs_entry entry;
            memcpy(&entry, data + at, sizeof(entry));
            assert_int_equal(entry.name_bytes, 1 + seen * 5 < 2 ? 1 : 1 + seen * 5);
            at += ALIGN_UP(sizeof(entry) + entry.name_bytes, 8UL);
            snprintf(name, sizeof(name), "/l/%0*u", (int)(1 + seen * 5), seen);
            remove_all(name); // while it is read
            seen++;
        }
    } while (bytes > 0);
    assert_int_equal(seen, 50);
    fs_server_close(&caller, file);
    remove_all("/l");
}

static void mount_points_send_clients_away(void **state)
{
    (void)state;
    char entry[FS_PATH_MAX + 1];
    struct fs_stat info;
    u64 file;
    assert_int_equal(fs_server_make_directory(&caller, "/m"), 0);
    assert_int_equal(fs_server_make_directory(&caller, "/m/n"), 0);
    assert_int_equal(fs_server_mount(&(struct ipc_caller){.pid = OTHER}, "/m/n", "s"), E_PERM);
    assert_int_equal(fs_server_mount(&caller, "/none", "s"), E_NOENT);
    assert_int_equal(fs_server_mount(&caller, "/m/", "s"), E_INVAL);
    assert_int_equal(fs_server_mount(&caller, "/", "s"), E_INVAL);
    assert_int_equal(fs_server_mount(&caller, "m", "s"), E_INVAL);
    assert_int_equal(fs_server_mount(&caller, "/m/n", "with blank"), E_INVAL);
    assert_int_equal(fs_server_mount(&caller, "/m/n", "service"), 0);
    assert_int_equal(fs_server_mount(&caller, "/m/n", "other"), E_EXIST);
    assert_int_equal(fs_server_stat(&caller, "/m/n", &info), E_AGAIN);
    assert_int_equal(open_as("/m/n/x", RW | FS_CREATE, PID, &file), E_AGAIN);
    assert_int_equal(fs_server_remove(&caller, "/m/n"), E_AGAIN);
    assert_int_equal(fs_server_rename(&caller, "/m", "/k"), E_BUSY);
    assert_int_equal(fs_server_mounts(&caller, 0, entry, sizeof(entry)), 0);
    assert_string_equal(entry, "/m/n service");
    assert_int_equal(fs_server_mounts(&caller, 1, entry, sizeof(entry)), E_NOENT);
    assert_int_equal(fs_server_mount(&caller, "/m/n", ""), 0);
    assert_int_equal(fs_server_mount(&caller, "/m/n", ""), E_NOENT);
    assert_int_equal(fs_server_stat(&caller, "/m/n", &info), 0);
    remove_all("/m/n");
    remove_all("/m");
}

static void fixed_names_stay(void **state)
{
    (void)state;
    u64 file;
    assert_int_equal(fs_server_make_directory(&caller, "/fixed"), 0);
    assert_int_equal(fs_server_make_directory(&caller, "/fixed/deep"), 0);
    fs_server_close(&caller, opened("/fixed/deep/f", RW | FS_CREATE));
    filesystem_fix();
    fs_server_close(&caller, opened("/fixed/g", RW | FS_CREATE));
    assert_int_equal(fs_server_remove(&caller, "/fixed/deep/f"), E_PERM);
    assert_int_equal(fs_server_rename(&caller, "/fixed/deep/f", "/x"), E_PERM);
    assert_int_equal(fs_server_rename(&caller, "/fixed", "/x"), E_PERM);
    assert_int_equal(fs_server_rename(&caller, "/fixed/g", "/fixed/deep/f"), E_PERM);
    assert_int_equal(fs_server_rename(&caller, "/fixed/g", "/h"), 0);
    remove_all("/h");
    assert_int_equal(open_as("/fixed/deep/f", RW, PID, &file), 0);
    fs_server_close(&caller, file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directories_keep_their_rules),
        cmocka_unit_test(listings_are_complete_in_small_pieces),
        cmocka_unit_test(mount_points_send_clients_away),
        cmocka_unit_test(fixed_names_stay),
    };
    return cmocka_run_group_tests_name("fs_names", tests, server_start, NULL);
}
