// SPDX-License-Identifier: MIT
// Text from outside: makes it harmless for a terminal and reads numbers from it strictly.
#include "tools/text.h"
#include "tools/memory.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns the length that the first byte of a character announces. 0: no character begins so.
static size_t announced_length(unsigned char byte)
{
    if (byte < 0x80)
        return 1;
    if (byte >= 0xc2 && byte <= 0xdf)
        return 2;
    if ((byte & 0xf0) == 0xe0)
        return 3;
    return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

size_t text_utf8_length(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = bytes[0] == 0 ? 0 : announced_length(bytes[0]);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    }
    // Rejects overlong forms, surrogates, and what lies past U+10FFFF.
    if ((bytes[0] == 0xe0 && bytes[1] < 0xa0) || (bytes[0] == 0xed && bytes[1] > 0x9f) ||
        (bytes[0] == 0xf0 && bytes[1] < 0x90) || (bytes[0] == 0xf4 && bytes[1] > 0x8f))
        return 0;
    return length;
}

void text_make_printable(char *text, bool keep_lines)
{
    while (*text != '\0') {
        size_t length = text_utf8_length(text);
        unsigned char byte = (unsigned char)*text;
        bool c1_control = length == 2 && byte == 0xc2 && (unsigned char)text[1] < 0xa0;
        bool line = keep_lines && byte == '\n';
        if (length == 0 || c1_control || (!line && (byte < 0x20 || byte == 0x7f))) {
            *text++ = '?';
            continue;
        }
        text += length;
    }
}

char *text_copy_printable(const char *text)
{
    char copy[TEXT_COPY_BYTES];
    snprintf(copy, sizeof(copy), "%s", text == NULL ? "" : text);
    text_make_printable(copy, false);
    return memory_copy_text(copy);
}

bool text_is(const char *text, size_t length, const char *expected)
{
    return strlen(expected) == length && strncmp(text, expected, length) == 0;
}

bool text_to_u64(const char *text, u64 minimum, u64 maximum, u64 *value)
{
    if (!isdigit((unsigned char)text[0]))
        return false;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, hexadecimal ? 16 : 10);
    if (errno != 0 || *end != '\0' || number < minimum || number > maximum)
        return false;
    *value = number;
    return true;
}

bool text_to_double(const char *text, double minimum, double maximum, double *value)
{
    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return false;
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number) || number < minimum || number > maximum)
        return false;
    *value = number;
    return true;
}
