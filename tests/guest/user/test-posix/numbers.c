// SPDX-License-Identifier: MIT
// Numbers and texts made of each other, and sums of floating point, for rows of values.def.
#include "rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long printed(const char *expected, const char *format, ...)
{
    char text[64];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    return strcmp(text, expected) == 0 && length == (int)strlen(expected);
}

long number_of(const char *text, int base, long rest)
{
    char *end;
    long number = strtol(text, &end, base);
    return end - text == rest ? number : -1;
}

long real_of(const char *text, double expected, long rest)
{
    char *end;
    double number = strtod(text, &end);
    return number == expected && end - text == rest;
}

// What stands behind is not touched.
long characters_of(const char *text, const char *format, const char *expected)
{
    char got[32];
    memset(got, '.', sizeof(got) - 1);
    got[sizeof(got) - 1] = '\0';
    int count = sscanf(text, format, got);
    return strncmp(got, expected, strlen(expected)) == 0 && got[strlen(expected)] == '.' ? count
                                                                                         : -2;
}

long is_nan(double value)
{
    return isnan(value) != 0;
}

double unknown(double value)
{
    volatile double hidden = value; // from the compiler, which would work it out
    return hidden;
}
