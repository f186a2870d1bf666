// SPDX-License-Identifier: MIT
// Text from outside: makes it harmless for a terminal and reads numbers from it strictly.
#include "tools/text.h"
#include "tools/memory.h"

#include <orrery/utf8.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void text_make_printable(char *text, bool keep_lines)
{
    while (*text != '\0') {
        size_t length = utf8_length(text);
        bool line = keep_lines && *text == '\n';
        if (length == 0 || (!line && utf8_is_control(text, length))) {
            *text++ = '?';
            continue;
        }
        text += length;
    }
}

// Returns the code point of a character of UTF-8.
static unsigned code_point(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned value = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        value = value << 6 | (bytes[i] & 0x3fu);
    return value;
}

// Returns whether a character changes the direction of what follows, such as U+202E. Names with it
// show other letters than they have.
static bool turns(unsigned value)
{
    return value == 0x061c || value == 0x200e || value == 0x200f ||
           (value >= 0x202a && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069);
}

size_t text_escape_next(const char *text, char escape[TEXT_ESCAPE_BYTES])
{
    size_t length = utf8_length(text);
    escape[0] = '\0';
    if (length == 0) {
        snprintf(escape, TEXT_ESCAPE_BYTES, "\\x%02x", (unsigned char)*text);
        return 1;
    }
    unsigned value = code_point(text, length);
    if (utf8_is_control(text, length) || turns(value))
        snprintf(escape, TEXT_ESCAPE_BYTES, "\\u%04x", value);
    return length;
}

void text_escape(char *text, size_t room)
{
    while (*text != '\0') {
        char escape[TEXT_ESCAPE_BYTES];
        size_t length = text_escape_next(text, escape), bytes = strlen(escape);
        size_t rest = strlen(text + length);
        if (bytes > 0 && bytes + rest + 1 > room) { // no room: at least it acts on nothing
            memset(text, '?', length);
        } else if (bytes > 0) {
            memmove(text + bytes, text + length, rest + 1);
            memcpy(text, escape, bytes);
            length = bytes;
        }
        text += length;
        room -= length;
    }
}

char *text_copy_escaped(const char *text)
{
    size_t room = (TEXT_ESCAPE_BYTES - 1) * strlen(text) + 1;
    char *copy = memory_get(room);
    snprintf(copy, room, "%s", text);
    text_escape(copy, room);
    return copy;
}

void text_print(FILE *out, const char *name)
{
    char *escaped = text_copy_escaped(name);
    fputs(escaped, out);
    free(escaped);
}

int text_width(const char *text)
{
    int characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return characters;
}

void text_mend(char *text)
{
    while (*text != '\0') {
        size_t length = utf8_length(text);
        if (length == 0)
            *text = '?';
        text += length == 0 ? 1 : length;
    }
}

char *text_copy_bounded(const char *text)
{
    char copy[TEXT_COPY_BYTES];
    snprintf(copy, sizeof(copy), "%s", text == NULL ? "" : text);
    text_mend(copy);
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

bool text_to_bytes(const char *text, u64 minimum, u64 maximum, u64 *value)
{
    char digits[24];
    size_t length = strlen(text);
    unsigned shift = 0;
    if (length > 0 && (text[length - 1] == 'K' || text[length - 1] == 'M'))
        shift = text[--length] == 'K' ? 10 : 20;
    u64 number;
    if (length >= sizeof(digits))
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (!text_to_u64(digits, 0, maximum >> shift, &number) || number << shift < minimum)
        return false;
    *value = number << shift;
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
