// SPDX-License-Identifier: MIT
// An editor of one line. It does what the terminal does not: echo, erasing, moving, history. One
// thread uses an editor.
//
//   Backspace, Ctrl-H   erase            Left, Right, Home, End, Ctrl-A, Ctrl-E   move
//   Ctrl-U, Ctrl-W      erase line, word Up, Down                                 history
//   Ctrl-C              give it up       Ctrl-D on an empty line                  the end
#ifndef SHELL_EDITOR_H
#define SHELL_EDITOR_H

#include <orrery/types.h>

#define EDITOR_BYTES 1024 // room of a line, with its NUL
#define EDITOR_HISTORY 32 // lines that are remembered

enum editor_result { EDITOR_MORE, EDITOR_LINE, EDITOR_CANCEL, EDITOR_END };

struct editor {
    void (*write)(const char *bytes, u64 count); // to the terminal
    char line[EDITOR_BYTES];                     // after EDITOR_LINE: the line, with its NUL
    u32 length, cursor;
    u32 escape;                    // 0…2: characters of an escape sequence that have come
    bool carriage_return;          // the last character was one: a newline after it is ignored
    char *history[EDITOR_HISTORY]; // the latest first
    u32 browsed;                   // 1…: the line of history that is shown; 0: none
};

// Takes one typed character. Returns EDITOR_LINE at the end of the line, EDITOR_CANCEL after
// Ctrl-C, EDITOR_END after Ctrl-D on an empty line, and else EDITOR_MORE. A character is ignored if
// the line is full.
enum editor_result editor_type(struct editor *editor, char typed);
// Begins a new, empty line. The caller prints the prompt.
void editor_begin(struct editor *editor);
// Adds a line to the history, unless it is empty or the same as the latest one.
void editor_remember(struct editor *editor, const char *line);

#endif
