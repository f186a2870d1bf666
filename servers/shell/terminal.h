// SPDX-License-Identifier: MIT
// The console as the shell's terminal: lines that are typed, and Ctrl-C.
#ifndef SHELL_TERMINAL_H
#define SHELL_TERMINAL_H

#include "editor.h"

// Begins to listen. 0 or an error.
s64 terminal_start(void);
// Prompts, and waits for a line: EDITOR_LINE with *line (until the next call), EDITOR_CANCEL,
// EDITOR_END.
enum editor_result terminal_read(const char *prompt, const char **line);
void terminal_remember(const char *line);

#endif
