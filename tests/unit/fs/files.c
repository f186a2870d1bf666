// SPDX-License-Identifier: MIT
// Files of the fs server behind its interface: contents, openings, mappings; random work against a
// model.
#include "calls.h"
#include "opening.h"
#include "pages.h"

#include <orrery/memory.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

// Writes pages of zeroes behind a file until there is no memory. Returns how many.
static u64 pages_until_full(u64 file)
{
    static const char zeroes[4096];
    u64 done, pages = 0;
    while (fs_server_write(&caller, file, FS_CURRENT, 0, zeroes, sizeof(zeroes), &done) == 0)
        pages++;
    return pages;
}

// However much processes without rights write, who has one finds pages left; the server, too.
static void the_last_pages_are_for_those_with_rights(void **state)
{
    (void)state;
    host_reap_all();
    memory_files_limit(80 * 4096UL);
    u64 file = opened("/f", RW | FS_CREATE);
    pages_work_for(HOST_NO_PID);
    assert_int_equal(pages_until_full(file), 70);
    pages_work_for(HOST_PID + 1); // alive, without a right
    assert_int_equal(pages_until_full(file), 0);
    pages_work_for(HOST_PID);
    assert_int_equal(pages_until_full(file), 10);
    assert_int_equal(fs_server_truncate(&caller, file, 75 * 4096UL), 0);
    pages_work_for(0);
    assert_int_equal(fs_server_write(&caller, file, 75 * 4096UL, 0, "x", 1, &(u64){0}), 0);
    fs_server_close(&caller, file);
    remove_all("/f");
    memory_files_limit(UINT64_MAX);
    host_reap_all();
}

static void mapped_files_answer_the_kernel(void **state)
{
    (void)state;
    u64 offset, bytes;
    cap_t memory;
    u64 file = opened("/f", RW | FS_CREATE);
    written(file, 4090, "end of page, and more");
    assert_int_equal(fs_server_map(&caller, file, &offset, &bytes, &memory), 0);
    assert_true(offset == 0 && bytes == 4111 && host_supplied.length == 4111);
    assert_int_equal(memory, 55 | HOST_READABLE);
    host_kernel_asks(FILE_FETCH, 0);
    assert_memory_equal(host_supplied.page + 4090, "end of", 6);
    host_kernel_asks(FILE_FETCH, 4096);
    assert_memory_equal(host_supplied.page, " page, and more\0\0", 17);
    written(file, 0, "changed");
    assert_true(host_supplied.invalidations > 0);
    host_kernel_asks(FILE_WRITE, 4096); // no mapping stores anything
    holds(file, 4096, " page, and more");
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
    assert_true(usage.files == 0 && usage.directories == 0 && usage.open_files == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_are_kept),
        cmocka_unit_test(an_opening_of_used_memory_is_a_new_one),
        cmocka_unit_test(bad_requests_change_nothing),
        cmocka_unit_test(memory_ends_with_an_error),
        cmocka_unit_test(the_last_pages_are_for_those_with_rights),
        cmocka_unit_test(mapped_files_answer_the_kernel),
        cmocka_unit_test(random_work_equals_a_model),
    };
    return cmocka_run_group_tests_name("fs_files", tests, server_start, NULL);
}
