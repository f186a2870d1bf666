// SPDX-License-Identifier: MIT
// Editing of typed lines.
#include "line.h"

#include <string.h>

#define CTRL(letter) ((letter) - '@')
#define DELETE '\x7f'

static u32 erase(struct line *line, char *echo)
{
    if (line->typed == line->complete)
        return 0;
    line->typed--;
    memcpy(echo, "\b \b", 3);
    return 3;
}

static u32 kill_line(struct line *line, char *echo)
{
    line->typed = line->complete;
    memcpy(echo, "^U\r\n", 4);
    return 4;
}

static u32 end_line(struct line *line, char *echo)
{
    if (line->typed == LINE_BYTES)
        line->typed--; // the line is full: its last character makes room
    line->text[line->typed++] = '\n';
    line->complete = line->typed;
    memcpy(echo, "\r\n", 2);
    return 2;
}

static u32 add(struct line *line, char typed, char *echo)
{
    if (line->typed >= LINE_BYTES - 1)
        return 0;
    line->text[line->typed++] = typed;
    echo[0] = typed;
    return 1;
}

u32 line_type(struct line *line, char typed, char *echo)
{
    switch (typed) {
    case '\r':
    case '\n':
        return end_line(line, echo);
    case '\b':
    case DELETE:
        return erase(line, echo);
    case CTRL('U'):
        return kill_line(line, echo);
    case CTRL('D'):
        line->end = line->typed == line->complete;
        return 0;
    case '\t':
        return add(line, typed, echo);
    default:
        return (unsigned char)typed < ' ' ? 0 : add(line, typed, echo);
    }
}

bool line_ready(const struct line *line)
{
    return line->complete > 0 || line->end;
}

u64 line_take(struct line *line, char *to, u64 bytes)
{
    if (line->complete == 0) {
        line->end = false;
        return 0;
    }
    const char *newline = memchr(line->text, '\n', line->complete);
    u64 count = (u64)(newline - line->text) + 1;
    if (count > bytes)
        count = bytes;
    memcpy(to, line->text, count);
    memmove(line->text, line->text + count, line->typed - count);
    line->typed -= (u32)count;
    line->complete -= (u32)count;
    return count;
}
