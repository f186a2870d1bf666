// SPDX-License-Identifier: MIT
// stdlib.h: conversions, sorting, searching, the environment.
#include "tests.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void integers(void)
{
    char *end;
    EXPECT(strtol("  -42x", &end, 10) == -42 && *end == 'x');
    EXPECT(strtol("0x7fz", &end, 0) == 127 && *end == 'z');
    EXPECT(strtol("0755", NULL, 0) == 493);
    EXPECT(strtol("zz", NULL, 36) == 35 * 36 + 35);
    errno = 0;
    EXPECT(strtol("9223372036854775808", NULL, 10) == LONG_MAX && errno == ERANGE);
    errno = 0;
    EXPECT(strtol("-9223372036854775809", NULL, 10) == LONG_MIN && errno == ERANGE);
    errno = 0;
    EXPECT(strtoul("18446744073709551615", NULL, 10) == ULONG_MAX && errno == 0);
    EXPECT(strtoul("18446744073709551616", NULL, 10) == ULONG_MAX && errno == ERANGE);
    EXPECT(strtoll("-5", NULL, 10) == -5 && atoi("17") == 17 && atol("-3") == -3);
    EXPECT(strtol("none", &end, 10) == 0 && *end == 'n');
}

static void reals(void)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},
        {"1.5", 1.5},
        {"-2.25e3", -2250},
        {".125", 0.125},
        {"1e308", 1e308},
        {"2.2250738585072014e-308", DBL_MIN},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"1.7976931348623157e308", DBL_MAX},
        {"0x1.8p3", 12},
        {"3.141592653589793", 3.141592653589793},
        {"0.1", 0.1},
        {"123456789012345678", 123456789012345678.0},
        {"9007199254740993", 9007199254740992.0}, // half way: to even
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *end;
        EXPECT(strtod(cases[i].text, &end) == cases[i].value && *end == 0);
    }
    char *end;
    errno = 0;
    EXPECT(isinf(strtod("1e400", NULL)) && errno == ERANGE);
    EXPECT(isinf(strtod("-inf", NULL)) && isnan(strtod("nan", NULL)));
    EXPECT(strtod("1e", &end) == 1 && *end == 'e');
    EXPECT(strtof("16777217", NULL) == 16777216.0f);
    EXPECT(atof("6.5") == 6.5);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

#define COUNT 5000
static uint32_t numbers[COUNT];

static void sorting(void)
{
    uint32_t seed = 12345;
    uint64_t before = 0, after = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        seed = seed * 1664525 + 1013904223;
        numbers[i] = seed >> 8;
        before += numbers[i];
    }
    qsort(numbers, COUNT, sizeof *numbers, compare);
    int ordered = 1;
    for (unsigned i = 0; i < COUNT; i++) {
        after += numbers[i];
        ordered &= i == 0 || numbers[i - 1] <= numbers[i];
    }
    EXPECT(ordered && before == after);
    for (unsigned i = 0; i < COUNT; i += 97)
        EXPECT(*(uint32_t *)bsearch(&numbers[i], numbers, COUNT, sizeof *numbers, compare) ==
               numbers[i]);
    uint32_t none = 0xffffffff;
    EXPECT(bsearch(&none, numbers, COUNT, sizeof *numbers, compare) == NULL);
    for (unsigned i = 0; i < 100; i++)
        numbers[i] = 7; // all equal
    qsort(numbers, 100, sizeof *numbers, compare);
    EXPECT(numbers[0] == 7 && numbers[99] == 7);
}

static void environment(void)
{
    EXPECT(getenv("TEST_LIBC") == NULL);
    EXPECT(setenv("TEST_LIBC", "one", 0) == 0 && strcmp(getenv("TEST_LIBC"), "one") == 0);
    EXPECT(setenv("TEST_LIBC", "two", 0) == 0 && strcmp(getenv("TEST_LIBC"), "one") == 0);
    EXPECT(setenv("TEST_LIBC", "two", 1) == 0 && strcmp(getenv("TEST_LIBC"), "two") == 0);
    EXPECT(unsetenv("TEST_LIBC") == 0 && getenv("TEST_LIBC") == NULL);
}

void test_stdlib(void)
{
    integers();
    reals();
    sorting();
    environment();
    EXPECT(abs(-3) == 3 && labs(-3000000000l) == 3000000000l);
    div_t quotient = div(-7, 2);
    EXPECT(quotient.quot == -3 && quotient.rem == -1);
    srand(1);
    int first = rand();
    srand(1);
    EXPECT(rand() == first && first >= 0);
}
