// SPDX-License-Identifier: MIT
// LOWER_BOUND says what a search from the front says.
#include <orrery/lower_bound.h>

#include <unit.h>

#define ROWS_MAX 40

// Returns what LOWER_BOUND is to return, for numbers in rising order.
static u64 from_front(const u32 *rows, u64 count, u32 wanted)
{
    u64 place = 0;
    while (place < count && rows[place] < wanted)
        place++;
    return place;
}

static void it_finds_what_a_search_from_the_front_finds(void **state)
{
    u64 seed = 44;
    u32 rows[ROWS_MAX] = {0};

    (void)state;
    for (u64 count = 0; count <= ROWS_MAX; count++) {
        for (u64 i = 0; i < count; i++) // equal ones in between
            rows[i] = (u32)(unit_random(&seed) % 3) + (i > 0 ? rows[i - 1] : 1);
        u32 last = count > 0 ? rows[count - 1] : 1;
        for (u32 wanted = 0; wanted <= last + 1; wanted++)
            assert_int_equal(LOWER_BOUND(at, count, rows[at] < wanted),
                             from_front(rows, count, wanted));
    }
}

static void none_and_all_may_be_before(void **state)
{
    (void)state;
    assert_int_equal(LOWER_BOUND(at, UINT64_MAX, at < UINT64_MAX), UINT64_MAX);
    assert_int_equal(LOWER_BOUND(at, UINT64_MAX, at < UINT64_MAX - 1), UINT64_MAX - 1);
    assert_int_equal(LOWER_BOUND(at, UINT64_MAX, at < 0x123456789abcdef), 0x123456789abcdef);
    assert_int_equal(LOWER_BOUND(at, 7u, false), 0);
}

// A step halves what is left.
static void it_asks_64_times_at_most(void **state)
{
    u64 asked = 0;

    (void)state;
    LOWER_BOUND(at, UINT64_MAX, (asked++, at < UINT64_MAX / 3));
    assert_true(asked <= 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_what_a_search_from_the_front_finds),
        cmocka_unit_test(none_and_all_may_be_before),
        cmocka_unit_test(it_asks_64_times_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
