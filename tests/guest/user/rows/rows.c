// SPDX-License-Identifier: MIT
// Rows of a validation table.
#include <rows.h>

#include <stdarg.h>
#include <stdio.h>

#define NAME_WIDTH 54 // as in tests/guest/harness.c
#define EXPECTED_WIDTH 23

static u64 ok_rows, failed_rows;

static void row(bool ok, u64 low, u64 high, u64 found, const char *format, va_list arguments)
{
    char name[NAME_WIDTH + 1], expected[2 * 20 + 3];

    vsnprintf(name, sizeof(name), format, arguments);
    if (low == high)
        snprintf(expected, sizeof(expected), "%lu", low);
    else if (high == UINT64_MAX)
        snprintf(expected, sizeof(expected), "at least %lu", low);
    else
        snprintf(expected, sizeof(expected), "%lu..%lu", low, high);
    printf("%-*s %*s %14lu  %s\n", NAME_WIDTH, name, EXPECTED_WIDTH, expected, found,
           ok ? "ok" : "FAILED");
    fflush(stdout);
    ok_rows += ok;
    failed_rows += !ok;
}

void row_exact(u64 expected, u64 found, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    row(found == expected, expected, expected, found, format, arguments);
    va_end(arguments);
}

void row_range(u64 low, u64 high, u64 found, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    row(low <= found && found <= high, low, high, found, format, arguments);
    va_end(arguments);
}

void row_compare(struct row_tally *tally, u64 low, u64 high, u64 found)
{
    tally->low += low;
    tally->high += high;
    tally->found += found;
    tally->comparisons++;
    tally->mismatches += found < low || found > high;
}

void row_of(const struct row_tally *tally, const char *format, ...)
{
    bool ok = tally->comparisons > 0 && tally->mismatches == 0;
    va_list arguments;

    va_start(arguments, format);
    row(ok, tally->low, tally->high, tally->found, format, arguments);
    va_end(arguments);
    if (tally->mismatches != 0)
        printf("  note: %lu of %lu comparisons are out of range\n", tally->mismatches,
               tally->comparisons);
}

u64 rows_end(const char *program)
{
    printf("%s: %lu rows ok, %lu failed\n", program, ok_rows, failed_rows);
    return failed_rows;
}
