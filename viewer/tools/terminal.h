// SPDX-License-Identifier: MIT
// Standard input while a program or the console is attached: read without waiting, line by line or,
// on a terminal for the console, key by key.
#ifndef KOV_TERMINAL_H
#define KOV_TERMINAL_H

#include <orrery/types.h>

// Key by key, no echo, until terminal_restore; no effect when standard input is no terminal.
void terminal_raw(void);
void terminal_restore(void);

// What is there to read now: bytes, 0 nothing now, -1 the end.
long terminal_read(u8 *buffer, size_t size);

#endif
