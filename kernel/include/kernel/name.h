// SPDX-License-Identifier: MIT
// Names that processes give. Consoles and viewers show them, so they are made plain text.
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

#include <orrery/types.h>

// Copies at most room - 1 characters, with zeros behind them up to room. '?' replaces all but
// printable ASCII.
static inline void name_copy(char *to, const char *from, u64 room)
{
    __builtin_memset(to, 0, room);
    for (u64 at = 0; at < room - 1 && from[at] != '\0'; at++)
        to[at] = from[at] >= ' ' && from[at] <= '~' ? from[at] : '?';
}

#endif
