// SPDX-License-Identifier: MIT
// What is typed, edited to lines: echo, erase (Backspace, Ctrl-H), kill (Ctrl-U),
// end of file (Ctrl-D on an empty line).
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

// Takes one typed character; what is to be echoed goes to echo (4 bytes): how many.
u32 line_type(struct line *line, char typed, char *echo);
// Something can be read: a line or the end.
bool line_ready(const struct line *line);
// At most one line, or the part of it that fits. 0: end of file.
u64 line_take(struct line *line, char *to, u64 bytes);

#endif
