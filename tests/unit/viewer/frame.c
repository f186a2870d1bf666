// SPDX-License-Identifier: MIT
// Frames over a connection, whole, in pieces, damaged, and of random bytes.
#include "unit.h"

#include "frame.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SOON 0.05 // seconds

static void make_pair(int fds[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
}

// What reading gives when these bytes came and then, maybe, the end.
static enum frame_result read_of(const void *data, size_t size, bool end, struct bytes *payload)
{
    int fds[2];
    make_pair(fds);
    assert_int_equal(write(fds[0], data, size), size);
    if (end)
        close(fds[0]);
    enum frame_result result = frame_read(fds[1], frame_now() + SOON, payload);
    if (!end)
        close(fds[0]);
    close(fds[1]);
    return result;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    int fds[2];
    struct bytes payload = {0};
    make_pair(fds);
    const size_t sizes[] = {0, 1, 255, 65536};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        u8 *data = memory_get(sizes[i]);
        memset(data, (int)i + 1, sizes[i]);
        assert_int_equal(frame_write(fds[0], frame_now() + 1, data, sizes[i]), FRAME_OK);
        assert_int_equal(frame_read(fds[1], frame_now() + 1, &payload), FRAME_OK);
        assert_int_equal(payload.size, sizes[i]);
        assert_memory_equal(payload.data, data, sizes[i]);
        free(data);
    }
    bytes_free(&payload);
    close(fds[0]);
    close(fds[1]);
}

static void lengths_are_big_endian(void **state)
{
    (void)state;
    u8 header[FRAME_HEADER_BYTES];
    frame_encode_length(header, 0x01020304);
    assert_memory_equal(header, "\1\2\3\4", 4);
    assert_int_equal(frame_decode_length(header), 0x01020304);
}

static void every_way_to_end_is_told_apart(void **state)
{
    (void)state;
    struct bytes payload = {0};
    assert_int_equal(read_of("", 0, true, &payload), FRAME_CLOSED);
    assert_int_equal(read_of("\0\0", 2, true, &payload), FRAME_TRUNCATED);
    assert_int_equal(read_of("\0\0\0\5abc", 7, true, &payload), FRAME_TRUNCATED);
    assert_int_equal(read_of("\0\0\0\5", 4, true, &payload), FRAME_TRUNCATED);
    assert_int_equal(read_of("\0\x10\0\1", 4, false, &payload), FRAME_TOO_LARGE);
    assert_int_equal(read_of("\0\0\0\5abc", 7, false, &payload), FRAME_TIMEOUT);
    assert_int_equal(read_of("", 0, false, &payload), FRAME_TIMEOUT);
    assert_int_equal(read_of("\0\0\0\0", 4, false, &payload), FRAME_OK);
    bytes_free(&payload);
}

static void a_reader_that_does_not_read_ends_the_writing(void **state)
{
    (void)state;
    int fds[2];
    make_pair(fds);
    u8 *data = memory_get(FRAME_MAX_BYTES);
    enum frame_result result = FRAME_OK;
    for (int i = 0; i < 64 && result == FRAME_OK; i++)
        result = frame_write(fds[0], frame_now() + SOON, data, FRAME_MAX_BYTES);
    assert_int_equal(result, FRAME_TIMEOUT);
    close(fds[1]);
    assert_int_equal(frame_write(fds[0], frame_now() + SOON, data, 1), FRAME_ERROR);
    free(data);
    close(fds[0]);
}

static void random_bytes_never_give_more_than_came(void **state)
{
    (void)state;
    u64 seed = 4242;
    struct bytes payload = {0};
    for (u64 round = 0; round < unit_fuzz_rounds(3000); round++) {
        u8 data[64];
        size_t size = unit_random(&seed) % sizeof(data);
        for (size_t i = 0; i < size; i++)
            data[i] = (u8)unit_random(&seed);
        if (round % 2 == 0) // else nearly every length is too large
            memset(data, 0, 3);
        enum frame_result result = read_of(data, size, true, &payload);
        if (result == FRAME_OK)
            assert_true(payload.size + FRAME_HEADER_BYTES <= size);
        else
            assert_true(result == FRAME_CLOSED || result == FRAME_TRUNCATED ||
                        result == FRAME_TOO_LARGE);
    }
    bytes_free(&payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(lengths_are_big_endian),
        cmocka_unit_test(every_way_to_end_is_told_apart),
        cmocka_unit_test(a_reader_that_does_not_read_ends_the_writing),
        cmocka_unit_test(random_bytes_never_give_more_than_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
