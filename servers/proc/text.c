// SPDX-License-Identifier: MIT
// Text whose room doubles as it grows.
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_ROOM 512UL

static bool make_room(struct text *text, u64 more)
{
    u64 room = text->room > 0 ? text->room : FIRST_ROOM;
    while (room - text->length <= more)
        room *= 2;
    if (room == text->room)
        return true;
    char *bytes = room > TEXT_BYTES_MAX ? NULL : realloc(text->bytes, room);
    if (bytes == NULL)
        return false;
    text->bytes = bytes;
    text->room = room;
    return true;
}

void text_add(struct text *text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    u64 bytes = wanted < 0 ? 0 : (u64)wanted < sizeof(line) ? (u64)wanted : sizeof(line) - 1;
    if (text->failed || !make_room(text, bytes)) {
        text->failed = true;
        return;
    }
    for (u64 i = 0; i < bytes; i++)
        text->bytes[text->length++] = line[i];
}
