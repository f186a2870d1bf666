// SPDX-License-Identifier: MIT
// The byte ring between a process and the net server, one side at a time: order, wrapping, and
// indices that the other side made up.
#include <net/ring.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define CAPACITY 64u

struct pair {
    struct ring_shared shared;
    struct ring writer, reader;
    u8 *bytes; // of its own allocation: the sanitizer sees what goes past its end
};

static struct pair pair_at(u32 index)
{
    struct pair pair = {.bytes = malloc(CAPACITY)};
    shared_store(&pair.shared.head, index);
    shared_store(&pair.shared.tail, index);
    return pair;
}

// The shared part must stay where it is, so both sides are set up in place.
static void pair_open(struct pair *pair, u32 index)
{
    *pair = pair_at(index);
    ring_init(&pair->writer, &pair->shared, pair->bytes, CAPACITY);
    ring_init(&pair->reader, &pair->shared, pair->bytes, CAPACITY);
    pair->writer.own = pair->reader.own = index;
}

static s64 take(struct ring *ring, void *to, u64 count)
{
    s64 taken = ring_peek(ring, to, count);
    if (taken > 0)
        ring_consume(ring, (u32)taken);
    return taken;
}

static void bytes_come_out_in_order(void **state)
{
    struct pair pair;
    u8 out[CAPACITY];
    u8 sent = 0, expected = 0;

    (void)state;
    pair_open(&pair, 0xffffff00); // the indices wrap on the way
    for (u32 round = 0; round < 1000; round++) {
        u8 in[CAPACITY];
        u32 count = 1 + (round * 7) % CAPACITY;
        for (u32 i = 0; i < count; i++)
            in[i] = (u8)(sent + i);
        sent = (u8)(sent + ring_write(&pair.writer, in, count));
        s64 got = take(&pair.reader, out, 1 + (round * 5) % CAPACITY);
        assert_true(got > 0);
        for (s64 i = 0; i < got; i++)
            assert_int_equal(out[i], expected++);
    }
    free(pair.bytes);
}

static void a_full_ring_takes_no_more(void **state)
{
    u8 bytes[CAPACITY + 9] = {0};
    struct pair pair;

    (void)state;
    pair_open(&pair, 13);
    assert_int_equal(ring_room(&pair.writer), CAPACITY);
    assert_int_equal(ring_write(&pair.writer, bytes, sizeof(bytes)), CAPACITY);
    assert_int_equal(ring_write(&pair.writer, bytes, 1), 0);
    assert_int_equal(ring_room(&pair.writer), 0);
    assert_int_equal(ring_used(&pair.reader), CAPACITY);
    assert_int_equal(take(&pair.reader, bytes, sizeof(bytes)), CAPACITY);
    assert_int_equal(take(&pair.reader, bytes, 1), 0);
    free(pair.bytes);
}

static void pieces_cover_the_whole_ring(void **state)
{
    struct pair pair;
    u32 count;

    (void)state;
    pair_open(&pair, CAPACITY - 10);
    ring_produce(&pair.writer, 10);
    assert_int_equal(ring_room(&pair.writer), CAPACITY - 10);
    ring_produce(&pair.writer, 3);
    assert_ptr_equal(ring_front(&pair.reader, &count), pair.bytes + CAPACITY - 10);
    assert_int_equal(count, 10);
    ring_consume(&pair.reader, count);
    assert_ptr_equal(ring_front(&pair.reader, &count), pair.bytes);
    assert_int_equal(count, 3);
    free(pair.bytes);
}

static void peeking_leaves_the_bytes(void **state)
{
    struct pair pair;
    char out[4] = "";

    (void)state;
    pair_open(&pair, CAPACITY - 1);
    ring_write(&pair.writer, "abc", 3);
    assert_int_equal(ring_peek(&pair.reader, out, 3), 3);
    assert_string_equal(out, "abc");
    assert_int_equal(take(&pair.reader, out, 2), 2);
    assert_int_equal(ring_used(&pair.reader), 1);
    free(pair.bytes);
}

// Whatever the other side writes: an error or a count within the ring, and no access outside.
static void made_up_indices_are_found(void **state)
{
    u8 bytes[2 * CAPACITY] = {0};
    struct pair pair;

    (void)state;
    srand(7);
    for (u32 round = 0; round < 20000; round++) {
        u32 count;
        pair_open(&pair, (u32)rand());
        u32 lie = pair.writer.own + (u32)(rand() % (4 * (int)CAPACITY)) - 2 * CAPACITY;
        u32 used = lie - pair.reader.own, room = pair.writer.own - lie;

        shared_store(&pair.shared.head, lie);
        s64 read = take(&pair.reader, bytes, sizeof(bytes));
        assert_int_equal(read, used <= CAPACITY ? (s64)used : E_PROTO);
        ring_front(&pair.reader, &count);
        assert_true(count <= CAPACITY);

        shared_store(&pair.shared.tail, lie);
        s64 written = ring_write(&pair.writer, bytes, sizeof(bytes));
        assert_int_equal(written, room <= CAPACITY ? (s64)(CAPACITY - room) : E_PROTO);
        free(pair.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_out_in_order),     cmocka_unit_test(a_full_ring_takes_no_more),
        cmocka_unit_test(pieces_cover_the_whole_ring), cmocka_unit_test(peeking_leaves_the_bytes),
        cmocka_unit_test(made_up_indices_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
