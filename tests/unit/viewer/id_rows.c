// SPDX-License-Identifier: MIT
// Rows by number: as a plain list has them, and found in few steps whatever numbers there are.
#include "unit.h"

#include "tools/id_rows.h"

#include <stdlib.h>

#define MANY 65536
#define BITS_MAX 64

struct numbered {
    struct id_row row;
    u64 own;
};

static struct id_rows rows;

static int begin(void **state)
{
    (void)state;
    rows = (struct id_rows){.row_bytes = sizeof(struct numbered)};
    return 0;
}

static int end(void **state)
{
    (void)state;
    id_rows_free(&rows);
    return 0;
}

// Returns on how many rows one comes, by their links, until the number's; 0: not to it.
static u32 steps_to(u64 id)
{
    const struct id_row *row = id_rows_at(&rows, 0);
    for (u32 steps = 1; steps <= BITS_MAX + 1; steps++) {
        if (row->id == id)
            return steps;
        u32 next = row->next[id >> (steps - 1) % BITS_MAX & 1];
        if (next == 0)
            return 0;
        row = id_rows_at(&rows, next);
    }
    return 0;
}

static u32 most_steps(void)
{
    u32 most = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const struct id_row *row = id_rows_at(&rows, i);
        u32 steps = steps_to(row->id);
        assert_int_not_equal(steps, 0);
        most = steps > most ? steps : most;
    }
    return most;
}

// As the list has it: the numbers in the order in which they came first, and what was noted last.
static void rows_are_those_of_a_plain_list(void **state)
{
    (void)state;
    static u64 ids[2000], notes[2000];
    size_t count = 0;
    srand(7);
    for (u32 turn = 0; turn < 20000; turn++) {
        u64 id = (u64)(u32)rand() % 1500 << (rand() % 3 == 0 ? 50 : 0), place = 0;
        while (place < count && ids[place] != id)
            place++;
        struct numbered *found = id_rows_find(&rows, id);
        assert_int_equal(found != NULL, place < count);
        if (found != NULL)
            assert_int_equal(found->own, notes[place]);
        if (rand() % 4 == 0 && (place < count || count < ARRAY_SIZE(ids))) {
            struct numbered *row = id_rows_get(&rows, id);
            if (place == count) {
                assert_int_equal(row->own, 0);
                ids[count++] = id;
            }
            row->own = notes[place] = turn + 1;
        }
    }
    assert_int_equal(rows.count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(((struct numbered *)id_rows_at(&rows, i))->row.id, ids[i]);
}

static void falling_and_rising_numbers_take_as_few_steps_as_their_bits(void **state)
{
    (void)state;
    for (u64 i = 0; i < MANY; i++)
        id_rows_get(&rows, MANY - 1 - i);
    assert_in_range(most_steps(), 1, 17);
    id_rows_free(&rows);
    for (u64 i = 0; i < MANY; i++)
        id_rows_get(&rows, i);
    assert_in_range(most_steps(), 1, 17);
    assert_int_equal(rows.count, MANY);
}

// The worst: each number goes the way of all before it, one bit further.
static void no_numbers_take_more_steps_than_there_are_bits(void **state)
{
    (void)state;
    id_rows_get(&rows, UINT64_MAX);
    for (u32 bit = 0; bit < BITS_MAX; bit++)
        id_rows_get(&rows, (u64)1 << (BITS_MAX - 1 - bit));
    id_rows_get(&rows, 0);
    assert_in_range(most_steps(), 1, BITS_MAX + 1);
    srand(9);
    for (u32 i = 0; i < MANY; i++)
        id_rows_get(&rows, (u64)(u32)rand() << 32 << rand() % 8);
    assert_in_range(most_steps(), 1, BITS_MAX + 1);
}

static void a_copy_is_its_own(void **state)
{
    (void)state;
    struct id_rows copy;
    id_rows_copy(&copy, &rows); // of none
    assert_null(id_rows_find(&copy, 0));
    id_rows_free(&copy);
    for (u64 id = 0; id < 100; id++)
        ((struct numbered *)id_rows_get(&rows, id * 3))->own = id;
    id_rows_copy(&copy, &rows);
    ((struct numbered *)id_rows_get(&copy, 30))->own = 7;
    id_rows_get(&copy, 1);
    assert_int_equal(((struct numbered *)id_rows_find(&rows, 30))->own, 10);
    assert_null(id_rows_find(&rows, 1));
    assert_int_equal(((struct numbered *)id_rows_find(&copy, 297))->own, 99);
    id_rows_free(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_those_of_a_plain_list, begin, end),
        cmocka_unit_test_setup_teardown(falling_and_rising_numbers_take_as_few_steps_as_their_bits,
                                        begin, end),
        cmocka_unit_test_setup_teardown(no_numbers_take_more_steps_than_there_are_bits, begin, end),
        cmocka_unit_test_setup_teardown(a_copy_is_its_own, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
