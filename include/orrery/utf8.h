// SPDX-License-Identifier: MIT
// Text as UTF-8 (RFC 3629). Names come from programs, so they may be any bytes.
#ifndef ORRERY_UTF8_H
#define ORRERY_UTF8_H

#include <orrery/types.h>

// Returns the length that the first byte of a character announces, 1 to 4. 0: none begins so.
static inline u64 utf8_announced(u8 first)
{
    if (first < 0x80)
        return first != 0;
    if (first >= 0xc2 && first <= 0xdf)
        return 2;
    if ((first & 0xf0) == 0xe0)
        return 3;
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

// Returns the bytes of the character at text, 1 to 4. 0 when it is not valid UTF-8, or at the end
// of the text. It reads no byte behind a 0. Any context.
static inline u64 utf8_length(const char *text)
{
    const u8 *bytes = (const u8 *)text;
    u64 length = utf8_announced(bytes[0]);
    for (u64 i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    // Overlong forms, surrogates, and what lies past U+10FFFF.
    if ((bytes[0] == 0xe0 && bytes[1] < 0xa0) || (bytes[0] == 0xed && bytes[1] > 0x9f) ||
        (bytes[0] == 0xf0 && bytes[1] < 0x90) || (bytes[0] == 0xf4 && bytes[1] > 0x8f))
        return 0;
    return length;
}

// Returns whether a character acts on a terminal: C0, DEL, and C1 as two bytes.
static inline bool utf8_is_control(const char *text, u64 length)
{
    u8 first = (u8)text[0];
    return first < 0x20 || first == 0x7f || (length == 2 && first == 0xc2 && (u8)text[1] < 0xa0);
}

// Copies whole characters, at most room - 1 bytes (room > 0), and a 0. '?' replaces a byte that is
// no UTF-8 and the bytes of a control character, since consoles print names as they are. Returns
// the bytes without the 0. It reads at most room - 1 bytes. `to` may be `from`.
static inline u64 utf8_copy(char *to, const char *from, u64 room)
{
    u64 at = 0;
    for (;;) {
        // Most names are printable ASCII, and the kernel copies one for each region.
        for (; at < room - 1 && from[at] >= ' ' && from[at] <= '~'; at++)
            to[at] = from[at];
        if (at >= room - 1 || from[at] == '\0')
            break;
        if (utf8_announced((u8)from[at]) > room - 1 - at)
            break; // it is cut there, or ends behind it
        u64 length = utf8_length(from + at);
        bool bad = length == 0 || utf8_is_control(from + at, length);
        for (u64 end = at + (bad ? 1 : length); at < end; at++)
            to[at] = bad ? '?' : from[at];
    }
    to[at] = '\0';
    return at;
}

#endif
