// SPDX-License-Identifier: MIT
// Pipes: bytes in order whoever waits, and nobody waits for what cannot come.
#include "files.h"
#include "host.h"
#include "opening.h"

#include <ipc/fs.h>
#include <user/ipc.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static u64 reader, writer; // handles

static int start(void **state)
{
    host_start(state);
    return (int)openings_create();
}

static int make(void **state)
{
    (void)state;
    host_answer_count = 0;
    host_callers_gone = false;
    return (int)fs_server_pipe(&(struct ipc_caller){.pid = HOST_PID}, &reader, &writer);
}

static int end(void **state)
{
    (void)state;
    fs_server_close(&(struct ipc_caller){.pid = HOST_PID}, reader);
    fs_server_close(&(struct ipc_caller){.pid = HOST_PID}, writer);
    host_reap_all();
    return openings_count() != 0;
}

static s64 do_read(u64 call, void *to, u64 room, u64 *bytes)
{
    return fs_server_read(&(struct ipc_caller){.call = call, .pid = HOST_PID}, reader, FS_CURRENT,
                          0, to, room, bytes);
}

static s64 do_write(u64 call, const void *from, u64 bytes, u64 *written)
{
    return fs_server_write(&(struct ipc_caller){.call = call, .pid = HOST_PID}, writer, FS_CURRENT,
                           0, from, bytes, written);
}

static void a_reader_waits_for_bytes(void **state)
{
    (void)state;
    char data[10];
    u64 bytes;
    assert_int_equal(do_read(1, data, 2, &bytes), IPC_LATER);
    assert_int_equal(do_read(2, data, 10, &bytes), IPC_LATER);
    assert_int_equal(do_write(3, "abc", 3, &bytes), 0);
    assert_int_equal(bytes, 3);
    assert_int_equal(host_answer_count, 2);
    assert_true(host_answers[0].call == 1 && host_answers[0].bytes == 2);
    assert_memory_equal(host_answers[0].data, "ab", 2);
    assert_true(host_answers[1].call == 2 && host_answers[1].bytes == 1);
    assert_int_equal(host_answers[1].data[0], 'c');
}

static void a_writer_waits_for_room(void **state)
{
    (void)state;
    static u8 data[12288], back[12288];
    u64 bytes, filled = 0;
    memset(data, 'x', sizeof(data));
    while (do_write(1, data, sizeof(data), &bytes) == 0)
        filled += bytes;
    assert_int_equal(filled, 0x4000);
    assert_int_equal(host_answer_count, 0);
    assert_int_equal(do_read(2, back, 100, &bytes), 0);
    assert_true(bytes == 100 && host_answer_count == 1 && host_answers[0].written == 100);
    assert_int_equal(fs_server_write(&(struct ipc_caller){.pid = HOST_PID}, writer, FS_CURRENT,
                                     FS_NO_WAIT, data, 1, &bytes),
                     E_AGAIN);
}

static void a_short_write_goes_in_whole(void **state)
{
    (void)state;
    static u8 data[12288], back[12288];
    u64 bytes;
    assert_int_equal(do_write(1, data, 12288, &bytes), 0);
    assert_int_equal(do_write(2, data, 100, &bytes), 0);
    assert_int_equal(fs_server_write(&(struct ipc_caller){.pid = HOST_PID}, writer, FS_CURRENT,
                                     FS_NO_WAIT, data, 4096, &bytes),
                     E_AGAIN);
    u32 bits = 0;
    assert_int_equal(fs_server_ready(&(struct ipc_caller){.pid = HOST_PID}, writer, &bits), 0);
    assert_int_equal(bits, 0);
    memset(data, 'y', 4096);
    assert_int_equal(do_write(3, data, 4096, &bytes), IPC_LATER);
    assert_int_equal(do_write(4, data, 1, &bytes), IPC_LATER); // behind it, although it had room
    assert_int_equal(do_read(5, back, 99, &bytes), 0);
    assert_int_equal(host_answer_count, 0);
    assert_int_equal(do_read(6, back, 1, &bytes), 0);
    assert_true(host_answer_count == 1 && host_answers[0].call == 3);
    assert_int_equal(host_answers[0].written, 4096);
    assert_int_equal(do_read(7, back, 12288, &bytes), 0);
    assert_true(host_answer_count == 2 && host_answers[1].written == 1);
    assert_int_equal(fs_server_ready(&(struct ipc_caller){.pid = HOST_PID}, writer, &bits), 0);
    assert_int_equal(bits, FS_READY_WRITE);
}

static void closed_ends_release_everybody(void **state)
{
    (void)state;
    char data[4];
    u64 bytes;
    assert_int_equal(do_read(1, data, 4, &bytes), IPC_LATER);
    assert_int_equal(do_read(2, data, 4, &bytes), IPC_LATER);
    fs_server_close(&(struct ipc_caller){.pid = HOST_PID}, writer);
    assert_int_equal(host_answer_count, 2);
    assert_true(host_answers[0].status == 0 && host_answers[0].bytes == 0);
    assert_int_equal(do_read(3, data, 4, &bytes), 0);
    assert_int_equal(bytes, 0);
}

static void nobody_writes_to_nobody(void **state)
{
    (void)state;
    static u8 data[12288];
    u64 bytes;
    while (do_write(9, data, sizeof(data), &bytes) == 0)
        ;
    fs_server_close(&(struct ipc_caller){.pid = HOST_PID}, reader);
    assert_true(host_answer_count == 1 && host_answers[0].status == E_PEER);
    assert_int_equal(do_write(1, "x", 1, &bytes), E_PEER);
}

static void bytes_for_a_reader_that_ended_stay(void **state)
{
    (void)state;
    char data[4];
    u64 bytes;
    assert_int_equal(do_read(1, data, 4, &bytes), IPC_LATER);
    host_callers_gone = true;
    assert_int_equal(do_write(2, "abc", 3, &bytes), 0);
    host_callers_gone = false;
    assert_int_equal(do_read(3, data, 4, &bytes), 0);
    assert_int_equal(bytes, 3);
    assert_memory_equal(data, "abc", 3);
}

// One write for several readers, and for the ring behind them.
static void a_write_goes_to_all_who_wait_and_the_rest_stays(void **state)
{
    (void)state;
    static u8 data[12288], back[12288];
    u64 bytes;
    for (u64 i = 0; i < sizeof(data); i++)
        data[i] = (u8)(i * 7 >> 2);
    for (u64 call = 1; call <= 3; call++)
        assert_int_equal(do_read(call, back, call * 10, &bytes), IPC_LATER);
    assert_int_equal(do_write(4, data, 100, &bytes), 0);
    assert_int_equal(bytes, 100);
    assert_int_equal(host_answer_count, 3);
    for (u64 i = 0, at = 0; i < 3; at += ++i * 10) {
        assert_true(host_answers[i].call == i + 1 && host_answers[i].bytes == (i + 1) * 10);
        assert_memory_equal(host_answers[i].data, data + at, (i + 1) * 10);
    }
    assert_int_equal(do_read(5, back, sizeof(back), &bytes), 0);
    assert_int_equal(bytes, 40);
    assert_memory_equal(back, data + 60, 40);
}

static void waiting_has_a_limit(void **state)
{
    (void)state;
    char data[4];
    u64 bytes;
    u32 count = 0;
    while (do_read(count + 1, data, 4, &bytes) == IPC_LATER)
        count++;
    assert_int_equal(count, 64);
    assert_int_equal(do_read(100, data, 4, &bytes), E_LIMIT);
    fs_server_close(&(struct ipc_caller){.pid = HOST_PID}, writer);
    assert_int_equal(host_answer_count, 64);
}

// Random reads and writes of all sizes, waiting ones too: the stream comes out as it went in.
static void a_stream_stays_in_order(void **state)
{
    (void)state;
    static u8 data[12288];
    u64 in = 0, out = 0, bytes, pending_write = 0;
    bool pending_read = false;
    srand(5);
    for (u32 round = 0; round < 200000; round++) {
        u64 size = 1 + (u64)rand() % (rand() % 8 == 0 ? sizeof(data) : 200);
        host_answer_count = 0;
        s64 status = IPC_LATER;
        bool read = rand() % 2 == 0;
        if (read && !pending_read) {
            status = do_read(1, data, size, &bytes);
            pending_read = status == IPC_LATER;
            for (u64 i = 0; status == 0 && i < bytes; i++, out++)
                assert_int_equal(data[i], (u8)(out * 13 >> 3));
        } else if (!read && pending_write == 0) {
            for (u64 i = 0; i < size; i++)
                data[i] = (u8)((in + i) * 13 >> 3);
            status = do_write(2, data, size, &bytes);
            pending_write = status == IPC_LATER ? size : 0;
            in += status == 0 ? bytes : 0;
        }
        for (u32 i = 0; i < host_answer_count; i++) {
            const struct answer *answer = &host_answers[i];
            assert_int_equal(answer->status, 0);
            if (answer->call == 2) {
                in += answer->written;
                pending_write = 0;
                continue;
            }
            pending_read = false;
            for (u64 k = 0; k < answer->bytes; k++, out++)
                assert_int_equal(answer->data[k], (u8)(out * 13 >> 3));
        }
    }
    assert_true(out > 100000 && in >= out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_reader_waits_for_bytes, make, end),
        cmocka_unit_test_setup_teardown(a_writer_waits_for_room, make, end),
        cmocka_unit_test_setup_teardown(a_short_write_goes_in_whole, make, end),
        cmocka_unit_test_setup_teardown(closed_ends_release_everybody, make, end),
        cmocka_unit_test_setup_teardown(nobody_writes_to_nobody, make, end),
        cmocka_unit_test_setup_teardown(bytes_for_a_reader_that_ended_stay, make, end),
        cmocka_unit_test_setup_teardown(a_write_goes_to_all_who_wait_and_the_rest_stays, make, end),
        cmocka_unit_test_setup_teardown(waiting_has_a_limit, make, end),
        cmocka_unit_test_setup_teardown(a_stream_stays_in_order, make, end),
    };
    return cmocka_run_group_tests_name("fs_pipes", tests, start, NULL);
}
