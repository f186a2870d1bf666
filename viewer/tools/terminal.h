// SPDX-License-Identifier: MIT
// Reads standard input while a program or the console is attached. It reads line by line. On a
// terminal for the console it reads key by key.
#ifndef KOV_TERMINAL_H
#define KOV_TERMINAL_H

#include <orrery/types.h>

// Reads key by key without echo until terminal_restore. No effect when standard input is no
// terminal.
void terminal_raw(void);
void terminal_restore(void);

// Reads what is there now. Returns the number of bytes, 0 when there is nothing now, -1 at the end.
long terminal_read(u8 *buffer, size_t size);

#endif
