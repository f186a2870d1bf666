// SPDX-License-Identifier: MIT
// Names that processes give: shown on consoles and in viewers, so they are text and nothing else.
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include <orrery/types.h>

// Copies at most room - 1 characters, with zeros behind them up to room;
// '?' stands for what is not printable ASCII.
static inline void name_copy(char *to, const char *from, u64 room)
{
    u64 length = 0;

    for (; length < room - 1 && from[length] != '\0'; length++)
        to[length] = from[length] >= ' ' && from[length] <= '~' ? from[length] : '?';
    for (; length < room; length++)
        to[length] = '\0';
}

#endif
