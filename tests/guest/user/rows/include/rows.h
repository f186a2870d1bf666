// SPDX-License-Identifier: MIT
// Rows of a validation table, as the kernel's benchmarks print them (tests/guest/harness.c): name,
// expected, found, verdict. One thread at a time.
#ifndef TEST_ROWS_H
#define TEST_ROWS_H

#include <orrery/types.h>

// How many times as many instructions code may take as it does without a sanitizer's checks: for
// bounds on what a measurement costs by itself.
#ifdef SANITIZE_UNDEFINED
#define ROW_CODE_FACTOR 6
#else
#define ROW_CODE_FACTOR 1
#endif

// ok when found == expected.
void row_exact(u64 expected, u64 found, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// ok when low <= found <= high.
void row_range(u64 low, u64 high, u64 found, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Many comparisons in one row: sums are shown,
// and a single one that is out of its range fails it, as does none at all.
struct row_tally {
    u64 low, high, found; // sums
    u64 comparisons, mismatches;
};
void row_compare(struct row_tally *tally, u64 low, u64 high, u64 found);
void row_of(const struct row_tally *tally, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Prints how many rows of the program were ok. How many were not.
u64 rows_end(const char *program);

#endif
