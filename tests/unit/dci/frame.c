// SPDX-License-Identifier: MIT
// Frames against bytes that are computed one by one: numbers of all lengths, at all distances from
// the end of the room.
#include "frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NEAR_END 48

static u8 space[FRAME_BYTES_MAX], expected[64];

// frame.c calls these at a frame's begin and end only.
u8 *queue_space(struct queue *queue)
{
    (void)queue;
    return space;
}

void queue_add(struct queue *queue, u32 count)
{
    (void)queue;
    (void)count;
}

static struct frame frame_with_room(u32 room)
{
    return (struct frame){.base = space, .used = FRAME_BYTES_MAX - room};
}

static u32 expect_varint(u32 at, u64 value)
{
    while (value >= 128) {
        expected[at++] = (u8)(value % 128 + 128);
        value /= 128;
    }
    expected[at++] = (u8)value;
    return at;
}

static u32 expect_fixed64(u32 at, u64 value)
{
    for (u32 i = 0; i < 8; i++, value /= 256)
        expected[at++] = (u8)(value % 256);
    return at;
}

// Either all of the field is there, or the frame is lost; nothing is ever behind the room.
static void check(const struct frame *frame, u32 room, u32 length)
{
    u32 begin = FRAME_BYTES_MAX - room;

    assert_int_equal(frame->overflow, length > room);
    if (frame->overflow)
        return;
    assert_int_equal(frame->used, begin + length);
    assert_memory_equal(space + begin, expected, length);
}

static void varints_are_whole_or_not_there(void **state)
{
    static const u32 fields[] = {1, 15, 16, 2047, 2048};
    (void)state;

    for (u32 room = 0; room < NEAR_END; room++)
        for (u32 bits = 0; bits < 64; bits++)
            for (u32 i = 0; i < ARRAY_SIZE(fields); i++) {
                u64 value = (1UL << bits) + (bits > 1 ? 1 : 0);
                struct frame frame = frame_with_room(room);
                frame_varint(&frame, fields[i], value);
                u32 length = expect_varint(expect_varint(0, fields[i] * 8), value);
                check(&frame, room, length);
            }
}

static void numbers_of_eight_bytes_are_little_endian(void **state)
{
    static const u64 values[] = {0x0102030405060708, UINT64_MAX, 1};
    (void)state;

    for (u32 room = 0; room < NEAR_END; room++) {
        struct frame frame = frame_with_room(room);
        frame_fixed64(&frame, 6, values[0]);
        check(&frame, room, expect_fixed64(expect_varint(0, 6 * 8 + 1), values[0]));
        frame = frame_with_room(room);
        frame_packed_fixed64(&frame, 7, values, ARRAY_SIZE(values));
        u32 length = expect_varint(expect_varint(0, 7 * 8 + 2), sizeof(values));
        for (u32 i = 0; i < ARRAY_SIZE(values); i++)
            length = expect_fixed64(length, values[i]);
        check(&frame, room, length);
    }
}

static void nothing_follows_what_did_not_fit(void **state)
{
    struct frame frame = frame_with_room(5);
    (void)state;

    frame_fixed64(&frame, 1, 1);
    assert_true(frame.overflow);
    frame_varint(&frame, 1, 1);
    frame_fixed64(&frame, 1, 1);
    assert_true(frame.overflow);
    assert_true(frame.used <= FRAME_BYTES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_are_whole_or_not_there),
        cmocka_unit_test(numbers_of_eight_bytes_are_little_endian),
        cmocka_unit_test(nothing_follows_what_did_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
