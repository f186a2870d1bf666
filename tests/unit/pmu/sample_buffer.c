// SPDX-License-Identifier: MIT
// Sample buffer: order, exact counts, growth.
#include "platform.h"

#include <orrery/errors.h>
#include <setjmp.h>
#include <pmu/sample_buffer.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct sample_buffer buffer;

static bool write_sample(u64 number)
{
    struct sample_slot slot;
    if (!sample_buffer_begin(&buffer, &slot))
        return false;
    u64 callers = (slot.ring->record_bytes - sizeof(struct sys_sample)) / sizeof(u64);
    *slot.sample = (struct sys_sample){
        .time = number, .pc = ~number, .thread = (u32)number, .caller_count = (u16)callers};
    for (u64 i = 0; i < callers; i++)
        slot.sample->callers[i] = number + i;
    sample_buffer_commit(&buffer, &slot);
    return true;
}

static void write_samples(u64 first, u64 count)
{
    for (u64 i = 0; i < count; i++)
        write_sample(first + i);
}

static void expect_sample(u64 number)
{
    const struct sys_sample *sample = sample_buffer_peek(&buffer);
    assert_non_null(sample);
    assert_int_equal(sample->time, number);
    assert_int_equal(sample->pc, ~number);
    assert_int_equal(sample->thread, (u32)number);
    for (u32 i = 0; i < sample->caller_count; i++)
        assert_int_equal(sample->callers[i], number + i);
    sample_buffer_drop(&buffer);
}

static u64 capacity(void)
{
    const struct sample_ring *ring = buffer.writing;
    return (ring->end - ring->first) / ring->record_bytes - 1;
}

static int set_up(void **state)
{
    (void)state;
    return (int)sample_buffer_init(&buffer, 0);
}

static int tear_down(void **state)
{
    (void)state;
    sample_buffer_free(&buffer);
    platform_out_of_memory = false;
    return platform_blocks == 0 ? 0 : -1; // every ring was freed
}

static void a_new_buffer_is_empty_and_8_kb(void **state)
{
    (void)state;
    assert_null(sample_buffer_peek(&buffer));
    assert_int_equal(buffer.bytes, 8192);
    assert_int_equal(buffer.writing->end <= 8192, true);
    assert_true(capacity() >= 200);
}

static void samples_come_out_in_order_over_many_wraps(void **state)
{
    (void)state;
    u64 written = 0;
    u64 read = 0;
    for (u64 round = 0; round < 1000; round++) {
        u64 count = round * 7 % (capacity() + 1);
        write_samples(written, count);
        written += count;
        while (read < written)
            expect_sample(read++);
        assert_null(sample_buffer_peek(&buffer));
    }
    assert_int_equal(buffer.taken, written);
    assert_int_equal(buffer.lost, 0);
}

static void a_full_buffer_keeps_the_oldest_and_counts_every_loss(void **state)
{
    (void)state;
    u64 kept = capacity();
    write_samples(0, kept + 123);
    assert_int_equal(buffer.taken, kept);
    assert_int_equal(buffer.lost, 123);
    for (u64 i = 0; i < kept; i++)
        expect_sample(i);
    assert_null(sample_buffer_peek(&buffer));
}

static void callers_are_kept_with_every_sample(void **state)
{
    (void)state;
    u64 without = capacity();
    sample_buffer_free(&buffer);
    assert_int_equal(sample_buffer_init(&buffer, 16), 0);
    u64 kept = capacity();
    assert_true(kept >= without); // call chains do not make it hold less
    write_samples(1000, kept);
    assert_int_equal(buffer.lost, 0);
    for (u64 i = 0; i < kept; i++)
        expect_sample(1000 + i);
}

static void it_grows_by_4_kb_steps_that_hold_what_was_lost(void **state)
{
    (void)state;
    u64 kept = capacity();
    write_samples(0, kept + 200); // 200 * 32 bytes: two steps
    sample_buffer_grow(&buffer);
    assert_int_equal(buffer.bytes, 8192 + 2 * 4096);
    assert_int_equal(buffer.grown, 2);
    // What was in the old ring comes first,
    // then what the new one holds: all that was lost before fits.
    write_samples(kept + 200, kept + 200);
    assert_int_equal(buffer.lost, 200);
    for (u64 i = 0; i < kept; i++)
        expect_sample(i);
    for (u64 i = 0; i < kept + 200; i++)
        expect_sample(kept + 200 + i);
    assert_null(sample_buffer_peek(&buffer));
    assert_int_equal(buffer.taken, 2 * kept + 200);
}

static void it_does_not_grow_without_a_loss_or_twice_for_the_same(void **state)
{
    (void)state;
    write_samples(0, capacity());
    sample_buffer_grow(&buffer);
    assert_int_equal(buffer.grown, 0);
    write_samples(0, 1);
    sample_buffer_grow(&buffer);
    sample_buffer_grow(&buffer); // the offered ring is not in use yet
    assert_int_equal(buffer.grown, 1);
    while (sample_buffer_peek(&buffer) != NULL)
        sample_buffer_drop(&buffer);
    write_samples(0, 1);
    expect_sample(0);
    sample_buffer_grow(&buffer);
    assert_int_equal(buffer.grown, 1);
}

static void it_stops_growing_at_its_limit(void **state)
{
    (void)state;
    for (u64 round = 0; round < 40; round++) {
        write_samples(0, 3 * SAMPLE_BUFFER_MAX / sizeof(struct sys_sample));
        while (sample_buffer_peek(&buffer) != NULL)
            sample_buffer_drop(&buffer);
        sample_buffer_grow(&buffer);
        assert_true(buffer.bytes <= SAMPLE_BUFFER_MAX);
    }
    assert_int_equal(buffer.bytes, SAMPLE_BUFFER_MAX);
    assert_int_equal(buffer.bytes, 8192 + buffer.grown * 4096);
}

static void without_memory_it_stays_as_it_is_and_tries_again(void **state)
{
    (void)state;
    write_samples(0, capacity() + 1);
    platform_out_of_memory = true;
    sample_buffer_grow(&buffer);
    assert_int_equal(buffer.grown, 0);
    assert_int_equal(buffer.bytes, 8192);
    platform_out_of_memory = false;
    sample_buffer_grow(&buffer);
    assert_int_equal(buffer.grown, 1);
}

static void no_memory_for_the_first_ring_is_an_error(void **state)
{
    (void)state;
    struct sample_buffer other;
    platform_out_of_memory = true;
    assert_int_equal(sample_buffer_init(&other, 0), E_NOMEM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

// The reader's own writing: nothing is lost before the largest size.
static void room_is_made_before_it_is_missed(void **state)
{
    (void)state;
    u64 before = capacity();
    write_samples(0, before);
    sample_buffer_reserve(&buffer, 1000);
    write_samples(before, 1000);
    assert_int_equal(buffer.lost, 0);
    assert_true(capacity() >= before + 1000);
    assert_int_equal(buffer.grown, (buffer.bytes - 8192) / 4096);
    for (u64 i = 0; i < before + 1000; i++)
        expect_sample(i);
    assert_null(sample_buffer_peek(&buffer));
}

static void room_that_is_there_is_not_made(void **state)
{
    (void)state;
    sample_buffer_reserve(&buffer, capacity());
    assert_int_equal(buffer.bytes, 8192);
    write_samples(0, 10);
    expect_sample(0);
    sample_buffer_reserve(&buffer, capacity() - 9);
    assert_int_equal(buffer.bytes, 8192);
    sample_buffer_reserve(&buffer, capacity() - 8);
    assert_true(buffer.bytes > 8192);
}

static void what_there_can_be_no_room_for_is_counted(void **state)
{
    (void)state;
    platform_out_of_memory = true;
    sample_buffer_reserve(&buffer, 1000);
    write_samples(0, capacity() + 7);
    assert_int_equal(buffer.lost, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_buffer_is_empty_and_8_kb),
        TEST(samples_come_out_in_order_over_many_wraps),
        TEST(a_full_buffer_keeps_the_oldest_and_counts_every_loss),
        TEST(callers_are_kept_with_every_sample),
        TEST(it_grows_by_4_kb_steps_that_hold_what_was_lost),
        TEST(it_does_not_grow_without_a_loss_or_twice_for_the_same),
        TEST(it_stops_growing_at_its_limit),
        TEST(without_memory_it_stays_as_it_is_and_tries_again),
        TEST(no_memory_for_the_first_ring_is_an_error),
        TEST(room_is_made_before_it_is_missed),
        TEST(room_that_is_there_is_not_made),
        TEST(what_there_can_be_no_room_for_is_counted),
    };
    return cmocka_run_group_tests_name("pmu_sample_buffer", tests, NULL, NULL);
}
