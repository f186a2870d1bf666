// SPDX-License-Identifier: MIT
// The table of calls: cells and ranges against a count by hand, and its limits whatever a machine
// tells.
#include "unit.h"

#include "gateway/call_counts.h"

#define TICKS 1000u
#define CELLS 8u
#define ORIGIN 500u
#define ROUNDS 20000u

static struct call_counts *counts;
static struct call_sum sum;

static int begin(void **state)
{
    (void)state;
    counts = call_counts_new(ORIGIN, TICKS, CELLS);
    return 0;
}

static int end(void **state)
{
    (void)state;
    keyed_rows_free(&sum.rows);
    sum = (struct call_sum){0};
    call_counts_free(counts);
    return 0;
}

static void add(u64 time, u64 client, u64 method)
{
    call_counts_add(counts, time, &(struct call_kind){client, 2, 0x10, method});
}

static void sum_up(u64 from, u64 to)
{
    keyed_rows_free(&sum.rows);
    call_counts_sum(counts, from, to, &sum);
}

static u64 count_of(u64 client, u64 method)
{
    const struct call_row *row =
        keyed_rows_find(&sum.rows, (const u64[KEY_WORDS]){client, 2, 0x10, method});
    return row == NULL ? 0 : row->count;
}

static u64 all_counted(void)
{
    u64 all = sum.others;
    for (size_t i = 0; i < sum.rows.count; i++)
        all += ((const struct call_row *)sum.rows.rows[i])->count;
    return all;
}

static void a_range_has_its_cells_whole(void **state)
{
    (void)state;
    add(ORIGIN, 7, 1);             // the first tick of cell 0
    add(ORIGIN + TICKS - 1, 7, 1); // its last
    add(ORIGIN + TICKS, 7, 1);     // cell 1
    add(ORIGIN + TICKS + 1, 7, 2); // of another kind
    add(ORIGIN + TICKS + 2, 7, 1); // the same again
    add(ORIGIN + TICKS + 3, 8, 1); // of another client
    add(ORIGIN - 1, 7, 1);         // before all
    sum_up(0, UINT64_MAX);
    assert_int_equal(count_of(7, 1), 4);
    assert_int_equal(count_of(7, 2), 1);
    assert_int_equal(count_of(8, 1), 1);
    assert_int_equal(all_counted(), 6);
    assert_int_equal(sum.from, ORIGIN);
    assert_int_equal(sum.to, ORIGIN + 2 * TICKS);
    sum_up(ORIGIN, ORIGIN + TICKS); // cell 0 alone has its middle there
    assert_int_equal(count_of(7, 1), 2);
    assert_int_equal(sum.to, ORIGIN + TICKS);
    sum_up(ORIGIN + TICKS, ORIGIN + 2 * TICKS); // ranges that meet share no cell
    assert_int_equal(count_of(7, 1), 2);
    sum_up(ORIGIN + 5 * TICKS, UINT64_MAX);
    assert_int_equal(sum.from, sum.to);
    assert_int_equal(all_counted(), 0);
}

static void kinds_beyond_the_limit_are_counted_together(void **state)
{
    (void)state;
    for (u64 round = 0; round < 3; round++)
        for (u64 method = 0; method < 2 * CALL_KINDS_MAX; method++)
            add(ORIGIN, UINT64_MAX, method);
    sum_up(0, UINT64_MAX);
    assert_int_equal(sum.rows.count, CALL_KINDS_MAX);
    assert_int_equal(sum.others, 3 * CALL_KINDS_MAX);
    assert_int_equal(all_counted(), 6 * CALL_KINDS_MAX);
}

static void the_newest_cells_are_kept(void **state)
{
    (void)state;
    for (u64 cell = 0; cell < 3 * CELLS; cell++)
        add(ORIGIN + cell * TICKS, cell, 1);
    add(ORIGIN, 0, 1); // too late: a newer cell has its place
    sum_up(0, UINT64_MAX);
    assert_int_equal(all_counted(), CELLS);
    assert_int_equal(count_of(3 * CELLS - 1, 1), 1);
    assert_int_equal(count_of(0, 1), 0);
    assert_int_equal(sum.from, ORIGIN + 2 * CELLS * TICKS);
}

static void time_that_is_covered_is_added_up(void **state)
{
    (void)state;
    call_counts_cover(counts, ORIGIN + 100, ORIGIN + 2 * TICKS + 50);
    call_counts_cover(counts, ORIGIN + 2 * TICKS + 50, ORIGIN + 2 * TICKS + 60);
    call_counts_cover(counts, 0, ORIGIN);          // before all
    call_counts_cover(counts, ORIGIN + 7, ORIGIN); // nothing
    sum_up(0, UINT64_MAX);
    assert_int_equal(sum.covered, 2 * TICKS - 100 + 60);
    sum_up(ORIGIN + TICKS, ORIGIN + 2 * TICKS);
    assert_int_equal(sum.covered, TICKS);
}

// A machine that lies may say that its clock has one tick a second, and that it is at its end.
static void the_last_cell_that_there_can_be_is_the_last(void **state)
{
    (void)state;
    struct call_sum last = {0};
    struct call_counts *all = call_counts_new(0, 1, CELLS);
    call_counts_lose(all, UINT64_MAX - 2, UINT64_MAX, 5, 6);
    call_counts_sum(all, 0, UINT64_MAX, &last);
    assert_true(last.is_cut);
    keyed_rows_free(&last.rows);
    call_counts_free(all);
}

static void what_is_missing_is_told_where_it_was(void **state)
{
    (void)state;
    call_counts_lose(counts, ORIGIN + 10, ORIGIN + 2 * TICKS, 3, 40);
    call_counts_packet(counts, ORIGIN + 3 * TICKS, 4096);
    sum_up(0, UINT64_MAX);
    assert_true(sum.is_cut);
    assert_int_equal(sum.packets, 3);
    assert_int_equal(sum.discarded, 40);
    assert_int_equal(sum.taken, 1);
    assert_int_equal(sum.taken_bytes, 4096);
    sum_up(ORIGIN + TICKS, ORIGIN + 2 * TICKS); // in its midst: the numbers are its end's
    assert_true(sum.is_cut);
    assert_int_equal(sum.packets, 0);
    sum_up(ORIGIN + 3 * TICKS, UINT64_MAX);
    assert_false(sum.is_cut);
}

// Whatever times a machine tells, the work and the memory are those of the cells.
static void any_time_does_no_harm(void **state)
{
    u64 seed = 11;
    (void)state;
    for (u32 round = 0; round < ROUNDS; round++) {
        u64 from = unit_random(&seed) >> unit_random(&seed) % 64;
        u64 to = unit_random(&seed) >> unit_random(&seed) % 64;
        add(from, unit_random(&seed), unit_random(&seed));
        call_counts_cover(counts, from, to);
        call_counts_lose(counts, from, to, 1, 1);
        call_counts_packet(counts, to, UINT64_MAX);
        if (round % 100 == 0)
            sum_up(from, to);
    }
    call_counts_cover(counts, 0, UINT64_MAX);
    call_counts_lose(counts, 0, UINT64_MAX, 1, 1);
    add(UINT64_MAX, 1, 1);
    sum_up(0, UINT64_MAX);
    assert_true(sum.rows.count <= CELLS * CALL_KINDS_MAX);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_range_has_its_cells_whole),
        TEST(kinds_beyond_the_limit_are_counted_together),
        TEST(the_newest_cells_are_kept),
        TEST(time_that_is_covered_is_added_up),
        TEST(the_last_cell_that_there_can_be_is_the_last),
        TEST(what_is_missing_is_told_where_it_was),
        TEST(any_time_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
