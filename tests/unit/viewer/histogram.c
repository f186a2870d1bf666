// SPDX-License-Identifier: MIT
// A histogram's percentiles are off by no more than it says, whatever the values.
#include "unit.h"

#include "tools/histogram.h"
#include "tools/keyed_rows.h"

#include <math.h>

#define VALUES 5000

static int compare(const void *one, const void *other)
{
    u64 a = *(const u64 *)one, b = *(const u64 *)other;
    return a < b ? -1 : a > b;
}

static void percentiles_are_within_the_stated_error(void **state)
{
    (void)state;
    static const double percents[] = {0.1, 1, 25, 50, 90, 99, 99.9, 100};
    static u64 values[VALUES];
    u64 seed = 3;
    for (u32 round = 0; round < 50; round++) {
        struct histogram all = {0}, parts[2] = {0};
        u64 count = 1 + unit_random(&seed) % VALUES, bits = 1 + unit_random(&seed) % 64;
        for (u64 i = 0; i < count; i++) {
            values[i] = unit_random(&seed) >> (64 - bits) >> unit_random(&seed) % bits;
            histogram_add(&parts[i % 2], values[i]);
        }
        histogram_join(&all, &parts[0]);
        histogram_join(&all, &parts[1]);
        qsort(values, count, sizeof(u64), compare);
        assert_int_equal(all.count, count);
        assert_int_equal(all.min, values[0]);
        assert_int_equal(all.max, values[count - 1]);
        for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
            double exact = (double)values[(u64)ceil((double)count * percents[i] / 100) - 1];
            double found = (double)histogram_percentile(&all, percents[i]);
            assert_true(fabs(found - exact) <= HISTOGRAM_ERROR_PERCENT / 100 * exact);
        }
        histogram_free(&all);
        histogram_free(&parts[0]);
        histogram_free(&parts[1]);
    }
}

static void powers_of_two_part_it_exactly(void **state)
{
    (void)state;
    struct histogram histogram = {0};
    for (u64 value = 0; value < 4096; value++)
        histogram_add(&histogram, value);
    assert_int_equal(histogram_between(&histogram, 0, 1), 1);
    for (u64 low = 1; low < 4096; low *= 2)
        assert_int_equal(histogram_between(&histogram, low, 2 * low), low);
    histogram_free(&histogram);
}

static void nothing_has_no_percentiles(void **state)
{
    (void)state;
    struct histogram histogram = {0};
    assert_int_equal(histogram_percentile(&histogram, 99), 0);
    assert_true(histogram_mean(&histogram) == 0);
}

static void rows_are_found_by_their_key(void **state)
{
    (void)state;
    struct row {
        u64 key[KEY_WORDS], times;
    };
    struct keyed_rows rows = {.row_bytes = sizeof(struct row)};
    for (u64 i = 0; i < 3000; i++)
        ((struct row *)keyed_rows_get(&rows, (const u64[KEY_WORDS]){i % 10, 0, i % 7}))->times++;
    assert_int_equal(rows.count, 70);
    for (size_t i = 0; i < rows.count; i++) {
        const struct row *row = rows.rows[i];
        assert_ptr_equal(keyed_rows_find(&rows, row->key), row);
        assert_true(row->times == 42 || row->times == 43);
    }
    assert_null(keyed_rows_find(&rows, (const u64[KEY_WORDS]){10}));
    keyed_rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_within_the_stated_error),
        cmocka_unit_test(powers_of_two_part_it_exactly),
        cmocka_unit_test(nothing_has_no_percentiles),
        cmocka_unit_test(rows_are_found_by_their_key),
    };
    return cmocka_run_group_tests_name("kov_histogram", tests, NULL, NULL);
}
