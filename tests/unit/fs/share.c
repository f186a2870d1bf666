// SPDX-License-Identifier: MIT
// Contents of the fs server's files as memory, which clients read and write without calls.
#include "calls.h"
#include "pages.h"
#include "share.h"

#include <orrery/memory.h>
#include <user/time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

// Until the kernel tells that nobody has it.
static void memory_that_clients_hold_stays_in_the_account(void **state)
{
    (void)state;
    struct fs_sharing sharing, next;
    cap_t memory;
    const char *data;
    u64 file = opened("/f", RW | FS_CREATE);
    written(file, 0, "contents");
    assert_int_equal(fs_server_share(&caller, file, 1, &sharing, &memory), 0);
    u64 watcher = host_memory_watcher(memory);
    host_memory_is_held = true;
    fs_server_close(&caller, file);
    remove_all("/f");
    host_reap_all();
    host_memory_is_held = false;
    assert_int_equal(host_memories_mapped(), 1); // the states
    assert_int_equal(memory_files_bytes(), sharing.bytes);
    file = opened("/g", RW | FS_CREATE);
    written(file, 0, "contents");
    assert_int_equal(shared(file, 1, &next, &data), 0);
    assert_int_equal(next.index, sharing.index);
    assert_int_equal(memory_files_bytes(), 2 * sharing.bytes);
    fs_server_close(&caller, file);
    remove_all("/g");
    host_reap_all();
    assert_int_equal(memory_files_bytes(), sharing.bytes);
    host_memory_gone(watcher);
    assert_int_equal(memory_files_bytes(), 0);
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

// What an opening may not write, its memory does not either; what it may not read it gets none of.
static void memory_is_for_what_the_opening_is_for(void **state)
{
    (void)state;
    struct fs_sharing sharing;
    u64 offset, bytes;
    cap_t memory;
    u64 both = opened("/f", RW | FS_CREATE);
    u64 reader = opened("/f", FS_READ), writer = opened("/f", FS_WRITE);
    written(both, 0, "contents");
    assert_int_equal(fs_server_map(&caller, writer, &offset, &bytes, &memory), E_PERM);
    assert_int_equal(fs_server_share(&caller, writer, 1, &sharing, &memory), E_NOTSUP);
    assert_int_equal(fs_server_map(&caller, reader, &offset, &bytes, &memory), 0);
    assert_true((memory & HOST_READABLE) != 0);
    assert_int_equal(fs_server_share(&caller, reader, 1, &sharing, &memory), 0);
    assert_true((memory & HOST_READABLE) != 0);
    assert_int_equal(fs_server_map(&caller, both, &offset, &bytes, &memory), 0);
    assert_true((memory & HOST_READABLE) != 0); // no file is written through a mapping
    assert_int_equal(fs_server_share(&caller, both, 1, &sharing, &memory), 0);
    assert_true((memory & HOST_READABLE) == 0);
    host_kernel_asks(FILE_GONE, 0);
    fs_server_close(&caller, both);
    fs_server_close(&caller, reader);
    fs_server_close(&caller, writer);
    remove_all("/f");
    host_reap_all();
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_says_what_a_call_says),
        cmocka_unit_test(shared_contents_follow_the_file),
        cmocka_unit_test(memory_that_clients_hold_stays_in_the_account),
        cmocka_unit_test(only_one_who_is_alone_writes_without_calls),
        cmocka_unit_test(memory_is_for_what_the_opening_is_for),
        cmocka_unit_test(files_that_grow_get_more_memory),
        cmocka_unit_test(shares_run_out_with_an_error),
        cmocka_unit_test(without_memory_a_file_is_not_shared),
    };
    return cmocka_run_group_tests_name("fs_share", tests, server_start, NULL);
}
