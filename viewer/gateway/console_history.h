// SPDX-License-Identifier: MIT
// The end of what a machine has printed on its console.
#ifndef KOV_CONSOLE_HISTORY_H
#define KOV_CONSOLE_HISTORY_H

#include "tools/memory.h"
#include "wire/dci.h"

#define CONSOLE_HISTORY_BYTES (256u << 10)

struct console_history {
    u64 begin; // position of the first byte that is kept
    struct bytes output;
    u64 lost;
};

// Continues on a new connection. Returns an exit code.
int console_history_attach(struct console_history *console);
void console_history_take(struct console_history *console,
                          const Orrery__Dci__ConsoleOutput *output);
// Types on the machine's console: all of the text, or what the console took within a second.
int console_history_type(const char *text);
// Forgets all, since the machine has booted again.
void console_history_clear(struct console_history *console);

#endif
