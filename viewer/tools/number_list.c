// SPDX-License-Identifier: MIT
// Lists of small numbers, such as CPUs or counters: "0-2,5".
#include "tools/number_list.h"

#include <ctype.h>
#include <stdio.h>

#define NUMBERS 64

// Reads a number below NUMBERS and moves *text behind it. Returns NUMBERS if there is none.
static u32 take_number(const char **text)
{
    u32 number = 0, digits = 0;
    for (; isdigit((unsigned char)**text); (*text)++, digits++)
        number = number < NUMBERS ? number * 10 + (u32)(**text - '0') : NUMBERS;
    return digits == 0 || number > NUMBERS ? NUMBERS : number;
}

bool number_list_parse(const char *text, u64 *mask)
{
    *mask = 0;
    for (;; text++) {
        u32 first = take_number(&text), last = first;
        if (*text == '-') {
            text++;
            last = take_number(&text);
        }
        if (first == NUMBERS || last == NUMBERS || last < first)
            return false;
        for (u32 number = first; number <= last; number++)
            *mask |= 1UL << number;
        if (*text != ',')
            return *text == '\0';
    }
}

const char *number_list_text(u64 mask, char text[NUMBER_LIST_BYTES])
{
    size_t length = 0;
    snprintf(text, NUMBER_LIST_BYTES, "-");
    for (u32 first = 0; first < NUMBERS; first++) {
        if ((mask >> first & 1) == 0)
            continue;
        u32 last = first;
        while (last + 1 < NUMBERS && (mask >> (last + 1) & 1) != 0)
            last++;
        length += (size_t)snprintf(text + length, NUMBER_LIST_BYTES - length,
                                   last == first ? "%s%u" : "%s%u-%u", length == 0 ? "" : ",",
                                   first, last);
        first = last;
    }
    return text;
}
