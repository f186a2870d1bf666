// SPDX-License-Identifier: MIT
// Frames over a connection, whole, in pieces, damaged, and of random bytes.
#include "unit.h"

#include "tools/clock.h"
#include "wire/frame.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SOON 0.05 // seconds

// Nothing but the deadline ends a wait.
static const struct frame_socket *alone(int fd)
{
    static struct frame_socket socket;
    socket = (struct frame_socket){fd, -1, -1};
    return &socket;
}

static void make_pair(int fds[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
}

// What reading gives when these bytes came and then, maybe, the end.
static enum frame_result read_of(const void *data, size_t size, bool end, struct frame_input *input)
{
    int fds[2];
    make_pair(fds);
    assert_int_equal(write(fds[0], data, size), size);
    input->done = 0;
    if (end)
        close(fds[0]);
    enum frame_result result = frame_read(alone(fds[1]), clock_now() + SOON, input);
    if (!end)
        close(fds[0]);
    close(fds[1]);
    return result;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    int fds[2];
    struct frame_input input = {0};
    make_pair(fds);
    const size_t sizes[] = {0, 1, 255, 65536};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        u8 *data = memory_get(sizes[i]);
        memset(data, (int)i + 1, sizes[i]);
        assert_int_equal(frame_write(alone(fds[0]), clock_now() + 1, data, sizes[i]), FRAME_OK);
        assert_int_equal(frame_read(alone(fds[1]), clock_now() + 1, &input), FRAME_OK);
        assert_int_equal(input.payload.size, sizes[i]);
        assert_memory_equal(input.payload.data, data, sizes[i]);
        free(data);
    }
    bytes_free(&input.payload);
    close(fds[0]);
    close(fds[1]);
}

static void a_frame_in_pieces_is_whole_in_the_end(void **state)
{
    (void)state;
    const u8 bytes[] = "\0\0\0\3abc\0\0\0\1";
    struct frame_input input = {0};
    int fds[2];
    make_pair(fds);
    for (size_t i = 0; i < sizeof(bytes);
         i++) { // the terminating zero is the second frame's payload
        assert_int_equal(write(fds[0], &bytes[i], 1), 1);
        bool whole = i == 6 || i == 11;
        assert_int_equal(frame_read(alone(fds[1]), clock_now(), &input),
                         whole ? FRAME_OK : FRAME_TIMEOUT);
        assert_int_equal(input.done, whole ? 0 : i < 7 ? i + 1 : i - 6);
        if (whole)
            assert_memory_equal(input.payload.data, i == 6 ? "abc" : "", input.payload.size);
        assert_int_equal(input.payload.size, i == 6 ? 3 : whole);
    }
    bytes_free(&input.payload);
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
    struct frame_input input = {0};
    assert_int_equal(read_of("", 0, true, &input), FRAME_CLOSED);
    assert_int_equal(read_of("\0\0", 2, true, &input), FRAME_TRUNCATED);
    assert_int_equal(read_of("\0\0\0\5abc", 7, true, &input), FRAME_TRUNCATED);
    assert_int_equal(read_of("\0\0\0\5", 4, true, &input), FRAME_TRUNCATED);
    assert_int_equal(read_of("\0\x10\0\1", 4, false, &input), FRAME_TOO_LARGE);
    assert_int_equal(read_of("\0\0\0\5abc", 7, false, &input), FRAME_TIMEOUT);
    assert_int_equal(read_of("", 0, false, &input), FRAME_TIMEOUT);
    assert_int_equal(read_of("\0\0\0\0", 4, false, &input), FRAME_OK);
    bytes_free(&input.payload);
}

static void a_reader_that_does_not_read_ends_the_writing(void **state)
{
    (void)state;
    int fds[2];
    make_pair(fds);
    u8 *data = memory_get(FRAME_MAX_BYTES);
    enum frame_result result = FRAME_OK;
    for (int i = 0; i < 64 && result == FRAME_OK; i++)
        result = frame_write(alone(fds[0]), clock_now() + SOON, data, FRAME_MAX_BYTES);
    assert_int_equal(result, FRAME_TIMEOUT);
    close(fds[1]);
    assert_int_equal(frame_write(alone(fds[0]), clock_now() + SOON, data, 1), FRAME_ERROR);
    free(data);
    close(fds[0]);
}

static void other_descriptors_end_a_wait(void **state)
{
    (void)state;
    int fds[2], others[2];
    struct frame_input input = {0};
    make_pair(fds);
    make_pair(others);
    assert_int_equal(write(others[0], "", 1), 1);
    const struct frame_socket over = {fds[1], others[1], -1}, wake = {fds[1], -1, others[1]};
    const double long_after = clock_now() + 3600;
    assert_int_equal(write(fds[0], "\0\0\0\1", 4), 4);
    assert_int_equal(frame_read(&over, long_after, &input), FRAME_WOKEN);
    assert_int_equal(frame_read(&wake, long_after, &input), FRAME_WOKEN);
    assert_int_equal(frame_wait(&over, POLLOUT, long_after), FRAME_WOKEN);
    assert_int_equal(frame_wait(&wake, POLLOUT, long_after), FRAME_OK); // it is writable
    assert_int_equal(write(fds[0], "x", 1), 1);
    assert_int_equal(frame_read(&over, long_after, &input), FRAME_OK); // it is there already
    assert_memory_equal(input.payload.data, "x", 1);
    bytes_free(&input.payload);
    for (int i = 0; i < 2; i++) {
        close(fds[i]);
        close(others[i]);
    }
}

static void random_bytes_never_give_more_than_came(void **state)
{
    (void)state;
    u64 seed = 4242;
    struct frame_input input = {0};
    for (u64 round = 0; round < unit_fuzz_rounds(3000); round++) {
        u8 data[64];
        size_t size = unit_random(&seed) % sizeof(data);
        for (size_t i = 0; i < size; i++)
            data[i] = (u8)unit_random(&seed);
        if (round % 2 == 0) // else nearly every length is too large
            memset(data, 0, 3);
        enum frame_result result = read_of(data, size, true, &input);
        if (result == FRAME_OK)
            assert_true(input.payload.size + FRAME_HEADER_BYTES <= size);
        else
            assert_true(result == FRAME_CLOSED || result == FRAME_TRUNCATED ||
                        result == FRAME_TOO_LARGE);
    }
    bytes_free(&input.payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_frame_in_pieces_is_whole_in_the_end),
        cmocka_unit_test(lengths_are_big_endian),
        cmocka_unit_test(every_way_to_end_is_told_apart),
        cmocka_unit_test(a_reader_that_does_not_read_ends_the_writing),
        cmocka_unit_test(other_descriptors_end_a_wait),
        cmocka_unit_test(random_bytes_never_give_more_than_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
