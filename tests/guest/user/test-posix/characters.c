// SPDX-License-Identifier: MIT
// Characters of 16 and 32 bits, for rows of values.def.
#include "rows.h"

#include <limits.h>
#include <locale.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>

void characters_prepare(void)
{
    setlocale(LC_CTYPE, "C.UTF-8"); // the host's; here it is always so
}

// The first character, or what is wrong with it.
long wide(const char *text, size_t bytes)
{
    mbstate_t state = {0};
    char32_t character = 0;
    long used = (long)mbrtoc32(&character, text, bytes, &state);
    return used < 0 ? used : (long)character;
}

// Byte by byte.
long wide_in_parts(const char *text)
{
    mbstate_t state = {0};
    char32_t character = 0;
    long used = -2;
    while (used == -2)
        used = (long)mbrtoc32(&character, text++, 1, &state);
    return used < 0 ? used : (long)character;
}

// Both halves, as one number.
long halves(const char *text)
{
    mbstate_t state = {0};
    char16_t first = 0, second = 0;
    long used = (long)mbrtoc16(&first, text, strlen(text), &state);
    if (used < 0 || (size_t)used != strlen(text))
        return -4;
    if (mbsinit(&state))
        return first;
    if (mbrtoc16(&second, "x", 1, &state) != (size_t)-3 || !mbsinit(&state))
        return -5;
    return (long)first << 16 | second;
}

long narrow(unsigned character, const char *text)
{
    char bytes[MB_LEN_MAX + 1] = "";
    mbstate_t state = {0};
    long used = (long)c32rtomb(bytes, character, &state);
    return used < 0 ? used : used == (long)strlen(text) && strcmp(bytes, text) == 0;
}

long narrow_halves(unsigned short first, unsigned short second, const char *text)
{
    char bytes[MB_LEN_MAX + 1] = "";
    mbstate_t state = {0};
    if (c16rtomb(bytes, first, &state) != 0)
        return -4;
    long used = (long)c16rtomb(bytes, second, &state);
    return used < 0 ? used : used == (long)strlen(text) && strcmp(bytes, text) == 0;
}
