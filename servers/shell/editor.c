// SPDX-License-Identifier: MIT
// The line editor. Each change of the line is drawn at once: characters, blanks and backspaces.
#include "editor.h"

#include <stdlib.h>
#include <string.h>

#define CONTROL(letter) ((letter)-0x40)
#define ESCAPE 0x1b
#define DELETE 0x7f

// ---- drawing -----------------------------------------------------------------------------------

static void draw(struct editor *editor, const char *bytes, u64 count)
{
    if (count > 0)
        editor->write(bytes, count);
}

static void draw_repeated(struct editor *editor, char what, u32 count)
{
    while (count-- > 0)
        editor->write(&what, 1);
}

// Draws the line from the cursor on, then blanks over the `gone` characters that the line has lost.
// The cursor stays where it was.
static void draw_rest(struct editor *editor, u32 gone)
{
    u32 rest = editor->length - editor->cursor;

    draw(editor, editor->line + editor->cursor, rest);
    draw_repeated(editor, ' ', gone);
    draw_repeated(editor, '\b', rest + gone);
}

static void move_to(struct editor *editor, u32 cursor)
{
    if (cursor < editor->cursor)
        draw_repeated(editor, '\b', editor->cursor - cursor);
    else
        draw(editor, editor->line + editor->cursor, cursor - editor->cursor);
    editor->cursor = cursor;
}

// ---- changing ----------------------------------------------------------------------------------

static void insert(struct editor *editor, char c)
{
    if (editor->length + 1 >= EDITOR_BYTES)
        return;
    char *at = editor->line + editor->cursor;
    memmove(at + 1, at, editor->length - editor->cursor);
    *at = c;
    editor->length++;
    draw(editor, at, 1);
    editor->cursor++;
    draw_rest(editor, 0);
}

// Erases count characters before the cursor.
static void erase(struct editor *editor, u32 count)
{
    if (count == 0)
        return;
    move_to(editor, editor->cursor - count);
    char *at = editor->line + editor->cursor;
    memmove(at, at + count, editor->length - editor->cursor - count);
    editor->length -= count;
    draw_rest(editor, count);
}

// Returns how many characters the word before the cursor has, with the blanks behind it.
static u32 word_before(const struct editor *editor)
{
    u32 at = editor->cursor;

    while (at > 0 && editor->line[at - 1] == ' ')
        at--;
    while (at > 0 && editor->line[at - 1] != ' ')
        at--;
    return editor->cursor - at;
}

// ---- history -----------------------------------------------------------------------------------

void editor_remember(struct editor *editor, const char *line)
{
    if (line[0] == 0 || (editor->history[0] != NULL && strcmp(editor->history[0], line) == 0))
        return;
    char *copy = strdup(line);
    if (copy == NULL)
        return;
    free(editor->history[EDITOR_HISTORY - 1]);
    memmove(editor->history + 1, editor->history,
            (EDITOR_HISTORY - 1) * sizeof(editor->history[0]));
    editor->history[0] = copy;
}

// Replaces the line by one of the history (1: the latest), or by an empty one (0).
static void browse(struct editor *editor, u32 number)
{
    if (number > EDITOR_HISTORY || (number > 0 && editor->history[number - 1] == NULL))
        return;
    editor->browsed = number;
    move_to(editor, editor->length);
    erase(editor, editor->length);
    for (const char *at = number == 0 ? "" : editor->history[number - 1]; *at != 0; at++)
        insert(editor, *at);
}

// ---- typing ------------------------------------------------------------------------------------

// Carries out an escape sequence by its last character.
static void take_escape(struct editor *editor, char typed)
{
    switch (typed) {
    case 'A':
        browse(editor, editor->browsed + 1);
        return;
    case 'B':
        browse(editor, editor->browsed == 0 ? 0 : editor->browsed - 1);
        return;
    case 'C':
        if (editor->cursor < editor->length)
            move_to(editor, editor->cursor + 1);
        return;
    case 'D':
        if (editor->cursor > 0)
            move_to(editor, editor->cursor - 1);
        return;
    case 'H':
        move_to(editor, 0);
        return;
    case 'F':
        move_to(editor, editor->length);
        return;
    default:
        return; // a sequence with no meaning here
    }
}

// Takes a character of an escape sequence (ESC, "[" or "O", perhaps a number, a letter). Returns
// false if it is part of none.
static bool is_escape(struct editor *editor, char typed)
{
    if (typed == ESCAPE) {
        editor->escape = 1;
        return true;
    }
    if (editor->escape == 1) {
        editor->escape = typed == '[' || typed == 'O' ? 2 : 0;
        return true;
    }
    if (editor->escape != 2)
        return false;
    if ((typed >= '0' && typed <= '9') || typed == ';')
        return true; // digits of a number
    editor->escape = 0;
    take_escape(editor, typed);
    return true;
}

static enum editor_result take_control(struct editor *editor, char typed)
{
    switch (typed) {
    case '\r':
    case '\n':
        editor->line[editor->length] = 0;
        draw(editor, "\r\n", 2);
        return EDITOR_LINE;
    case '\b':
    case DELETE:
        erase(editor, editor->cursor > 0);
        return EDITOR_MORE;
    case CONTROL('A'):
        move_to(editor, 0);
        return EDITOR_MORE;
    case CONTROL('E'):
        move_to(editor, editor->length);
        return EDITOR_MORE;
    case CONTROL('U'):
        erase(editor, editor->cursor);
        return EDITOR_MORE;
    case CONTROL('W'):
        erase(editor, word_before(editor));
        return EDITOR_MORE;
    case CONTROL('C'):
        draw(editor, "^C\r\n", 4);
        return EDITOR_CANCEL;
    case CONTROL('D'):
        return editor->length == 0 ? EDITOR_END : EDITOR_MORE;
    default:
        return EDITOR_MORE;
    }
}

enum editor_result editor_type(struct editor *editor, char typed)
{
    bool after_return = editor->carriage_return;

    editor->carriage_return = typed == '\r';
    if (typed == '\n' && after_return)
        return EDITOR_MORE;
    if (is_escape(editor, typed))
        return EDITOR_MORE;
    if ((unsigned char)typed < ' ' || typed == DELETE)
        return take_control(editor, typed);
    insert(editor, typed);
    return EDITOR_MORE;
}

void editor_begin(struct editor *editor)
{
    editor->length = editor->cursor = editor->browsed = editor->escape = 0;
    editor->line[0] = 0;
}
