// SPDX-License-Identifier: MIT
// The console as the shell's terminal: typed lines, and Ctrl-C. The shell's main thread.
#ifndef SHELL_TERMINAL_H
#define SHELL_TERMINAL_H

#include "editor.h"

// Begins to listen. Returns 0 or an error.
s64 terminal_start(void);
// Prints the prompt and waits for a line. Sets *line, which is valid until the next call. Returns
// EDITOR_LINE, EDITOR_CANCEL or EDITOR_END.
enum editor_result terminal_read(const char *prompt, const char **line);
// Adds a line to the history.
void terminal_remember(const char *line);

#endif
