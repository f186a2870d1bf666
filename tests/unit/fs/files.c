// SPDX-License-Identifier: MIT
// The fs server behind its interface: names, contents, handles, mappings, mounts;
// random work against a model.
#include "files.h"
#include "filesystem.h"
#include "host.h"
#include "opening.h"
#include "pages.h"
#include "share.h"

#include <ipc/fs.h>
#include <orrery/memory.h>
#include <user/time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PID HOST_PID
#define CHILD (PID + 2)
#define OTHER 20
#define RW (FS_READ | FS_WRITE)

static struct ipc_caller caller = {.pid = PID};

static int start(void **state)
{
    host_start(state);
    assert_int_equal(filesystem_create(), 0);
    assert_int_equal(openings_create(), 0);
    return 0;
}

static s64 open_as(const char *path, u32 flags, u32 pid, u64 *file)
{
    struct fs_stat info;
    struct ipc_caller other = {.pid = pid};
    return fs_server_open(&other, path, flags, file, &info);
}

static u64 opened(const char *path, u32 flags)
{
    u64 file = 0;
    assert_int_equal(open_as(path, flags, PID, &file), 0);
    return file;
}

static u64 written(u64 file, u64 offset, const char *text)
{
    u64 done = 0;
    assert_int_equal(fs_server_write(&caller, file, offset, 0, text, strlen(text), &done), 0);
    return done;
}

static void holds(u64 file, u64 offset, const char *text)
{
    char data[100];
    u64 bytes;
    assert_int_equal(fs_server_read(&caller, file, offset, 0, data, sizeof(data), &bytes), 0);
    assert_int_equal(bytes, strlen(text));
    assert_memory_equal(data, text, bytes);
}

static bool is_there(const char *path)
{
    struct fs_stat info;
    s64 status = fs_server_stat(&caller, path, &info);
    assert_true(status == 0 || status == E_NOENT);
    return status == 0;
}

static void remove_all(const char *path)
{
    assert_int_equal(fs_server_remove(&caller, path), 0);
}

static void contents_are_kept(void **state)
{
    (void)state;
    u64 file = opened("/f", RW | FS_CREATE);
    assert_int_equal(written(file, FS_CURRENT, "abc"), 3);
    assert_int_equal(written(file, FS_CURRENT, "def"), 3);
    holds(file, 0, "abcdef");
    holds(file, FS_CURRENT, "");
    holds(file, 4, "ef");
    assert_int_equal(fs_server_truncate(&caller, file, 2), 0);
    assert_int_equal(fs_server_truncate(&caller, file, 4), 0);
    char data[4];
    u64 bytes, position;
    assert_int_equal(fs_server_seek(&caller, file, -3, FS_SEEK_END, &position), 0);
    assert_int_equal(position, 1);
    assert_int_equal(fs_server_read(&caller, file, FS_CURRENT, 0, data, 4, &bytes), 0);
    assert_memory_equal(data, "b\0\0", 3);
    assert_int_equal(fs_server_seek(&caller, file, -9, FS_SEEK_CURRENT, &position), E_INVAL);
    assert_int_equal(fs_server_seek(&caller, file, INT64_MAX, FS_SEEK_END, &position), E_INVAL);
    assert_int_equal(fs_server_seek(&caller, file, 0, 9, &position), E_INVAL);
    assert_int_equal(fs_server_close(&caller, file), 0);
    assert_int_equal(fs_server_close(&caller, file), E_STALE);
    remove_all("/f");
}

// Its object is used again, and leads nowhere in between.
static void an_opening_of_used_memory_is_a_new_one(void **state)
{
    (void)state;
    coid_t child;
    u64 copy, position, done;
    u64 file = opened("/f", RW | FS_CREATE | FS_APPEND);
    assert_int_equal(written(file, FS_CURRENT, "abc"), 3);
    struct opening *opening = opening_get(file, PID);
    u64 ticket = opening->ticket;
    coid_t coid = opening->root.coid;
    opening_put(opening);
    assert_int_equal(fs_server_duplicate(&caller, file, &copy), 0);
    assert_true(opening->passed);
    assert_int_equal(fs_server_close(&caller, file), 0);
    assert_int_equal(fs_server_close(&caller, copy), 0);
    assert_int_equal(opening->rep.ops->get_num_children(&opening->rep), 0);
    assert_int_equal(opening->rep.ops->get_children(&opening->rep, &child, 1), 0);
    u64 again = opened("/f", FS_READ);
    assert_ptr_equal(opening_get(again, PID), opening);
    assert_int_equal(opening->root.coid, coid);
    assert_true(opening->ticket > ticket);
    assert_false(opening->passed);
    assert_null(opening->share);
    assert_int_equal(opening->rep.ops->get_children(&opening->rep, &child, 1), 1);
    assert_int_equal(child, opening->node->root.coid);
    opening_put(opening);
    assert_int_equal(fs_server_write(&caller, again, 0, 0, "x", 1, &done), E_PERM);
    assert_int_equal(fs_server_seek(&caller, again, 0, FS_SEEK_CURRENT, &position), 0);
    assert_int_equal(position, 0);
    assert_int_equal(fs_server_seek(&caller, file, 0, FS_SEEK_CURRENT, &position), E_STALE);
    // Two at once are two.
    u64 other = opened("/f", FS_READ);
    struct opening *second = opening_get(other, PID);
    assert_ptr_not_equal(second, opening);
    opening_put(second);
    assert_int_equal(fs_server_close(&caller, other), 0);
    assert_int_equal(fs_server_close(&caller, again), 0);
    assert_int_equal(openings_count(), 0);
    remove_all("/f");
}

static void bad_requests_change_nothing(void **state)
{
    (void)state;
    u64 file, done;
    static const char *const paths[] = {"", "relative", "/.", "/..", "/a/../b", "/./a"};
    for (u32 i = 0; i < ARRAY_SIZE(paths); i++)
        assert_int_equal(open_as(paths[i], RW | FS_CREATE, PID, &file), E_INVAL);
    assert_int_equal(open_as("/f", FS_CREATE, PID, &file), E_INVAL);
    assert_int_equal(open_as("/f", RW | 0x8000, PID, &file), E_INVAL);
    assert_int_equal(open_as("/f", FS_READ | FS_TRUNCATE, PID, &file), E_INVAL);
    assert_int_equal(open_as("/none/f", RW | FS_CREATE, PID, &file), E_NOENT);
    assert_int_equal(open_as("/", RW, PID, &file), E_ISDIR);
    assert_false(is_there("/f"));
    static char big[] = "x";
    file = opened("/f", RW | FS_CREATE);
    assert_int_equal(fs_server_write(&caller, file, 1UL << 40, 0, big, 1, &done), E_LIMIT);
    assert_int_equal(fs_server_truncate(&caller, file, 1UL << 40), E_LIMIT);
    assert_int_equal(fs_server_write(&caller, file ^ 0x10000, 0, 0, big, 1, &done), E_STALE);
    assert_int_equal(fs_server_write(&caller, 0, 0, 0, big, 1, &done), E_STALE);
    assert_int_equal(fs_server_write(&caller, UINT64_MAX, 0, 0, big, 1, &done), E_STALE);
    fs_server_close(&caller, file);
    remove_all("/f");
}

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

static void memory_ends_with_an_error(void **state)
{
    (void)state;
    static char data[12288];
    u64 done, total = 0;
    host_reap_all();
    memory_files_limit(100000);
    u64 file = opened("/f", RW | FS_CREATE);
    s64 status;
    while ((status = fs_server_write(&caller, file, FS_CURRENT, 0, data, sizeof(data), &done)) ==
           0) {
        assert_true(done > 0);
        total += done;
    }
    assert_int_equal(status, E_LIMIT);
    assert_int_equal(total, 100000 / 4096 * 4096);
    assert_int_equal(fs_server_truncate(&caller, file, 0), 0);
    assert_int_equal(memory_files_bytes(), 0);
    written(file, 0, "again");
    fs_server_close(&caller, file);
    remove_all("/f");
    memory_files_limit(UINT64_MAX);
    host_reap_all();
    assert_int_equal(memory_files_bytes(), 0);
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

static void mapped_files_answer_the_kernel(void **state)
{
    (void)state;
    u64 offset, bytes;
    cap_t memory;
    u64 file = opened("/f", RW | FS_CREATE);
    written(file, 4090, "end of page, and more");
    assert_int_equal(fs_server_map(&caller, file, &offset, &bytes, &memory), 0);
    assert_true(offset == 0 && bytes == 4111 && memory == 55 && host_supplied.length == 4111);
    host_kernel_asks(FILE_FETCH, 0);
    assert_memory_equal(host_supplied.page + 4090, "end of", 6);
    host_kernel_asks(FILE_FETCH, 4096);
    assert_memory_equal(host_supplied.page, " page, and more\0\0", 17);
    written(file, 0, "changed");
    assert_true(host_supplied.invalidations > 0);
    memcpy(host_supplied.dirty, "dirty", 5);
    memset(host_supplied.dirty + 5, '.', sizeof(host_supplied.dirty) - 5);
    host_kernel_asks(FILE_WRITE, 4096);
    holds(file, 4096, "dirty.........."); // no further than the file's end
    fs_server_close(&caller, file);
    remove_all("/f");
    host_reap_all();
    host_kernel_asks(FILE_FETCH, 0); // it lives on while it is mapped
    assert_memory_equal(host_supplied.page, "changed", 7);
    host_kernel_asks(FILE_GONE, 0);
    host_reap_all();
    assert_int_equal(host_supplied.length, 0);
    assert_int_equal(memory_files_bytes(), 0);
}

// ---- contents as memory -------------------------------------------------------------------------

static s64 shared(u64 file, u64 uses, struct fs_sharing *sharing, const char **data)
{
    cap_t memory;
    s64 status = fs_server_share(&caller, file, uses, sharing, &memory);
    if (status == 0)
        *data = host_memory(memory);
    return status;
}

static const struct fs_state *state_at(u64 index)
{
    cap_t states;
    assert_int_equal(fs_server_share_states(&caller, &states), 0);
    assert_true(host_memory_sealed(states));
    return (const struct fs_state *)host_memory(states) + index;
}

// Time and links of a shared file are there without a call, too.
static void a_state_says_what_a_call_says(void **state)
{
    (void)state;
    struct fs_sharing sharing;
    struct fs_stat info;
    const char *data;
    u64 file = opened("/f", RW | FS_CREATE);
    written(file, 0, "contents");
    assert_int_equal(shared(file, 1, &sharing, &data), 0);
    const struct fs_state *at = state_at(sharing.index);
    for (u32 i = 0; i < 6; i++) {
        u64 before = at->time;
        host_time += 1000;
        if (i == 1)
            written(file, 3, "more");
        if (i == 2)
            assert_int_equal(fs_server_truncate(&caller, file, 2), 0);
        if (i == 3)
            assert_int_equal(fs_server_renew(&caller, file, FS_WRITE), 0);
        if (i == 4)
            assert_int_equal(fs_server_rename(&caller, "/f", "/g"), 0);
        if (i == 5)
            remove_all("/g");
        assert_int_equal(fs_server_file_stat(&caller, file, &info), 0);
        assert_true(at->time == info.time && at->links == info.links && at->bytes == info.bytes);
        assert_int_equal(at->time > before, i >= 1 && i <= 3);
        assert_int_equal(at->links, i < 5);
    }
    fs_server_close(&caller, file);
    host_reap_all();
}

static void shared_contents_follow_the_file(void **state)
{
    (void)state;
    struct fs_sharing sharing;
    const char *data;
    u64 file = opened("/f", RW | FS_CREATE);
    assert_int_equal(shared(file, 100, &sharing, &data), E_AGAIN); // nothing in it
    written(file, 3 * 4096, "end");
    assert_int_equal(shared(file, 2, &sharing, &data), E_AGAIN);
    assert_int_equal(shared(file, 3, &sharing, &data), 0);
    const struct fs_state *at = state_at(sharing.index);
    assert_true(at->bytes == 3 * 4096 + 3 && at->span == 0); // it begins with a hole
    written(file, 0, "begin");
    assert_true(at->span == 4096 && memcmp(data, "begin", 6) == 0);
    assert_int_equal(fs_server_truncate(&caller, file, 2), 0);
    assert_true(at->bytes == 2 && memcmp(data, "be\0\0", 4) == 0);
    memcpy((char *)(uintptr_t)data + 2, "lie", 3); // by one who was killed, or does as he pleases
    assert_int_equal(fs_server_truncate(&caller, file, 10), 0);
    assert_true(at->bytes == 10 && at->sequence % 2 == 0 && memcmp(data, "be\0\0\0\0", 6) == 0);
    assert_int_equal(fs_server_truncate(&caller, file, 0), 0);
    assert_true(at->bytes == 0 && at->span == 0);
    assert_int_equal(fs_server_renew(&caller, file, FS_READ), E_AGAIN);
    assert_int_equal(memory_files_bytes(), sharing.bytes); // the opening has it still
    fs_server_close(&caller, file);
    remove_all("/f");
    host_reap_all();
    assert_int_equal(memory_files_bytes(), 0);
    assert_int_equal(host_memories_mapped(), 1); // the states
}

static u64 writer(u64 file, u64 index)
{
    assert_int_equal(fs_server_renew(&caller, file, FS_WRITE), 0);
    return state_at(index)->writer;
}

static void only_one_who_is_alone_writes_without_calls(void **state)
{
    (void)state;
    struct fs_sharing sharing, second;
    const char *data;
    u64 file = opened("/f", RW | FS_CREATE), copy, offset, bytes;
    cap_t memory;
    written(file, 0, "contents");
    assert_int_equal(shared(file, 1, &sharing, &data), 0);
    const struct fs_state *at = state_at(sharing.index);
    assert_true(at->writer == 0 && writer(file, sharing.index) == sharing.ticket);
    u64 reader = opened("/f", FS_READ);
    assert_int_equal(at->writer, 0);
    assert_int_equal(writer(file, sharing.index), 0);
    assert_int_equal(shared(reader, 1, &second, &data), 0);
    assert_true(second.index == sharing.index && second.ticket != sharing.ticket);
    assert_int_equal(fs_server_renew(&caller, reader, FS_WRITE), E_PERM);
    fs_server_close(&caller, reader);
    assert_int_equal(writer(file, sharing.index), sharing.ticket);
    memcpy((char *)(uintptr_t)data, "direct", 6);
    holds(file, 0, "directts");
    assert_int_equal(fs_server_map(&caller, file, &offset, &bytes, &memory), 0);
    assert_true(at->writer == 0 && writer(file, sharing.index) == 0);
    host_kernel_asks(FILE_GONE, 0);
    assert_int_equal(writer(file, sharing.index), sharing.ticket);
    assert_int_equal(fs_server_duplicate(&caller, file, &copy), 0);
    assert_true(at->writer == 0 && writer(file, sharing.index) == 0);
    fs_server_close(&caller, copy);
    fs_server_close(&caller, file);
    remove_all("/f");
    host_reap_all();
    assert_int_equal(memory_files_bytes(), 0);
}

static void files_that_grow_get_more_memory(void **state)
{
    (void)state;
    static char data[12288], back[12288];
    struct fs_sharing first, second;
    const char *before, *after;
    u64 done, file = opened("/f", RW | FS_CREATE);
    memset(data, 'x', sizeof(data));
    written(file, 0, "begin");
    assert_int_equal(shared(file, 1, &first, &before), 0);
    for (u64 at = 0; at < 1 << 18; at += sizeof(data))
        assert_int_equal(fs_server_write(&caller, file, at, 0, data, sizeof(data), &done), 0);
    assert_int_equal(state_at(first.index)->span, first.bytes);
    assert_int_equal(fs_server_renew(&caller, file, FS_READ), 0);
    assert_int_equal(shared(file, 1000, &second, &after), 0);
    assert_true(second.index != first.index && state_at(first.index)->span == 0);
    assert_true(second.bytes >= 1 << 18 && state_at(second.index)->span > 1 << 18);
    assert_memory_equal(after, data, sizeof(data));
    assert_int_equal(fs_server_read(&caller, file, 1 << 17, 0, back, sizeof(back), &done), 0);
    assert_memory_equal(back, data, sizeof(data));
    fs_server_close(&caller, file);
    remove_all("/f");
    host_reap_all();
    assert_int_equal(memory_files_bytes(), 0);
    assert_int_equal(host_memories_mapped(), 1);
}

static void shares_run_out_with_an_error(void **state)
{
    (void)state;
    struct fs_sharing sharing;
    const char *data;
    u64 files[HOST_MEMORIES], count = 0;
    char path[30];
    s64 status;
    do {
        snprintf(path, sizeof(path), "/%lu", (unsigned long)count);
        files[count] = opened(path, RW | FS_CREATE);
        written(files[count], 0, path);
        status = shared(files[count++], 1, &sharing, &data);
    } while (status == 0);
    assert_true(status == E_LIMIT && count == FS_STATES_BYTES / sizeof(struct fs_state) + 1);
    for (u64 i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "/%lu", (unsigned long)i);
        holds(files[i], 0, path);
        fs_server_close(&caller, files[i]);
        remove_all(path);
    }
    host_reap_all();
    assert_int_equal(host_memories_mapped(), 1);
}

// A file stays as it is, by calls alone, when there are no pages to share it, or too many already.
static void without_memory_a_file_is_not_shared(void **state)
{
    (void)state;
    struct fs_sharing sharing;
    const char *data;
    u64 file = opened("/f", RW | FS_CREATE), limit = memory_files_limit_get();
    written(file, 0, "contents");
    host_memory_is_out = true;
    assert_int_equal(shared(file, 1, &sharing, &data), E_LIMIT);
    host_memory_is_out = false;
    memory_files_limit(SHARE_BYTES_MIN); // with the file's own page that is one too many
    assert_int_equal(shared(file, 1, &sharing, &data), E_LIMIT);
    assert_int_equal(memory_files_bytes(), 4096);
    holds(file, 0, "contents");
    memory_files_limit(SHARE_BYTES_MIN + 4096);
    assert_int_equal(shared(file, 1, &sharing, &data), 0);
    assert_int_equal(memory_files_bytes(), SHARE_BYTES_MIN);
    memory_files_limit(limit);
    fs_server_close(&caller, file);
    remove_all("/f");
    host_reap_all();
    assert_int_equal(memory_files_bytes(), 0);
}

// ---- a model: a few files of a few bytes --------------------------------------------------------

#define MODEL_FILES 6
#define MODEL_BYTES 20000

static struct {
    bool there;
    u64 bytes;
    u8 data[MODEL_BYTES];
} model[MODEL_FILES];

static void path_of(u32 index, char path[16])
{
    snprintf(path, 16, "/model-%u", index);
}

static void compare(u32 index, u64 file)
{
    static u8 data[MODEL_BYTES + 1];
    u64 done, total = 0;
    do {
        assert_int_equal(
            fs_server_read(&caller, file, total, 0, data + total, sizeof(data) - total, &done), 0);
        total += done;
    } while (done > 0);
    assert_int_equal(total, model[index].bytes);
    assert_memory_equal(data, model[index].data, total);
}

static void change(u32 index, u64 file)
{
    u64 offset = (u64)rand() % MODEL_BYTES, bytes = (u64)rand() % (MODEL_BYTES - offset) % 5000,
        done;
    static u8 data[MODEL_BYTES];
    if (rand() % 4 == 0) {
        assert_int_equal(fs_server_truncate(&caller, file, offset), 0);
        if (offset > model[index].bytes)
            memset(model[index].data + model[index].bytes, 0, offset - model[index].bytes);
        model[index].bytes = offset;
        return;
    }
    memset(data, rand(), bytes);
    assert_int_equal(fs_server_write(&caller, file, offset, 0, data, bytes, &done), 0);
    assert_int_equal(done, bytes);
    if (bytes == 0)
        return;
    if (offset > model[index].bytes)
        memset(model[index].data + model[index].bytes, 0, offset - model[index].bytes);
    memcpy(model[index].data + offset, data, bytes);
    if (offset + bytes > model[index].bytes)
        model[index].bytes = offset + bytes;
}

static void step(void)
{
    char path[16], other_path[16];
    u32 index = (u32)rand() % MODEL_FILES, other = (u32)rand() % MODEL_FILES;
    path_of(index, path);
    path_of(other, other_path);
    u64 file;
    switch (rand() % 8) {
    case 0:
        assert_int_equal(fs_server_remove(&caller, path), model[index].there ? 0 : E_NOENT);
        model[index].there = false;
        break;
    case 1:
        assert_int_equal(fs_server_rename(&caller, path, other_path),
                         model[index].there ? 0 : E_NOENT);
        if (model[index].there && index != other) {
            model[other] = model[index];
            model[index].there = false;
        }
        break;
    case 2:
        assert_int_equal(open_as(path, RW | FS_CREATE | FS_EXCLUSIVE, PID, &file),
                         model[index].there ? E_EXIST : 0);
        if (!model[index].there) {
            model[index].there = true;
            model[index].bytes = 0;
            fs_server_close(&caller, file);
        }
        break;
    default:
        assert_int_equal(open_as(path, RW, PID, &file), model[index].there ? 0 : E_NOENT);
        if (model[index].there) {
            change(index, file);
            compare(index, file);
            fs_server_close(&caller, file);
        }
    }
}

static void random_work_equals_a_model(void **state)
{
    (void)state;
    char path[16];
    srand(42);
    for (u32 i = 0; i < 20000; i++)
        step();
    for (u32 i = 0; i < MODEL_FILES; i++) {
        path_of(i, path);
        fs_server_remove(&caller, path);
    }
    host_reap_all();
    assert_int_equal(memory_files_bytes(), 0);
    struct fs_usage usage;
    fs_server_usage(&caller, &usage);
    // fixed_names_stay left its own.
    assert_true(usage.files == 1 && usage.directories == 2 && usage.open_files == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_are_kept),
        cmocka_unit_test(an_opening_of_used_memory_is_a_new_one),
        cmocka_unit_test(bad_requests_change_nothing),
        cmocka_unit_test(directories_keep_their_rules),
        cmocka_unit_test(listings_are_complete_in_small_pieces),
        cmocka_unit_test(handles_belong_to_processes),
        cmocka_unit_test(some_handles_are_kept_for_those_with_rights),
        cmocka_unit_test(who_has_ended_gets_no_handle),
        cmocka_unit_test(memory_ends_with_an_error),
        cmocka_unit_test(mount_points_send_clients_away),
        cmocka_unit_test(fixed_names_stay),
        cmocka_unit_test(mapped_files_answer_the_kernel),
        cmocka_unit_test(a_state_says_what_a_call_says),
        cmocka_unit_test(shared_contents_follow_the_file),
        cmocka_unit_test(only_one_who_is_alone_writes_without_calls),
        cmocka_unit_test(files_that_grow_get_more_memory),
        cmocka_unit_test(shares_run_out_with_an_error),
        cmocka_unit_test(without_memory_a_file_is_not_shared),
        cmocka_unit_test(random_work_equals_a_model),
    };
    return cmocka_run_group_tests_name("fs_files", tests, start, NULL);
}
