// SPDX-License-Identifier: MIT
// /data on a disk in memory. What was saved is found again. A power cut at any sector, damage and
// hostile contents leave the older state or an error, never half of one. A disk that is full stays
// as it was.
#include "archive.h"
#include "files.h"
#include "filesystem.h"
#include "host.h"
#include "kept.h"
#include "node.h"
#include "opening.h"
#include "snapshot.h"
#include "store.h"

#include <cpio/cpio.h>
#include <ipc/fs.h>
#include <orrery/sys.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define DISK_BYTES 0x40000UL
#define SLOT_BYTES (DISK_BYTES / 2)
#define NO_CUT UINT64_MAX

// ---- the disk ----------------------------------------------------------------------------------

static u8 disk[DISK_BYTES];
static u64 disk_bytes; // 0: none
static u64 power;      // sectors that can be written until it fails
static bool fails;     // reads do

s64 sys_block_info(struct sys_block_info *info)
{
    *info = (struct sys_block_info){.bytes = disk_bytes};
    return disk_bytes == 0 ? E_NOENT : 0;
}

static void check_transfer(u64 offset, u64 bytes)
{
    assert_true(offset % BLOCK_SECTOR == 0 && bytes % BLOCK_SECTOR == 0);
    assert_true(bytes <= BLOCK_TRANSFER_MAX && offset <= disk_bytes &&
                bytes <= disk_bytes - offset);
}

s64 sys_block_read(u64 offset, void *buffer, u64 bytes)
{
    check_transfer(offset, bytes);
    if (fails)
        return E_IO;
    memcpy(buffer, disk + offset, bytes);
    return (s64)bytes;
}

s64 sys_block_write(u64 offset, const void *buffer, u64 bytes)
{
    check_transfer(offset, bytes);
    for (u64 done = 0; done < bytes; done += BLOCK_SECTOR) {
        if (power == 0)
            return E_IO;
        power -= power == NO_CUT ? 0 : 1;
        memcpy(disk + offset + done, (const u8 *)buffer + done, BLOCK_SECTOR);
    }
    return (s64)bytes;
}

s64 sys_block_flush(void)
{
    return 0;
}

// ---- a run of the server ------------------------------------------------------------------------
// Each is a process of its own on the host, since the server's objects live as long as it does.
// What it does to the disk comes back by a pipe.

static struct ipc_caller caller = {.pid = HOST_PID};

static s64 start(void)
{
    struct store_about about;
    void *state = NULL;
    host_start(&state);
    assert_int_equal(filesystem_create(), 0);
    assert_int_equal(openings_create(), 0);
    return store_start(&about);
}

static s64 in_run(s64 (*work)(s64 found, u64 argument), u64 argument)
{
    s64 result = 0;
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        result = work(start(), argument);
        bool sent = write(ends[1], &result, sizeof(result)) == sizeof(result);
        for (u64 at = 0; at < DISK_BYTES && sent; at += 4096)
            sent = write(ends[1], disk + at, 4096) == 4096;
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    u8 *to = malloc(sizeof(result) + DISK_BYTES);
    u64 got = 0;
    ssize_t part;
    while ((part = read(ends[0], to + got, sizeof(result) + DISK_BYTES - got)) > 0)
        got += (u64)part;
    close(ends[0]);
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(got, sizeof(result) + DISK_BYTES);
    memcpy(&result, to, sizeof(result));
    memcpy(disk, to + sizeof(result), DISK_BYTES);
    free(to);
    return result;
}

static s64 put(const char *path, const void *data, u64 bytes)
{
    struct fs_stat info;
    u64 file, written = 0;
    s64 status = fs_server_open(&caller, path, FS_WRITE | FS_CREATE | FS_TRUNCATE, &file, &info);
    if (status != 0)
        return status;
    status = fs_server_write(&caller, file, 0, 0, data, bytes, &written);
    fs_server_close(&caller, file);
    return status != 0 ? status : (s64)written;
}

static bool holds(const char *path, const void *data, u64 bytes)
{
    static u8 back[DISK_BYTES];
    struct fs_stat info;
    u64 file, got = 0;
    if (fs_server_open(&caller, path, FS_READ, &file, &info) != 0)
        return false;
    s64 status = fs_server_read(&caller, file, 0, 0, back, sizeof(back), &got);
    fs_server_close(&caller, file);
    return status == 0 && got == bytes && memcmp(back, data, bytes) == 0;
}

static bool is_there(const char *path)
{
    struct fs_stat info;
    return fs_server_stat(&caller, path, &info) == 0;
}

// State number n: two files, one in a folder.
static s64 save_state(s64 found, u64 n)
{
    u8 data[9000];
    if (found <= 0)
        return found;
    memset(data, (int)n, sizeof(data));
    fs_server_make_directory(&caller, "/data/folder");
    if (put("/data/a", data, n) != (s64)n || put("/data/folder/b", data, sizeof(data)) < 0)
        return -100;
    return store_save();
}

// Which state is there, plus 1000 times what was found; -100: a mixture.
static s64 state_there(s64 found, u64 unused)
{
    (void)unused;
    u8 data[9000];
    if (found <= 0)
        return found;
    if (!is_there("/data/a"))
        return is_there("/data/folder") ? -100 : found * 1000;
    for (u64 n = 1; n < 100; n++) {
        memset(data, (int)n, sizeof(data));
        if (holds("/data/a", data, n))
            return holds("/data/folder/b", data, sizeof(data)) ? found * 1000 + (s64)n : -100;
    }
    return -100;
}

static s64 there(void)
{
    power = 0; // looking writes nothing
    s64 state = in_run(state_there, 0);
    power = NO_CUT;
    return state;
}

static int fresh(void **state)
{
    (void)state;
    memset(disk, 0, sizeof(disk));
    disk_bytes = DISK_BYTES;
    power = NO_CUT;
    fails = false;
    return 0;
}

#define NEWEST(n) (STORE_FOUND_NEWEST * 1000 + (n))
#define OLDER(n) (STORE_FOUND_OLDER * 1000 + (n))

// ---- tests -------------------------------------------------------------------------------------

static void what_was_saved_is_found(void **state)
{
    (void)state;
    assert_int_equal(there(), STORE_FOUND_NOTHING * 1000);
    for (u64 n = 1; n < 8; n++) {
        assert_int_equal(in_run(save_state, n), 0);
        assert_int_equal(there(), NEWEST((s64)n));
    }
}

static s64 change_names(s64 found, u64 unused)
{
    (void)unused;
    if (found != STORE_FOUND_NEWEST || fs_server_remove(&caller, "/data/a") != 0 ||
        fs_server_rename(&caller, "/data/folder", "/data/other") != 0 ||
        fs_server_rename(&caller, "/data/other/b", "/b") != E_NOTSUP ||
        fs_server_remove(&caller, "/data") == 0)
        return -1;
    return store_save();
}

static s64 names_have_changed(s64 found, u64 unused)
{
    (void)unused;
    return found == STORE_FOUND_NEWEST && !is_there("/data/a") && !is_there("/data/folder") &&
           is_there("/data/other/b");
}

static void names_are_kept_too(void **state)
{
    (void)state;
    assert_int_equal(in_run(save_state, 3), 0);
    assert_int_equal(in_run(change_names, 0), 0);
    assert_int_equal(in_run(names_have_changed, 0), 1);
}

// ---- a file that changes while it is saved ------------------------------------------------------

static struct {
    struct node node;
    u64 bytes, next; // its length, and what that is as soon as somebody has asked for it
} changing;

static CO_METHOD s64 changing_bytes(struct server_file *self)
{
    CO_HOME(self);
    u64 bytes = changing.bytes;
    changing.bytes = changing.next;
    return (s64)bytes;
}

// All of its bytes are its length in hundreds.
static CO_METHOD s64 changing_read(struct server_file *self, u64 offset, void *to, u64 bytes)
{
    CO_HOME(self);
    u64 done = bytes < changing.bytes ? bytes : changing.bytes;
    assert_int_equal(offset, 0);
    memset(to, (int)(changing.bytes / 100), done);
    return (s64)done;
}

static void keep_changing(struct co_root *root)
{
    (void)root;
}

static s64 save_changing(s64 found, u64 bytes)
{
    static const struct server_file_ops ops = {
        .base = CO_LEAF, .read = changing_read, .bytes = changing_bytes};
    static struct co_class class = {.name = "ServerFile",
                                    .implementation = "ServerFileChanging",
                                    .size = sizeof(changing),
                                    .ops = &ops.base,
                                    .destroy = keep_changing};
    changing.bytes = bytes;
    changing.next = 5000;
    return found > 0 && node_create(&changing.node, &class, FS_KIND_FILE, true, "c") == 0 &&
                   filesystem_add("/data/c", &changing.node) == 0
               ? store_save()
               : -100;
}

static s64 changing_there(s64 found, u64 bytes)
{
    u8 data[5000];
    memset(data, (int)(bytes / 100), sizeof(data));
    return found > 0 && holds("/data/c", data, bytes);
}

static void a_file_that_changes_is_saved_as_it_was_at_one_moment(void **state)
{
    static const u64 before[] = {9000, 5001, 5000, 4999, 300, 0};
    for (u32 i = 0; i < ARRAY_SIZE(before); i++) {
        fresh(state);
        assert_int_equal(in_run(save_changing, before[i]), 0);
        assert_int_equal(in_run(changing_there, 5000), 1);
    }
}

// ---- the power ----------------------------------------------------------------------------------

static void a_power_cut_leaves_one_state_or_the_other(void **state)
{
    (void)state;
    static u8 before[DISK_BYTES];
    u32 olds = 0, news = 0;
    assert_int_equal(in_run(save_state, 1), 0);
    assert_int_equal(in_run(save_state, 2), 0);
    memcpy(before, disk, sizeof(disk));
    for (u64 sectors = 0; news == 0 || sectors < 40; sectors++) {
        memcpy(disk, before, sizeof(disk));
        power = sectors;
        in_run(save_state, 3);
        s64 now = there() % 1000;
        assert_true(now == 2 || now == 3);
        assert_true(now == 3 || news == 0); // once it is there, more sectors do not undo it
        *(now == 3 ? &news : &olds) += 1;
        assert_int_equal(in_run(save_state, 4), 0); // and it goes on from there
        assert_int_equal(there() % 1000, 4);
    }
    assert_true(olds > 10);
}

static void damage_gives_the_older_state(void **state)
{
    (void)state;
    static u8 before[DISK_BYTES];
    assert_int_equal(in_run(save_state, 1), 0); // slot 0
    assert_int_equal(in_run(save_state, 2), 0); // slot 1
    memcpy(before, disk, sizeof(disk));
    for (u64 at = 0; at < 56; at++) {
        memcpy(disk, before, sizeof(disk));
        disk[SLOT_BYTES + at] ^= (u8)(1u << at % 8);
        assert_int_equal(there(), OLDER(1));
    }
    for (u64 at = 4096; at < 4096 + 9000; at += 321) {
        memcpy(disk, before, sizeof(disk));
        disk[SLOT_BYTES + at] ^= 0x10;
        assert_int_equal(there(), OLDER(1));
    }
    memcpy(disk, before, sizeof(disk));
    memset(disk + SLOT_BYTES, 0, 512); // it is no first state, so there were two
    assert_int_equal(there(), OLDER(1));
}

static void other_disks_are_left_alone(void **state)
{
    (void)state;
    disk[1080] = 0x53; // not our first sector, but within what we would write over
    assert_int_equal(there(), E_EXIST);
    fresh(NULL);
    disk_bytes = 0;
    assert_int_equal(there(), E_NOENT);
    disk_bytes = 65536;
    assert_int_equal(there(), E_LIMIT);
    disk_bytes = DISK_BYTES;
    fails = true;
    assert_int_equal(there(), E_IO);
    fails = false;
    disk[DISK_BYTES - 1] = 1; // its last byte
    assert_int_equal(there(), E_EXIST);
    assert_int_equal(in_run(save_state, 1), E_EXIST);
    assert_true(disk[0] == 0 && disk[SLOT_BYTES] == 0);
}

// ---- damage of both states ---------------------------------------------------------------------

// What must fail, and write nothing, in a /data that can only be read.
static s64 try_to_change(s64 found, u64 unused)
{
    (void)unused;
    struct fs_stat info;
    u64 file;
    if (found <= 0)
        return found;
    if (fs_server_open(&caller, "/data/a", FS_WRITE, &file, &info) != E_PERM ||
        fs_server_remove(&caller, "/data/a") != E_PERM ||
        fs_server_rename(&caller, "/data/a", "/data/folder/c") != E_PERM ||
        fs_server_open(&caller, "/data/new", FS_WRITE | FS_CREATE, &file, &info) != E_PERM ||
        fs_server_open(&caller, "/data/folder/new", FS_READ | FS_CREATE, &file, &info) != E_PERM ||
        fs_server_make_directory(&caller, "/data/new") != E_PERM)
        return -101;
    return store_save() == 0 ? found : -102;
}

// The disk is read-only with state n, and stays as it is.
static void only_read(enum store_found found, s64 n)
{
    static u8 before[DISK_BYTES];
    memcpy(before, disk, sizeof(disk));
    assert_int_equal(there(), (s64)found * 1000 + n);
    assert_int_equal(in_run(try_to_change, 0), found);
    assert_memory_equal(disk, before, sizeof(disk));
}

static int with_two_states(void **state)
{
    fresh(state);
    assert_int_equal(in_run(save_state, 1), 0); // slot 0
    assert_int_equal(in_run(save_state, 2), 0); // slot 1
    return 0;
}

static void damaged_headers_leave_what_can_be_read(void **state)
{
    (void)state;
    static u8 before[DISK_BYTES];
    memcpy(before, disk, sizeof(disk));
    for (u64 at = 0; at < 56; at++) {
        memcpy(disk, before, sizeof(disk));
        disk[at] ^= (u8)(1u << at % 8);
        disk[SLOT_BYTES + at] ^= (u8)(1u << at % 8);
        only_read(STORE_FOUND_DAMAGED, 2);
    }
    memcpy(disk, before, sizeof(disk));
    memset(disk, 0, 512);
    memset(disk + SLOT_BYTES, 0, 512);
    only_read(STORE_FOUND_DAMAGED, 1); // no header says which is newer
}

static void damaged_archives_leave_what_can_be_read(void **state)
{
    (void)state;
    static u8 before[DISK_BYTES];
    disk[4096 + 6000] ^= 1; // in a file's contents
    disk[SLOT_BYTES + 4096 + 6000] ^= 1;
    memcpy(before, disk, sizeof(disk));
    assert_int_equal(in_run(try_to_change, 0), STORE_FOUND_DAMAGED);
    assert_memory_equal(disk, before, sizeof(disk));
    memset(disk + 4096, 0xff, 9000); // nothing can be read, but the headers are ours
    memset(disk + SLOT_BYTES + 4096, 0xff, 9000);
    assert_int_equal(there(), STORE_FOUND_DAMAGED * 1000);
    assert_int_equal(in_run(save_state, 3), -100);
}

static s64 folder_there(s64 found, u64 unused)
{
    (void)unused;
    return is_there("/data/folder") ? found : -100;
}

static void a_disk_of_another_size_is_only_read(void **state)
{
    (void)state;
    disk_bytes = DISK_BYTES / 2; // the newer slot is gone
    only_read(STORE_FOUND_RESIZED, 1);
    disk_bytes = SLOT_BYTES + 0x8000; // both are there
    only_read(STORE_FOUND_RESIZED, 2);
    disk_bytes = 8192; // what is left of the older one is not all of a file
    assert_int_equal(in_run(folder_there, 0), STORE_FOUND_RESIZED);
    disk_bytes = DISK_BYTES;
    assert_int_equal(there(), NEWEST(2));
}

static void a_first_save_that_is_cut_short_leaves_a_good_disk(void **state)
{
    (void)state;
    u64 sectors = 0;
    for (bool saved = false; !saved; sectors++) {
        memset(disk, 0, sizeof(disk));
        power = sectors;
        saved = in_run(save_state, 1) == 0;
        s64 now = there();
        assert_true(now == STORE_FOUND_NOTHING * 1000 || now == STORE_FOUND_NEWEST * 1000 ||
                    now == NEWEST(1));
        assert_int_equal(in_run(save_state, 2), 0);
        assert_int_equal(there() % 1000, 2);
    }
    assert_true(sectors > 20);
}

static s64 fill(s64 found, u64 unused)
{
    (void)unused;
    static u8 data[8192];
    char path[64];
    s64 last = 1;
    if (found <= 0)
        return found;
    for (u32 i = 0; i < 1000 && last > 0; i++) {
        snprintf(path, sizeof(path), "/data/fill-%u", i);
        last = put(path, data, sizeof(data));
        if (store_save() != 0)
            return -100;
    }
    struct fs_stat info;
    u64 file;
    if (last != E_LIMIT || fs_server_open(&caller, "/data/a", FS_WRITE, &file, &info) != 0 ||
        fs_server_truncate(&caller, file, DISK_BYTES) != E_LIMIT ||
        fs_server_truncate(&caller, file, 0) != 0 || fs_server_truncate(&caller, file, 7) != 0)
        return -101;
    for (u32 i = 0; i < 5; i++) { // room comes back
        snprintf(path, sizeof(path), "/data/fill-%u", i);
        if (fs_server_remove(&caller, path) != 0 || put(path, data, 100) != 100)
            return -102;
    }
    u8 same[7] = {7, 7, 7, 7, 7, 7, 7};
    return put("/data/a", same, 7) == 7 ? store_save() : -103;
}

static void a_full_disk_keeps_what_it_has(void **state)
{
    (void)state;
    assert_int_equal(in_run(save_state, 7), 0);
    assert_int_equal(in_run(fill, 0), 0);
    assert_int_equal(there(), NEWEST(7));
}

// A power cut within the first sector that is ever written: nothing was there before.
static void a_torn_first_header_leaves_a_blank_disk(void **state)
{
    (void)state;
    u8 header[SNAPSHOT_HEADER_BYTES];
    snapshot_write_first(header, SLOT_BYTES);
    for (u64 at = 0; at <= 56; at += 7) {
        memset(disk, 0, sizeof(disk));
        memcpy(disk + SLOT_BYTES, header, at);
        assert_int_equal(there() % 1000, 0);
        assert_int_equal(in_run(save_state, 1), 0);
        assert_int_equal(there(), NEWEST(1));
        memset(disk, 0, sizeof(disk));
        memcpy(disk + SLOT_BYTES + at, header + at, 512 - at);
        assert_int_equal(there() % 1000, 0);
        disk[SLOT_BYTES + at] = 0x81; // and that is something else
        assert_true(there() == E_EXIST || there() == STORE_FOUND_DAMAGED * 1000);
    }
}

// A snapshot with any archive, checksums right.
static void forge(const struct archive *archive)
{
    struct snapshot snapshot = {.generation = 1,
                                .bytes = archive->bytes,
                                .checksum = snapshot_checksum(archive->data, archive->bytes),
                                .slot_bytes = SLOT_BYTES};
    memset(disk, 0, sizeof(disk));
    snapshot_write(disk, &snapshot);
    memcpy(disk + SNAPSHOT_HEADER_BYTES, archive->data, archive->bytes);
}

static void hostile_archives_do_no_harm(void **state)
{
    (void)state;
    static const char *const names[] = {"../bin/x", "a/../../b", "none/x", "folder", "."};
    for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
        struct archive archive = {0};
        u8 *contents;
        assert_int_equal(archive_add(&archive, "folder", true, 0, 0, &contents), 0);
        assert_int_equal(archive_add(&archive, names[i], false, 0, 10, &contents), 0);
        assert_int_equal(archive_end(&archive), 0);
        forge(&archive);
        archive_free(&archive);
        s64 found = there();
        assert_true(found == E_PROTO || found == -100); // ".": passed over
    }
    srand(5);
    for (u32 round = 0; round < 300; round++) {
        struct archive archive = {0};
        u8 *contents;
        assert_int_equal(archive_add(&archive, "folder", true, 0, 0, &contents), 0);
        assert_int_equal(archive_add(&archive, "folder/file", false, 0, 3000, &contents), 0);
        assert_int_equal(archive_end(&archive), 0);
        for (u32 i = 0; i < 1 + (u32)rand() % 3; i++)
            archive.data[(u64)rand() % 260] = (u8)("0123456789abcdefF7/.\0\377"[rand() % 22]);
        forge(&archive);
        archive_free(&archive);
        there();
    }
}

static void archives_are_read_back(void **state)
{
    (void)state;
    struct archive archive = {0};
    struct cpio_entry entry;
    char name[CPIO_NAME_MAX + 2];
    u8 *contents;
    for (u32 bytes = 0; bytes < 300; bytes++) {
        snprintf(name, sizeof(name), "file-%0*u", (int)(bytes % 50 + 1), bytes);
        assert_int_equal(archive_add(&archive, name, false, 0, bytes, &contents), 0);
        memset(contents, (int)bytes, bytes);
    }
    memset(name, 'x', sizeof(name));
    name[CPIO_NAME_MAX + 1] = '\0';
    assert_int_equal(archive_add(&archive, name, true, 0, 0, &contents), E_LIMIT);
    assert_int_equal(archive_add(&archive, name + 1, true, 0, 0, &contents), 0);
    assert_int_equal(archive_add(&archive, "big", false, 0, 1UL << 32, &contents), E_LIMIT);
    assert_int_equal(archive_end(&archive), 0);
    assert_int_equal(archive.bytes % ARCHIVE_UNIT, 0);
    u64 entries;
    assert_true(kept_valid(archive.data, archive.bytes, &entries) && entries == 301);
    assert_false(kept_valid(archive.data, archive.bytes - 1024, &entries));
    struct cpio cpio = {.data = archive.data, .bytes = archive.bytes};
    for (u32 bytes = 0; bytes < 300; bytes++) {
        assert_int_equal(cpio_next(&cpio, &entry), 1);
        assert_true(!entry.directory && entry.bytes == bytes);
        assert_true(bytes == 0 || archive.data[entry.offset + bytes - 1] == (u8)bytes);
    }
    assert_int_equal(cpio_next(&cpio, &entry), 1);
    assert_true(entry.directory && strlen(entry.name) == CPIO_NAME_MAX);
    assert_int_equal(cpio_next(&cpio, &entry), 0);
    archive_free(&archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_was_saved_is_found, fresh),
        cmocka_unit_test_setup(names_are_kept_too, fresh),
        cmocka_unit_test_setup(a_file_that_changes_is_saved_as_it_was_at_one_moment, fresh),
        cmocka_unit_test_setup(a_power_cut_leaves_one_state_or_the_other, fresh),
        cmocka_unit_test_setup(damage_gives_the_older_state, fresh),
        cmocka_unit_test_setup(other_disks_are_left_alone, fresh),
        cmocka_unit_test_setup(damaged_headers_leave_what_can_be_read, with_two_states),
        cmocka_unit_test_setup(damaged_archives_leave_what_can_be_read, with_two_states),
        cmocka_unit_test_setup(a_disk_of_another_size_is_only_read, with_two_states),
        cmocka_unit_test_setup(a_first_save_that_is_cut_short_leaves_a_good_disk, fresh),
        cmocka_unit_test_setup(a_torn_first_header_leaves_a_blank_disk, fresh),
        cmocka_unit_test_setup(a_full_disk_keeps_what_it_has, fresh),
        cmocka_unit_test_setup(hostile_archives_do_no_harm, fresh),
        cmocka_unit_test_setup(archives_are_read_back, fresh),
    };
    return cmocka_run_group_tests_name("fs_store", tests, NULL, NULL);
}
