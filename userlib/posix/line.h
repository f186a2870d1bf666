// SPDX-License-Identifier: MIT
// What is typed, edited to lines: echo, erase (Backspace, Ctrl-H), kill (Ctrl-U), end of file
// (Ctrl-D on an empty line).
#ifndef POSIX_LINE_H
#define POSIX_LINE_H

#include <orrery/types.h>

#define LINE_BYTES 1024

struct line {
    char text[LINE_BYTES];
    u32 typed;    // characters in text
    u32 complete; // of them, those of complete lines, with their '\n'
    bool end;     // Ctrl-D: the next read returns 0
};

// Takes one typed character. Puts what is to be echoed into echo (4 bytes), and returns how many
// bytes.
u32 line_type(struct line *line, char typed, char *echo);
// Is there something to read: a line or the end?
bool line_ready(const struct line *line);
// Takes at most one line, or the part of it that fits. Returns its bytes; 0: end of file.
u64 line_take(struct line *line, char *to, u64 bytes);

#endif
