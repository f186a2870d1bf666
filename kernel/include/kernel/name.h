// SPDX-License-Identifier: MIT
// Names that processes give. Consoles and viewers show them, so they are made plain text.
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include <orrery/utf8.h>

// Copies whole characters of UTF-8, at most room - 1 bytes, with zeros behind them up to room. '?'
// replaces what is none, and control characters.
static inline void name_copy(char *to, const char *from, u64 room)
{
    u64 bytes = utf8_copy(to, from, room);
    __builtin_memset(to + bytes, 0, room - bytes);
}

#endif
