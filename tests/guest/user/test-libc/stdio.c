// SPDX-License-Identifier: MIT
// stdio.h: formatting and scanning, in memory.
#include "tests.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char text[512];

static int formats(const char *expected, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int formats(const char *expected, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strcmp(text, expected) == 0 && length == (int)strlen(expected))
        return 1;
    printf("  \"%s\": expected \"%s\", got \"%s\"\n", format, expected, text);
    return 0;
}

static void integers(void)
{
    EXPECT(formats("42 -7 007 +5", "%d %i %03d %+d", 42, -7, 7, 5));
    EXPECT(formats("[   ab][ab   ][abc]", "[%5s][%-5s][%.3s]", "ab", "ab", "abcdef"));
    EXPECT(formats("ff FF 0xff 377 0377", "%x %X %#x %o %#o", 255, 255, 255, 255, 255));
    EXPECT(formats("-9223372036854775808", "%ld", LONG_MIN));
    EXPECT(formats("18446744073709551615", "%lu", ULONG_MAX));
    EXPECT(formats("9223372036854775807", "%lld", LLONG_MAX));
    EXPECT(formats("-1 255 65535", "%hhd %hhu %hu", (signed char)-1, (unsigned char)255,
                   (unsigned short)65535));
    EXPECT(formats("7 8 9", "%zu %td %jd", (size_t)7, (ptrdiff_t)8, (intmax_t)9));
    EXPECT(formats("    3|3    |00003", "%*d|%-*d|%.5d", 5, 3, 5, 3, 3));
    EXPECT(formats("c%", "%c%%", 'c'));
    EXPECT(formats("0x10", "%p", (void *)16));
    EXPECT(formats("123", "%" PRIu64, (uint64_t)123));
}

static void reals(void)
{
    EXPECT(formats("1.500000 -0.250000", "%f %f", 1.5, -0.25));
    EXPECT(formats("3.14", "%.2f", 3.14159));
    EXPECT(formats("  2.7|2.7  ", "%5.1f|%-5.1f", 2.71828, 2.71828));
    EXPECT(formats("1.234568e+10", "%e", 12345678901.0));
    EXPECT(formats("1e-05 100000 1e+06", "%g %g %g", 0.00001, 100000.0, 1000000.0));
    EXPECT(formats("0.1", "%g", 0.1));
    EXPECT(formats("0.10000000000000001", "%.17g", 0.1));
    EXPECT(formats("inf -inf nan", "%f %f %f", INFINITY, -INFINITY, NAN));
    EXPECT(formats("1.797693134862316e+308", "%.15e", DBL_MAX));
    EXPECT(formats("2 4 4", "%.0f %.0f %.0f", 2.5, 3.5, 4.5)); // halves to even
    EXPECT(formats("0x1.8p+1", "%a", 3.0));
    EXPECT(formats("123456789.123457", "%f", 123456789.123456789));
    EXPECT(formats("+1.0", "%+.1f", 1.0));
}

static void bounds(void)
{
    char small[4] = "xyz";
    EXPECT(snprintf(small, sizeof small, "%d", 123456) == 6 && strcmp(small, "123") == 0);
    EXPECT(snprintf(NULL, 0, "%s", "twelve bytes") == 12);
    EXPECT(sprintf(text, "%s-%d", "a", 1) == 3 && strcmp(text, "a-1") == 0);
}

static void scanning(void)
{
    int a = 0, b = 0, n = 0;
    double x = 0;
    float y = 0;
    long long big = 0;
    char word[16] = "", set[16] = "";
    EXPECT(sscanf("12 0x1f 3.5 -2e2", "%d %i %lf %f", &a, &b, &x, &y) == 4);
    EXPECT(a == 12 && b == 31 && x == 3.5 && y == -200.0f);
    EXPECT(sscanf("key = value;", "%15[a-z] = %15[^;]%n", word, set, &n) == 2);
    EXPECT(strcmp(word, "key") == 0 && strcmp(set, "value") == 0 && n == 11);
    EXPECT(sscanf("9000000000000", "%lld", &big) == 1 && big == 9000000000000);
    EXPECT(sscanf("abc", "%d", &a) == 0 && sscanf("", "%d", &a) == EOF);
    EXPECT(sscanf("007", "%2d%d", &a, &b) == 2 && a == 0 && b == 7);
}

static void streams(void)
{
    static char memory[64];
    FILE *file = fmemopen(memory, sizeof memory, "w+");
    EXPECT(file != NULL);
    if (!file)
        return;
    EXPECT(fprintf(file, "line %d\nline %d\n", 1, 2) == 14);
    rewind(file);
    EXPECT(fgets(text, sizeof text, file) && strcmp(text, "line 1\n") == 0);
    EXPECT(fgetc(file) == 'l' && ungetc('L', file) == 'L');
    EXPECT(fgets(text, sizeof text, file) && strcmp(text, "Line 2\n") == 0);
    EXPECT(fclose(file) == 0);
    char *grown = NULL;
    size_t length = 0;
    file = open_memstream(&grown, &length);
    EXPECT(file != NULL);
    if (!file)
        return;
    for (int i = 0; i < 1000; i++)
        fprintf(file, "%04d", i);
    EXPECT(fclose(file) == 0 && length == 4000 && memcmp(grown + 3996, "0999", 4) == 0);
    fputs("standard output works\n", stdout);
    EXPECT(!ferror(stdout));
}

void test_stdio(void)
{
    integers();
    reals();
    bounds();
    scanning();
    streams();
}
