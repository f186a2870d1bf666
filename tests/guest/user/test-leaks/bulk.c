// SPDX-License-Identifier: MIT
// The message buffer: what belongs to a message, and what stands behind it.
#include "leaks.h"

#define LOOKED_AT 160 // bytes behind a message, and of its end, if not all

u8 *message_buffer(void)
{
    return (u8 *)(USER_WINDOW + (u64)user_cpu() * R13_WINDOW_SIZE + WINDOW_MESSAGE);
}

static u8 byte(u32 at)
{
    return (u8)(at * 7 + at / 256 + 1);
}

void message_fill(u32 bytes, u8 fill)
{
    u8 *buffer = message_buffer();

    for (u32 i = 0; i < MESSAGE_BYTES; i++)
        buffer[i] = i < bytes ? byte(i) : fill;
}

void message_grow(u32 bytes)
{
    if (bytes != 0)
        message_buffer()[bytes - 1] = byte(bytes - 1);
}

u32 message_wrong(const char *where, u32 bytes, u8 fill, bool thorough)
{
    u8 *buffer = message_buffer();
    u32 from = thorough || bytes < LOOKED_AT ? 0 : bytes - LOOKED_AT;
    u32 to = thorough || bytes + LOOKED_AT > MESSAGE_BYTES ? MESSAGE_BYTES : bytes + LOOKED_AT;
    u32 wrong = 0;

    for (u32 i = from; i < to; i++) {
        u8 is = buffer[i];
        bool behind = i >= bytes, padding = behind && i < ((bytes + 7) & ~7u);
        if (behind ? is == fill || (padding && is == 0) : is == byte(i)) {
            if (padding)
                buffer[i] = fill;
            continue;
        }
        if (wrong++ == 0)
            tell("FAIL %s of %u bytes: %#x at %u\n", where, bytes, is, i);
    }
    return wrong;
}
