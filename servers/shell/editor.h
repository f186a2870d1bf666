// SPDX-License-Identifier: MIT
// Editing of one line on a terminal that does nothing by itself: echo, erasing, moving, history.
//
//   Backspace, Ctrl-H   erase            Left, Right, Home, End, Ctrl-A, Ctrl-E   move
//   Ctrl-U, Ctrl-W      erase line, word Up, Down                                 history
//   Ctrl-C              give it up       Ctrl-D on an empty line                  the end
#ifndef SHELL_EDITOR_H
#define SHELL_EDITOR_H

#include <orrery/types.h>

#define EDITOR_BYTES 1024 // of a line, with its NUL
#define EDITOR_HISTORY 32 // lines

enum editor_result { EDITOR_MORE, EDITOR_LINE, EDITOR_CANCEL, EDITOR_END };

struct editor {
    void (*write)(const char *bytes, u64 count); // to the terminal
    char line[EDITOR_BYTES];                     // after EDITOR_LINE: the line, with its NUL
    u32 length, cursor;
    u32 escape; // how much of an escape sequence has come
    bool carriage_return;
    char *history[EDITOR_HISTORY]; // the latest first
    u32 browsed;                   // 1…: the line of history that is shown; 0: none
};

// Takes one typed character.
enum editor_result editor_type(struct editor *editor, char typed);
// A new, empty line. The prompt is the caller's.
void editor_begin(struct editor *editor);
void editor_remember(struct editor *editor, const char *line);

#endif
